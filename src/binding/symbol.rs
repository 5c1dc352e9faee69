//! Kernel symbols of a binding: matching of names as written, demangled, with globs and formulas.

use globset::{Glob, GlobMatcher};

use super::formula::{self, Formula, Trouble};
use super::scope::Scope;
use super::value::Value;
use crate::text::{demangled, kernel_label, nearest};

/// A kernel's name with `{formulas}` in it, and `*` and `?` as wildcards.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Formula(Formula),
}

impl Symbol {
    /// Makes a symbol of a literal name.
    pub fn plain(name: &str) -> Symbol {
        Symbol {
            parts: vec![Part::Text(name.into())],
        }
    }

    /// Parses a symbol.
    pub fn parse(text: &str) -> Result<Symbol, Trouble> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(open) = text[at..].find('{').map(|found| at + found) {
            let Some(close) = text[open..].find('}').map(|found| open + found) else {
                let help = "close it with `}`";
                return Err(Trouble::new(&(open..text.len()), "this `{` is open", help));
            };
            parts.push(Part::Text(text[at..open].into()));
            let formula = formula::parse_part(&text[open + 1..close], open + 1)?;
            parts.push(Part::Formula(formula));
            at = close + 1;
        }
        parts.push(Part::Text(text[at..].into()));
        Ok(Symbol { parts })
    }

    /// Returns the name as written, with `*` in place of each formula.
    pub fn text(&self) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Formula(_) => "*".into(),
        };
        self.parts.iter().map(part).collect()
    }

    /// Returns the formulas in the name.
    pub fn formulas(&self) -> impl Iterator<Item = &Formula> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Formula(formula) => Some(formula),
        })
    }

    /// Returns true if the symbol can match this kernel at some case.
    pub fn may_be(&self, kernel: &str) -> bool {
        find(&self.text(), std::iter::once(kernel)).is_ok()
    }

    /// Evaluates the name at a case.
    pub fn at(&self, scope: &Scope<'_>) -> Result<String, Trouble> {
        let mut name = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => name.push_str(text),
                Part::Formula(formula) => {
                    let value = scope.number(formula)?;
                    if let Value::Fraction(_, 2..) = value {
                        let help = "round it with ceil(x) or floor(x)";
                        let title = format!("{value} stands in a kernel's name");
                        return Err(Trouble::new(&formula.at, title, help));
                    }
                    name.push_str(&value.to_string());
                }
            }
        }
        Ok(name)
    }
}

/// Strips the parts of a name that a reader leaves out: blanks, the return type, the suffixes of integers.
fn plain(name: &str) -> String {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let mut out = String::with_capacity(name.len());
    let mut digits = false;
    for c in name.chars().filter(|c| !c.is_whitespace()) {
        // The suffixes of 64u and 64ul are stripped, but f64u is a name.
        if digits && matches!(c, 'u' | 'l') {
            continue;
        }
        let before = out.chars().last();
        let begins = !before.is_some_and(|b| b.is_alphanumeric() || b == '_');
        digits = c.is_ascii_digit() && (digits || begins);
        out.push(c);
    }
    out
}

/// Returns the spellings of a kernel's name: mangled, demangled, without arguments, without template and arguments.
fn forms(name: &str) -> [String; 4] {
    let full = plain(&demangled(name));
    let bare = match full.rfind('(') {
        Some(open) if full.ends_with(')') => full[..open].to_owned(),
        _ => full.clone(),
    };
    let stem = bare.split('<').next().unwrap_or_default().to_owned();
    [name.to_owned(), full, bare, stem]
}

/// Finds the one kernel that a name means.
///
/// # Errors
/// No kernel matches, or several do: the error names both the problem and the remedy.
pub fn find<'k>(
    wanted: &str,
    kernels: impl Iterator<Item = &'k str>,
) -> Result<&'k str, (String, String)> {
    let kernels: Vec<&str> = kernels.collect();
    let pattern = plain(wanted);
    let glob = wanted
        .contains(['*', '?'])
        .then(|| matcher(&pattern))
        .flatten();
    let forms: Vec<[String; 4]> = kernels.iter().map(|name| forms(name)).collect();
    // A match of the whole name precedes a match of a shorter spelling.
    for form in 0..4 {
        let same = |name: &str| {
            let alike = glob.as_ref().is_some_and(|glob| glob.is_match(name));
            alike || plain(name) == pattern
        };
        let named = kernels.iter().zip(&forms);
        let found: Vec<&str> = named
            .filter(|(_, forms)| same(&forms[form]))
            .map(|(name, _)| *name)
            .collect();
        match found[..] {
            [] => {}
            [one] => return Ok(one),
            _ => {
                let names: Vec<String> = found
                    .iter()
                    .take(6)
                    .map(|name| kernel_label(name))
                    .collect();
                let title = format!("`{wanted}` means {} kernels", found.len());
                return Err((title, format!("choose one of: {}", names.join("; "))));
            }
        }
    }
    let names: Vec<String> = kernels.iter().map(|name| kernel_label(name)).collect();
    let near = nearest(&pattern, forms.iter().map(|form| form[2].as_str()), 1);
    let help = match near.first() {
        Some(near) => format!("the nearest it has is `{near}`"),
        None if names.len() <= 12 => format!("it has: {}", names.join("; ")),
        None => format!(
            "it has {} kernels: `deltanet-check inspect` lists them",
            names.len()
        ),
    };
    Err((format!("the code object has no kernel `{wanted}`"), help))
}

/// Makes a glob in which only `*` and `?` are special, because C++ names contain brackets.
fn matcher(pattern: &str) -> Option<GlobMatcher> {
    let literal = |c: char| match c {
        '[' | ']' | '{' | '}' => format!("[{c}]"),
        '\\' | '!' => format!("\\{c}"),
        c => c.to_string(),
    };
    let escaped: String = pattern.chars().map(literal).collect();
    Glob::new(&escaped).ok().map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 4] = [
        "_Z4gemmILi64ELb1EEvPKfS1_Pfi",
        "_Z4gemmILi128ELb0EEvPKfS1_Pfi",
        "_Z5scalePfj",
        "plain_c",
    ];

    fn found(wanted: &str) -> Result<&'static str, (String, String)> {
        find(wanted, NAMES.into_iter())
    }

    #[test]
    fn a_kernel_answers_to_every_form_of_its_name() {
        for wanted in [
            NAMES[0],
            "gemm<64, true>",
            "gemm<64,true>",
            "void gemm<64, true>(float const*, float const*, float*, int)",
            "gemm<64*",
            "ge*<6?, *>",
        ] {
            assert_eq!(found(wanted), Ok(NAMES[0]), "{wanted}");
        }
        assert_eq!(found("scale"), Ok("_Z5scalePfj"));
        assert_eq!(found("plain_c"), Ok("plain_c"));
        assert_eq!(found("pl*"), Ok("plain_c"));
    }

    #[test]
    fn none_and_several_are_told() {
        let (title, help) = found("gemm").expect_err("two");
        assert_eq!(title, "`gemm` means 2 kernels");
        assert!(
            help.contains("gemm<64, true>") && help.contains("gemm<128, false>"),
            "{help}"
        );
        let (title, help) = found("gem<64, true>").expect_err("none");
        assert_eq!(title, "the code object has no kernel `gem<64, true>`");
        assert_eq!(help, "the nearest it has is `gemm<64,true>`");
    }
}
