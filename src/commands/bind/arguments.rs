//! The arguments of a recorded launch, written as a binding's `args`.

use gfx906::code_object::Arg;

use super::case::Case;
use super::kernarg::{LARGE, is_pointer, scalar};
use super::number::Terms;
use super::structures;
use super::tensors::{Fit, RegionUse};
use super::written::{OUTPUTS, WrittenText, comment, quoted};
use crate::binding::TensorUse;
use crate::commands::exec::recorded::{Argument, RecordedLaunch};

/// Writer of a launch's arguments, one after the other. A size that an argument has used is the last choice for the next argument of the
/// same number.
pub struct Arguments<'a> {
    case: &'a Case<'a>,
    recorded: &'a RecordedLaunch,
    taken: &'a [RegionUse],
    sizes: Vec<(&'a str, i64)>,
    /// Lengths of the contract's axes.
    lengths: Vec<String>,
    /// Sizes that an earlier argument is by itself.
    spent: Vec<String>,
    /// Inputs of one element that no pointer points to. Floats that no formula gives are taken for them, in order.
    scalars: Vec<String>,
}

impl<'a> Arguments<'a> {
    /// Starts at the first argument of a launch. `taken` says which tensor each region is.
    pub fn new(
        case: &'a Case<'a>,
        recorded: &'a RecordedLaunch,
        taken: &'a [RegionUse],
        sizes: Vec<(&'a str, i64)>,
        lengths: Vec<String>,
    ) -> Arguments<'a> {
        let pointed = |at: usize| {
            let is = |taken: &RegionUse| matches!(taken, RegionUse::Tensor { tensor, .. } if *tensor == at);
            taken.iter().any(is)
        };
        let scalars = case.candidates.iter().enumerate().filter(|(at, tensor)| {
            tensor.role == TensorUse::Input
                && tensor.lengths.count(&case.values) == Some(1)
                && !pointed(*at)
        });
        Arguments {
            case,
            recorded,
            taken,
            sizes,
            lengths,
            spent: Vec::new(),
            scalars: scalars.map(|(_, tensor)| tensor.name.clone()).collect(),
        }
    }

    /// Writes the next argument. `arg` is the code object's description of it.
    pub fn write(&mut self, arg: &Arg, value: &Argument) -> WrittenText {
        match value {
            Argument::Pointer(region) => self.pointer(*region),
            Argument::Bytes(bytes) if is_pointer(arg) => null(bytes),
            Argument::Bytes(bytes) => self.number(arg, bytes),
            Argument::Structure(parts) => {
                let parts: Vec<WrittenText> = parts
                    .iter()
                    .map(|part| match part {
                        Argument::Pointer(region) => self.pointer(*region),
                        Argument::Bytes(bytes) => raw(bytes),
                        Argument::Structure(_) => raw(&[]),
                    })
                    .collect();
                let text: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
                let comments: Vec<String> = parts
                    .iter()
                    .filter_map(|part| part.comment.clone())
                    .collect();
                WrittenText {
                    text: format!("[{}]", text.join(", ")),
                    comment: Some(comments.join("; ")).filter(|text| !text.is_empty()),
                    uses: Vec::new(),
                }
            }
        }
    }

    fn terms(&self) -> Terms<'_> {
        Terms::new(self.sizes.clone(), &self.lengths)
    }

    fn pointer(&self, number: usize) -> WrittenText {
        let region = &self.recorded.regions[number];
        let place = format!("{} bytes of `{}`", region.size, region.buffer);
        let (name, comment) = match &self.taken[number] {
            RegionUse::Outputs => (OUTPUTS.to_owned(), None),
            RegionUse::Unknown => {
                let what = match region.changed {
                    _ if region.size == 0 => "the launch neither read nor wrote there",
                    Some(true) => "it was written, and no output has as many",
                    _ => "no tensor has as many",
                };
                ("null".to_owned(), Some(format!("? {place}: {what}")))
            }
            RegionUse::Tensor {
                tensor,
                fit,
                others,
            } => {
                let others: Vec<&str> = others
                    .iter()
                    .map(|other| self.case.candidates[*other].name.as_str())
                    .collect();
                let alike =
                    (!others.is_empty()).then(|| format!("by order: or {}", others.join(", ")));
                let more = match fit {
                    Fit::Within(more) => Some(format!("? {place}, {more} more than the tensor")),
                    Fit::Exact | Fit::Half => None,
                };
                let comments: Vec<String> = more.into_iter().chain(alike).collect();
                let name = &self.case.candidates[*tensor].name;
                (
                    word(name),
                    Some(comments.join("; ")).filter(|text| !text.is_empty()),
                )
            }
        };
        WrittenText {
            text: quoted(&name),
            comment,
            uses: Vec::new(),
        }
    }

    fn number(&mut self, arg: &Arg, bytes: &[u8]) -> WrittenText {
        if let Some(written) = structures::fast_division(bytes, &self.terms()) {
            return written;
        }
        let mut word = [0; 8];
        let Some(place) = word
            .get_mut(..bytes.len())
            .filter(|_| matches!(bytes.len(), 1 | 2 | 4 | 8))
        else {
            return structures::members(bytes, &self.terms()).unwrap_or_else(|| raw(bytes));
        };
        place.copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        let shift = 64 - 8 * bytes.len();
        let signed = ((bits << shift) as i64) >> shift;
        let type_name = scalar(arg).unwrap_or_else(|| format!("i{}", 8 * bytes.len()));
        let named_float = type_name.starts_with('f');
        let whole = if type_name.starts_with('u') {
            i64::try_from(bits).unwrap_or(signed)
        } else {
            signed
        };
        let float = match bytes.len() {
            4 => Some(f64::from(f32::from_bits(bits as u32))),
            8 => Some(f64::from_bits(bits)),
            _ => None,
        };
        let float = float.filter(|float| float.is_finite());
        let plausible = float.is_some_and(|float| (1e-30..1e30).contains(&float.abs()));
        let is_float = named_float || (whole.unsigned_abs() >= LARGE >> 8 && plausible);
        if let Some(float) = float.filter(|_| is_float && bytes.len() >= 4) {
            return self.float(&format!("f{}", 8 * bytes.len()), float);
        }
        if named_float {
            return raw(bytes);
        }
        let by_name = arg.name.as_deref().and_then(|name| {
            let same =
                |(size, number): &&(&str, i64)| *number == whole && size.eq_ignore_ascii_case(name);
            self.sizes.iter().find(same)
        });
        if let Some((size, _)) = by_name {
            self.spent.push((*size).to_owned());
            return WrittenText {
                text: quoted(&format!("{type_name} {size}")),
                comment: None,
                uses: vec![(*size).to_owned()],
            };
        }
        let mut sizes = self.sizes.clone();
        sizes.sort_by_key(|(size, _)| self.spent.iter().any(|spent| spent == size));
        let guess = Terms::new(sizes, &self.lengths).argument(whole);
        if let [one] = &guess.uses[..] {
            self.spent.push(one.clone());
        }
        let choices = self
            .case
            .values
            .iter()
            .any(|(_, value)| matches!(value, crate::contract::Value::Word(_)));
        let flag = matches!(whole, 0 | 1) && guess.uses.is_empty() && choices;
        let flag = flag.then(|| "or a choice of the contract".to_owned());
        WrittenText {
            text: quoted(&format!("{type_name} {}", guess.formula)),
            comment: comment(&guess, "").or(flag),
            uses: guess.uses,
        }
    }

    fn float(&mut self, type_name: &str, value: f64) -> WrittenText {
        let guess = self.terms().float(value as f32);
        if guess.literal && !self.scalars.is_empty() {
            let name = self.scalars.remove(0);
            return WrittenText {
                text: quoted(&format!("{type_name} {}", word(&name))),
                comment: Some(format!("{value} in the record")),
                uses: Vec::new(),
            };
        }
        let formula = if guess.literal {
            literal(value)
        } else {
            guess.formula.clone()
        };
        WrittenText {
            text: quoted(&format!("{type_name} {formula}")),
            comment: comment(&guess, ""),
            uses: guess.uses,
        }
    }
}

/// Returns a tensor's name as a formula has it: in quotes if it has other characters than letters, digits and `_`.
fn word(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("'{name}'")
    }
}

/// Returns the shortest literal that a formula reads back to the same bits.
fn literal(value: f64) -> String {
    let single = value as f32;
    if f64::from(single) == value {
        format!("{single:?}")
    } else {
        format!("{value:?}")
    }
}

fn null(bytes: &[u8]) -> WrittenText {
    let zero = bytes.iter().all(|byte| *byte == 0);
    WrittenText {
        text: quoted("null"),
        comment: (!zero).then(|| "? an address that was in no allocation".to_owned()),
        uses: Vec::new(),
    }
}

fn raw(bytes: &[u8]) -> WrittenText {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    WrittenText {
        text: quoted(&format!("raw {digits}")),
        comment: Some("? as recorded".into()),
        uses: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
