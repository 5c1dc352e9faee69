//! Readers of TOML values. Each complaint about a value has the value's place in the file.

mod diagnostic;

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::text::nearest;
pub use diagnostic::{Complaint, color_complaints, diagnostic, render};

/// A value of a TOML document with its span.
pub type SpannedValue<'a> = &'a Spanned<DeValue<'a>>;

/// A table of a TOML document.
pub struct Table<'a> {
    /// The kind of table, for complaints: `test`, `output`.
    pub what: &'static str,
    /// The span for complaints about a missing key.
    pub span: Range<usize>,
    keys: &'a DeTable<'a>,
}

impl<'a> Table<'a> {
    /// Makes a table from its keys; `span` is the place of the table.
    pub fn new(what: &'static str, span: Range<usize>, keys: &'a DeTable<'a>) -> Table<'a> {
        Table { what, span, keys }
    }

    /// Reads a value as a table. Complains about another type, and about keys other than `known`.
    pub fn of(
        what: &'static str,
        value: SpannedValue<'a>,
        known: &[&str],
        out: &mut Vec<Complaint>,
    ) -> Option<Table<'a>> {
        let Some(keys) = value.get_ref().as_table() else {
            out.push(wrong_type(value, "a table"));
            return None;
        };
        let table = Table::new(what, value.span(), keys);
        table.only(known, out);
        Some(table)
    }

    /// Complains about keys other than `known`.
    pub fn only(&self, known: &[&str], out: &mut Vec<Complaint>) {
        for (key, _) in self.entries() {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                out.push(unknown(
                    key.span(),
                    &format!("key of a {}", self.what),
                    name,
                    known,
                ));
            }
        }
    }

    /// Returns the keys and their values in the order of the file.
    pub fn entries(&self) -> Vec<(&'a Spanned<toml::de::DeString<'a>>, SpannedValue<'a>)> {
        let mut entries: Vec<_> = self.keys.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        entries
    }

    /// Returns the value of a key, if the table has the key.
    pub fn get(&self, name: &str) -> Option<SpannedValue<'a>> {
        self.keys
            .iter()
            .find(|(key, _)| key.get_ref() == name)
            .map(|(_, value)| value)
    }

    /// Returns the value of a key. Complains if the table lacks the key; the help is "add" and `what_for`.
    pub fn need(
        &self,
        name: &str,
        what_for: &str,
        out: &mut Vec<Complaint>,
    ) -> Option<SpannedValue<'a>> {
        let found = self.get(name);
        if found.is_none() {
            out.push(Complaint {
                span: self.span.clone(),
                title: format!("this {} has no `{name}`", self.what),
                label: format!("`{name}` is missing"),
                help: format!("add {what_for}"),
            });
        }
        found
    }
}

/// Parses a file. Complains if it is not TOML.
pub fn parse<'a>(text: &'a str, out: &mut Vec<Complaint>) -> Option<Spanned<DeTable<'a>>> {
    match DeTable::parse(text) {
        Ok(document) => Some(document),
        Err(error) => {
            out.push(Complaint {
                span: error.span().unwrap_or(0..0),
                title: format!("not TOML: {}", error.message()),
                label: "here".into(),
                help: "see https://toml.io for how a file is written".into(),
            });
            None
        }
    }
}

/// Checks that a file has `schema = 1`. Complains about another number, and if the file has none.
pub fn check_schema(table: &Table<'_>, out: &mut Vec<Complaint>) {
    if let Some(schema) = table.need("schema", "`schema = 1` at the top", out)
        && let Some(number) = integer(schema, out)
        && number != 1
    {
        let title = format!("this file has schema {number}");
        let help = "this version reads `schema = 1`";
        out.push(bad(schema, &title, "not 1", help));
    }
}

/// Reads a text. Complains about another type, and about an empty text.
pub fn string<'a>(value: SpannedValue<'a>, out: &mut Vec<Complaint>) -> Option<&'a str> {
    let text = value.get_ref().as_str();
    match text {
        Some(text) if !text.is_empty() => return Some(text),
        Some(_) => out.push(bad(
            value,
            "this text is empty",
            "empty",
            "write something here",
        )),
        None => out.push(wrong_type(value, "a text in quotes")),
    }
    None
}

/// Reads a whole number. Complains about another type, and about a number beyond 64 bits.
pub fn integer(value: SpannedValue<'_>, out: &mut Vec<Complaint>) -> Option<i64> {
    let parsed = value
        .get_ref()
        .as_integer()
        .map(|int| i64::from_str_radix(int.as_str(), int.radix()));
    match parsed {
        Some(Ok(number)) => return Some(number),
        Some(Err(_)) => out.push(bad(
            value,
            "this number is too large",
            "does not fit 64 bits",
            "write a smaller one",
        )),
        None => out.push(wrong_type(value, "a whole number")),
    }
    None
}

/// Reads a number. Complains about another type.
pub fn number(value: SpannedValue<'_>, out: &mut Vec<Complaint>) -> Option<f64> {
    let text = value
        .get_ref()
        .as_float()
        .map(|float| float.as_str().replace('_', ""));
    match (text, value.get_ref().is_integer()) {
        (Some(text), _) => text.parse::<f64>().ok(),
        (None, true) => integer(value, out).map(|number| number as f64),
        (None, false) => {
            out.push(wrong_type(value, "a number"));
            None
        }
    }
}

/// Reads a finite number that is at least 0. Complains about anything else; `name` is the key.
pub fn magnitude(value: SpannedValue<'_>, name: &str, out: &mut Vec<Complaint>) -> Option<f64> {
    let number = number(value, out)?;
    if number.is_finite() && number >= 0.0 {
        return Some(number);
    }
    let title = format!("`{name}` is {number}");
    out.push(bad(
        value,
        &title,
        "not a number from 0 up",
        "write a finite number, 0 for bit-exact",
    ));
    None
}

/// Reads `true` or `false`. Complains about another type.
pub fn boolean(value: SpannedValue<'_>, out: &mut Vec<Complaint>) -> Option<bool> {
    let found = value.get_ref().as_bool();
    if found.is_none() {
        out.push(wrong_type(value, "true or false"));
    }
    found
}

/// Returns the elements of an array. Complains about another type, and then returns none.
pub fn array<'a>(value: SpannedValue<'a>, out: &mut Vec<Complaint>) -> &'a [Spanned<DeValue<'a>>] {
    match value.get_ref().as_array() {
        Some(elements) => elements.as_ref(),
        None => {
            out.push(wrong_type(value, "an array"));
            &[]
        }
    }
}

/// Makes a complaint about a value or a key.
pub fn bad<T>(at: &Spanned<T>, title: &str, label: &str, help: &str) -> Complaint {
    Complaint {
        span: at.span(),
        title: title.into(),
        label: label.into(),
        help: help.into(),
    }
}

/// Makes a complaint about an unknown name. The help has the nearest known name, or all of them.
pub fn unknown(span: Range<usize>, what: &str, name: &str, known: &[&str]) -> Complaint {
    let near = nearest(name, known.iter().copied(), 1);
    let help = match near.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are: {}", known.join(", ")),
    };
    Complaint {
        span,
        title: format!("unknown {what}: `{}`", name.escape_debug()),
        label: "unknown".into(),
        help,
    }
}

/// Makes a complaint about a value of another type than `expected`.
pub fn wrong_type(value: SpannedValue<'_>, expected: &str) -> Complaint {
    let found = value.get_ref().type_str();
    bad(
        value,
        &format!("expected {expected}, found {found}"),
        &format!("{found} here"),
        &format!("write {expected}"),
    )
}
