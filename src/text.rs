//! Names and foreign text. Characters that move the cursor, colour the screen or reorder a line are escaped. An unknown name is answered with
//! the nearest known one. This module also writes text to standard output.

use std::io::{self, Write as _};
use std::path::Path;

/// A file's name.
pub fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}

/// A name for every file system: the colon of a case's id becomes a dot, and so does every space.
pub fn file_name(id: &str) -> String {
    id.chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || "_-=,".contains(c) {
                c
            } else {
                '.'
            }
        })
        .collect()
}

/// Returns a number with the fewest digits that tell it apart as an f32, or as an f64 if it is no f32.
#[expect(
    clippy::cast_possible_truncation,
    reason = "it is compared with the number"
)]
pub fn shortest(value: f64) -> String {
    let narrow = value as f32;
    match f64::from(narrow) == value || value.is_nan() {
        true => format!("{narrow:?}"),
        false => format!("{value:?}"),
    }
}

/// Escapes control characters, the marks that reorder the text around them, and the beginning of a command to a CI service, which reads
/// `::error::` or `##[group]` at the start of a line as one.
pub fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let body = text.trim_start();
    let is_command = body.starts_with("::") || body.starts_with("##[");
    let begins = is_command.then_some(text.len() - body.len());
    for (at, c) in text.char_indices() {
        if c.is_control() || reorders(c) || begins == Some(at) {
            plain.extend(c.escape_unicode());
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Returns true for a mark that reorders the text around it.
fn reorders(c: char) -> bool {
    matches!(c, '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns a text with a visible character of as many bytes in the place of each control character of two bytes, of which one begins commands to terminals,
/// and of each mark that reorders text: places in the text stay what they are.
pub fn of_same_places(text: &str) -> String {
    let visible = |c: char| match c.len_utf8() {
        2 if c.is_control() || reorders(c) => '\u{B7}',
        3 if reorders(c) => char::REPLACEMENT_CHARACTER,
        _ => c,
    };
    text.chars().map(visible).collect()
}

/// The common prefix of all documented kernels, which would make any two of them look alike.
const KERNEL_PREFIX: &str = "kernel_";

/// Returns up to `count` candidates that are spelled most like `name`, nearest first; none if no candidate is near.
pub fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let mut scored: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (likeness(name, candidate), candidate))
        .filter(|(score, _)| *score > 0.75)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let mut names: Vec<&str> = scored.into_iter().map(|(_, candidate)| candidate).collect();
    names.dedup();
    names.truncate(count);
    names
}

/// Returns a likeness from 0 to 1. A common prefix that both names have, or that one name lacks, is ignored.
fn likeness(a: &str, b: &str) -> f64 {
    let own = |name| str::strip_prefix(name, KERNEL_PREFIX).unwrap_or(name);
    strsim::jaro_winkler(own(a), own(b))
}

/// A word for a shell.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    if escaped(word) == word {
        return format!("'{}'", word.replace('\'', "'\\''"));
    }
    let written = |c: char| match c {
        '\'' | '\\' => format!("\\{c}"),
        c if escaped(c.encode_utf8(&mut [0; 4])).starts_with('\\') => {
            format!("\\u{:04x}", c as u32)
        }
        c => c.to_string(),
    };
    format!("$'{}'", word.chars().map(written).collect::<String>())
}

/// Returns the command that runs a case again. `flags` is empty or begins with a space.
pub fn again(id: &str, seed: u64, flags: &str) -> String {
    let id = quoted(id);
    format!("deltanet-check --test {id} --seed {seed}{flags}")
}

/// Counts equal reasons, the most frequent first.
pub fn counted_reasons<'a>(reasons: impl Iterator<Item = &'a String>) -> Vec<(usize, &'a str)> {
    let mut counted: Vec<(usize, &str)> = Vec::new();
    for reason in reasons {
        match counted.iter_mut().find(|(_, known)| known == reason) {
            Some((count, _)) => *count += 1,
            None => counted.push((1, reason)),
        }
    }
    counted.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    counted
}

/// Reasons that a line of a summary has room for.
const REASONS: usize = 4;

/// Says how many of all tests did not run, and why: `3 of 8 tests: the binding is for K == 128 (2); no such kernel (1)`. None where all ran.
pub fn not_run<'a>(all: usize, reasons: impl Iterator<Item = &'a String>) -> Option<String> {
    let counted = counted_reasons(reasons);
    let count: usize = counted.iter().map(|(count, _)| count).sum();
    if count == 0 {
        return None;
    }
    let told = counted.iter().take(REASONS).map(|(count, reason)| {
        let reason = reason.lines().next().unwrap_or_default();
        format!("{} ({count})", escaped(reason))
    });
    let mut text = told.collect::<Vec<_>>().join("; ");
    if counted.len() > REASONS {
        let others: usize = counted.iter().skip(REASONS).map(|(count, _)| count).sum();
        text += &format!("; {} other reasons ({others})", counted.len() - REASONS);
    }
    Some(format!("{count} of {all} tests: {text}"))
}

/// Standard output cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to standard output: {0}")]
pub struct StdoutError(pub io::Error);

/// Writes to standard output; a reader that has closed the pipe has seen enough.
pub fn print(text: &str) -> Result<(), StdoutError> {
    let mut out = io::stdout().lock();
    stdout_result(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// The result of writing to standard output; a reader that has closed the pipe has seen enough.
pub fn stdout_result(result: io::Result<()>) -> Result<(), StdoutError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(StdoutError(error)),
        _ => Ok(()),
    }
}

/// Demangles a C++ name into `void f<64>(float*)`. Other names are unchanged.
pub fn demangled(name: &str) -> String {
    // The parser alone also accepts encodings of types: it takes `f`, a usual name of a kernel in C, for `float`.
    if !name.starts_with("_Z") {
        return name.to_owned();
    }
    let symbol = cpp_demangle::Symbol::new(name.as_bytes()).ok();
    let plain = symbol.and_then(|symbol| symbol.demangle().ok());
    plain.unwrap_or_else(|| name.to_owned())
}

/// Characters of a name that tables and lines for people show. Programs get it whole, in JSON.
const NAME: usize = 96;

/// A kernel's name for people: demangled, escaped, and shortened in the middle where it is very long.
pub fn kernel_label(name: &str) -> String {
    shortened(&escaped(&demangled(name)))
}

/// A name of which the middle is left out where it is very long.
pub fn shortened(name: &str) -> String {
    let count = name.chars().count();
    if count <= NAME {
        return name.to_owned();
    }
    let half = (NAME - 3) / 2;
    let first: String = name.chars().take(half).collect();
    let last: String = name.chars().skip(count - half).collect();
    format!("{first}...{last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_c_are_not_demangled() {
        assert_eq!(demangled("_Z5scalePf"), "scale(float*)");
        for name in ["scale", "_Zbroken", "f", "i", "Pf", "3mul", "St4copy"] {
            assert_eq!(demangled(name), name);
        }
    }

    #[test]
    fn the_prefix_of_kernels_makes_none_the_nearest() {
        let kernels = ["kernel_scale", "kernel_neg", "kernel_sigmoid"];
        assert!(nearest("kernel_add", kernels, 1).is_empty());
        assert_eq!(nearest("kernel_sigmod", kernels, 1), ["kernel_sigmoid"]);
        assert_eq!(nearest("kernel_add", ["add"], 1), ["add"]);
        assert_eq!(nearest("kernel_mol", ["kernel_mul"], 1), ["kernel_mul"]);
    }

    #[test]
    fn marks_for_terminals_are_shown_in_the_same_places() {
        let text = "a\u{9b}2J\u{61c}b\u{202e}\u{2066}é\u{3b1}\tc";
        let shown = of_same_places(text);
        assert_eq!(shown, "a\u{b7}2J\u{b7}b\u{fffd}\u{fffd}é\u{3b1}\tc");
        assert_eq!(shown.len(), text.len());
    }

    #[test]
    fn long_names_keep_both_ends() {
        let short = "gemm".repeat(24);
        assert_eq!(shortened(&short), short);
        let long = format!("begin{}\u{e9}nd", "x".repeat(400));
        let told = shortened(&long);
        assert!(
            told.starts_with("beginx") && told.ends_with("x\u{e9}nd"),
            "{told}"
        );
        assert_eq!(told.chars().count(), 95);
    }

    #[test]
    fn what_a_terminal_would_obey_is_escaped_and_the_rest_stays() {
        let path = Path::new("a b/\u{1b}[2J\u{7f}\n\u{9b}x\u{202e}é.co");
        let want = "a b/\\u{1b}[2J\\u{7f}\\u{a}\\u{9b}x\\u{202e}é.co";
        assert_eq!(shown(path), want);
    }

    #[test]
    fn commands_to_a_ci_service_are_escaped_where_a_text_begins() {
        for (text, plain) in [
            ("::error::x", "\\u{3a}:error::x"),
            ("  ::add-mask::x", "  \\u{3a}:add-mask::x"),
            ("##[group]x", "\\u{23}#[group]x"),
            ("a::b", "a::b"),
            ("#x", "#x"),
            ("x ##[group]", "x ##[group]"),
        ] {
            assert_eq!(escaped(text), plain);
        }
    }

    /// No file of the harness prints a path with `display()`, which writes control characters of the name as they are.
    #[test]
    fn no_file_of_the_harness_prints_a_path_otherwise() {
        let mut directories = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let (mut seen, mut others) = (0, Vec::new());
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).expect("readable") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    directories.push(path);
                } else if path.extension().is_some_and(|end| end == "rs") {
                    seen += 1;
                    let text = std::fs::read_to_string(&path).expect("text");
                    let call = concat!(".disp", "lay()");
                    if text.contains(call) {
                        others.push(path);
                    }
                }
            }
        }
        assert!(seen > 100, "{seen}");
        assert!(others.is_empty(), "{others:?}");
    }
}
