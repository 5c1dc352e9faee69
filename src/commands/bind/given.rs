//! The option `--size` of `bind --from`.

use crate::commands::did_you_mean;
use crate::contract::Function;
use crate::exit::Stop;

/// The sizes and choices that `--size` gives.
#[derive(Debug, Default)]
pub struct GivenSizes {
    /// Sizes and other whole numbers.
    pub numbers: Vec<(&'static str, i64)>,
    /// Choices.
    pub words: Vec<(&'static str, &'static str)>,
}

impl GivenSizes {
    /// Reads `NAME=VALUE` for the sizes, integers and choices of a contract.
    ///
    /// # Errors
    /// The contract has no such size or choice, the value is not one of its values, or the name is given twice.
    pub fn read(function: &'static Function, entries: &[String]) -> Result<GivenSizes, Stop> {
        let mut given = GivenSizes::default();
        for entry in entries {
            let wrong =
                |why: String| Stop::usage(format!("`--size {}`: {why}", entry.escape_debug()));
            let Some((name, value)) = entry.split_once('=') else {
                return Err(wrong("write NAME=VALUE, as in `--size M=64,N=48`".into()));
            };
            let (name, value) = (name.trim(), value.trim());
            let choice = function.words.iter().find(|(choice, _)| *choice == name);
            if given.names().any(|earlier| earlier == name) {
                return Err(wrong(format!("`{name}` is given twice")));
            }
            if let Some((choice, words)) = choice {
                let word = words.iter().find(|word| **word == value);
                let word = word
                    .ok_or_else(|| wrong(format!("`{choice}` is one of {}", words.join(", "))))?;
                given.words.push((choice, word));
                continue;
            }
            let Some(size) = function.sizes().find(|size| *size == name) else {
                let choices = function.words.iter().map(|(choice, _)| *choice);
                let all: Vec<&str> = function.sizes().chain(choices).collect();
                let near = did_you_mean(name, all.iter().copied());
                let id = function.name;
                return Err(wrong(format!(
                    "`{id}` has no such size{near}; there is: {}",
                    all.join(", ")
                )));
            };
            let least = if function.dims.contains(&size) {
                1
            } else {
                i64::from(i32::MIN)
            };
            let number = value
                .parse()
                .ok()
                .filter(|number| (least..=i64::from(i32::MAX)).contains(number));
            let number = number
                .ok_or_else(|| wrong(format!("`{size}` is a whole number from {least} on")))?;
            given.numbers.push((size, number));
        }
        Ok(given)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let numbers = self.numbers.iter().map(|(name, _)| *name);
        numbers.chain(self.words.iter().map(|(name, _)| *name))
    }
}
