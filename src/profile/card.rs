//! The card that is modelled: constants of its speed, and how far off the times are that follow from them.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

use gfx906::observe::costs::Latencies;
use toml::de::DeValue;

use super::constants::NEAR;
use crate::document::{self, Complaint, SpannedValue, Table, bad, number, string, unknown};
use crate::files::{FileError, read_text};
use crate::text::escaped;

/// Bytes of the largest file of a card.
const MOST_BYTES: u64 = 1 << 20;
/// The greatest value of a constant.
const MOST: f64 = 1e9;
/// The constants of the program's own card, which scripts/fit-model.py writes.
const BUILT_IN: &str = include_str!("card.toml");

/// A constant of the card, which the file names in snake case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantName {
    /// Clock in MHz.
    Clock,
    /// Gigabytes a second that are read from memory.
    Read,
    /// Gigabytes a second that are written to memory.
    Write,
    /// Gigabytes a second from and to the L2.
    L2,
    /// Cycles from the issue of a vector memory instruction to its result.
    VectorLatency,
    /// Cycles from the issue of a scalar load to its result.
    ScalarLatency,
    /// Cycles from the issue of an LDS instruction to its result.
    LdsLatency,
    /// Cycles of a compute unit for each line of vector memory.
    Line,
    /// Cycles of a compute unit for each scalar instruction.
    ScalarInstruction,
    /// Cycles of the card for the dispatch of a wave.
    Wave,
    /// Microseconds from launch to launch in a stream.
    Stream,
    /// Microseconds from launch to launch in a graph.
    Graph,
    /// Microseconds that events around a launch have more than its kernel.
    Event,
    /// Microseconds that a trace has more than the kernel.
    Trace,
}

/// The names of the constants in a file, in the order of [`ConstantName`].
const NAMES: [&str; 14] = [
    "clock",
    "read",
    "write",
    "l2",
    "vector_latency",
    "scalar_latency",
    "lds_latency",
    "line",
    "scalar_instruction",
    "wave",
    "stream",
    "graph",
    "event",
    "trace",
];

/// The terms of a launch's time, as files and reports name them. Of equal terms the first is the largest.
pub const TERMS: [&str; 5] = ["chain", "pipes", "memory", "dispatch", "overhead"];

/// A constant of the card.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CardConstant {
    /// Its value.
    pub value: f64,
    /// The unit of the value.
    pub unit: String,
    /// The source of the value.
    pub source: String,
    /// The interval that holds nine of ten fits, if the value was fitted.
    pub interval: Option<[f64; 2]>,
}

/// The card that is modelled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Card {
    constants: [CardConstant; NAMES.len()],
    /// The factor that holds nine of ten measured times, by the largest term.
    spread: [f64; TERMS.len()],
}

impl Card {
    /// Returns the card whose constants are built in.
    pub fn built_in() -> Card {
        static CARD: LazyLock<Card> = LazyLock::new(|| {
            let mut complaints = Vec::new();
            parse(BUILT_IN, "card.toml", &Card::default(), &mut complaints)
        });
        CARD.clone()
    }

    /// Reads a card from a file. Constants that the file lacks are those of the built-in card.
    ///
    /// # Errors
    /// The file cannot be read, or has mistakes.
    pub fn from_file(path: &Path) -> Result<Card, FileError> {
        let (name, text) = read_text("card", path, MOST_BYTES)?;
        let mut complaints = Vec::new();
        let card = parse(&text, &name, &Card::built_in(), &mut complaints);
        match complaints.is_empty() {
            true => Ok(card),
            false => Err(document::diagnostic(&name, &text, &complaints)),
        }
    }

    /// Sets the clock in MHz.
    pub fn with_clock(mut self, clock: f64) -> Card {
        let constant = &mut self.constants[ConstantName::Clock as usize];
        constant.value = clock;
        constant.source = "--clock".into();
        self
    }

    /// Returns the value of a constant.
    pub fn value(&self, name: ConstantName) -> f64 {
        self.constants[name as usize].value
    }

    /// Returns the unit of a constant.
    pub fn unit(&self, name: ConstantName) -> &str {
        &self.constants[name as usize].unit
    }

    /// Returns the spread of times whose largest term is at this place in `TERMS`.
    pub fn spread(&self, term: usize) -> f64 {
        self.spread[term]
    }

    /// Returns the seconds that cycles take.
    pub fn seconds(&self, cycles: f64) -> f64 {
        cycles / (self.value(ConstantName::Clock) * 1e6)
    }

    /// Returns the latencies of the chains' clocks: near, and of this card.
    pub fn latencies(&self) -> Latencies {
        let fitted = |name| self.value(name).round() as u64;
        let [vector, scalar, lds] = NEAR;
        Latencies {
            vector: [vector, fitted(ConstantName::VectorLatency)],
            scalar: [scalar, fitted(ConstantName::ScalarLatency)],
            lds: [lds, fitted(ConstantName::LdsLatency)],
        }
    }

    /// Returns the constants, each with its name.
    pub fn constants(&self) -> impl Iterator<Item = (&'static str, &CardConstant)> {
        NAMES.into_iter().zip(&self.constants)
    }

    /// Returns the spreads, each with its term.
    pub fn spreads(&self) -> impl Iterator<Item = (&'static str, f64)> {
        TERMS.into_iter().zip(self.spread)
    }
}

/// Writes a file with some constants, below a line about them.
pub(super) fn file_text(
    about: &str,
    constants: impl IntoIterator<Item = (ConstantName, CardConstant)>,
) -> String {
    let mut text = format!("# {}\n\n[constants]\n", escaped(about));
    for (name, constant) in constants {
        let name = NAMES[name as usize];
        let CardConstant {
            value,
            unit,
            source,
            ..
        } = constant;
        let _ = writeln!(
            text,
            "{name} = {{ value = {value}, unit = {unit:?}, source = {source:?} }}"
        );
    }
    text
}

/// Reads the text of a file. What the file lacks is from `base`.
fn parse(text: &str, file: &str, base: &Card, out: &mut Vec<Complaint>) -> Card {
    let mut card = base.clone();
    let Some(root) = document::parse(text, out) else {
        return card;
    };
    let table = Table::new("card", 0..0, root.get_ref());
    table.only(&["constants", "spread"], out);
    for (at, value) in named(&table, "constants", &NAMES, out) {
        let own = &base.constants[at];
        if let Some(mut constant) = constant(value, NAMES[at], own, out) {
            if constant.source.is_empty() {
                constant.source = file.to_owned();
            }
            card.constants[at] = constant;
        }
    }
    for (at, value) in named(&table, "spread", &TERMS, out) {
        let least = 1.0;
        if let Some(factor) = within(value, TERMS[at], [least, MOST], out) {
            card.spread[at] = factor;
        }
    }
    card
}

/// Returns the entries of a table within the file, each with the place of its name in `known`.
fn named<'a>(
    table: &Table<'a>,
    name: &'static str,
    known: &[&str],
    out: &mut Vec<Complaint>,
) -> Vec<(usize, SpannedValue<'a>)> {
    let Some(value) = table.get(name) else {
        return Vec::new();
    };
    let Some(keys) = value.get_ref().as_table() else {
        out.push(document::wrong_type(value, "a table"));
        return Vec::new();
    };
    let mut found = Vec::new();
    for (key, value) in Table::new(name, value.span(), keys).entries() {
        let word = key.get_ref().as_ref();
        match known.iter().position(|one| *one == word) {
            Some(at) => found.push((at, value)),
            None => out.push(unknown(key.span(), "name of a card", word, known)),
        }
    }
    found
}

/// Reads a constant. `own` is the constant of the built-in card.
fn constant(
    value: SpannedValue<'_>,
    name: &str,
    own: &CardConstant,
    out: &mut Vec<Complaint>,
) -> Option<CardConstant> {
    let keys = ["value", "low", "high", "unit", "source"];
    let table = Table::of("constant", value, &keys, out)?;
    let read = table.need("value", "`value = NUMBER`", out)?;
    let least = f64::MIN_POSITIVE;
    let number = within(read, name, [least, MOST], out)?;
    let mut end = |key: &str| within(table.get(key)?, key, [least, MOST], out);
    let interval = end("low").zip(end("high")).map(|(low, high)| [low, high]);
    let mut unit = own.unit.clone();
    if let Some(given) = table.get("unit") {
        let word = string(given, out)?;
        if !own.unit.is_empty() && word != own.unit {
            let title = format!("`{name}` is in {}", own.unit);
            out.push(bad(given, &title, "another unit", "convert the value"));
            return None;
        }
        word.clone_into(&mut unit);
    }
    let source = match table.get("source") {
        Some(given) => string(given, out)?.to_owned(),
        None => String::new(),
    };
    Some(CardConstant {
        value: number,
        unit,
        source,
        interval,
    })
}

/// Reads a number between two ends. Complains about anything else; `name` is the key.
fn within(
    value: SpannedValue<'_>,
    name: &str,
    [least, most]: [f64; 2],
    out: &mut Vec<Complaint>,
) -> Option<f64> {
    if matches!(value.get_ref(), DeValue::String(_)) {
        out.push(document::wrong_type(value, "a number"));
        return None;
    }
    let number = number(value, out)?;
    if (least..=most).contains(&number) {
        return Some(number);
    }
    let from = if least < 1.0 {
        "above 0".to_owned()
    } else {
        format!("from {least}")
    };
    let title = format!("`{name}` is {number}");
    let help = format!("write a number {from}, at most {most:e}");
    out.push(bad(value, &title, "out of range", &help));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_card_is_whole() {
        let mut complaints = Vec::new();
        let card = parse(BUILT_IN, "card.toml", &Card::default(), &mut complaints);
        assert_eq!(complaints, []);
        for (name, constant) in card.constants() {
            assert!(constant.value > 0.0, "{name}");
            assert!(!constant.source.is_empty(), "{name}");
        }
        for (name, factor) in card.spreads() {
            assert!(factor >= 1.0, "{name}");
        }
    }

    #[test]
    fn a_file_changes_what_it_names() {
        let text = "[constants]\nread = { value = 700 }\n[spread]\nchain = 2\n";
        let mut complaints = Vec::new();
        let (own, card) = (
            Card::built_in(),
            parse(text, "mine.toml", &Card::built_in(), &mut complaints),
        );
        assert_eq!(complaints, []);
        let [read, write] = [ConstantName::Read, ConstantName::Write];
        assert_eq!(card.value(read), 700.0);
        assert_eq!(card.value(write), own.value(write));
        assert_eq!((card.spread(0), card.spread(1)), (2.0, own.spread(1)));
        let (_, constant) = card.constants().nth(read as usize).expect("a constant");
        assert_eq!((&*constant.unit, &*constant.source), ("GB/s", "mine.toml"));
    }

    #[test]
    fn mistakes_have_a_place() {
        let wrong = |text: &str| {
            let mut complaints = Vec::new();
            parse(text, "c.toml", &Card::built_in(), &mut complaints);
            complaints
                .into_iter()
                .map(|one| one.title)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            wrong("[constants]\nreed = { value = 1 }\n"),
            ["unknown name of a card: `reed`"]
        );
        assert_eq!(
            wrong("[constants]\nread = { value = -1 }\nl2 = { value = inf }\n"),
            ["`read` is -1", "`l2` is inf"]
        );
        assert_eq!(
            wrong("[constants]\nstream = { value = 2, unit = \"ms\" }\n"),
            ["`stream` is in us"]
        );
        assert_eq!(wrong("[spread]\nchain = 0.5\n"), ["`chain` is 0.5"]);
        assert_eq!(
            wrong("[constants]\nread = \"fast\"\n"),
            ["expected a table, found string"]
        );
    }
}
