//! A binding from a recorded launch: its numbers as formulas over the sizes, its pointers as tensors, and a comment on every guess.

use gfx906::code_object::{CodeObject, Kernel};

use super::arguments::Arguments;
use super::case::Case;
use super::tensors::{Candidate, Fit, RegionUse};
use super::written::{OUTPUTS, key, quoted, short};
use crate::binding::{ContractTensors, TensorUse, described as told, find};
use crate::commands::exec::recorded::RecordedLaunch;
use crate::contract::Value;
use crate::text::demangled;

/// The inputs of a proposal.
pub struct Proposal<'a> {
    pub described: &'a ContractTensors,
    pub object: &'a CodeObject,
    pub kernel: &'a Kernel,
    pub recorded: &'a RecordedLaunch,
    pub case: &'a Case<'a>,
    /// The tensor of each region.
    pub taken: &'a [RegionUse],
    /// The name of the record.
    pub name: &'a str,
    /// Choices that the user gave.
    pub given: &'a [(&'static str, &'static str)],
}

impl Proposal<'_> {
    /// Returns the whole file.
    pub fn text(&self) -> String {
        let function = self.described.function;
        let mut used: Vec<String> = Vec::new();
        let grid = self.grid(&mut used);
        let block = self.block();
        let lds = self.dynamic_lds(&mut used);
        let args = self.args(&mut used);
        let mut text = String::from("schema = 1\n\n");
        text += &format!(
            "# From {}: grid {:?}, block {:?}, {}.\n",
            self.name, self.recorded.grid, self.recorded.block, self.case.values
        );
        if !self.case.assumed.is_empty() {
            let words: Vec<String> = self
                .case
                .assumed
                .iter()
                .map(|(choice, word)| format!("{choice}={word}"))
                .collect();
            text += &format!(
                "# Choices were not given, taken as {}: `--size` gives them.\n",
                words.join(",")
            );
        }
        text += &format!(
            "[[binding]]\ncontract = {}\nsymbol = {}\n",
            quoted(function.name),
            quoted(&self.symbol())
        );
        text += &self.when(&used);
        text += &self.types();
        text += &self.starts();
        text += &self.buffers();
        text += &grid;
        text += &block;
        text += &lds;
        text += &args;
        let missing = self.missing();
        if !missing.is_empty() {
            text += &format!(
                "# ? no buffer of the launch is {}: every output of the contract is due\n",
                missing.join(", ")
            );
        }
        text
    }

    /// Returns the kernel's demangled, shortened name if no other kernel has it, and the symbol otherwise.
    fn symbol(&self) -> String {
        let short = short(&demangled(&self.kernel.name));
        let names = self
            .object
            .kernels
            .iter()
            .map(|kernel| kernel.name.as_str());
        match find(&short, names) {
            Ok(found) if found == self.kernel.name => short,
            _ => self.kernel.name.clone(),
        }
    }

    /// Returns the sizes and other whole numbers of the case, with the sizes that follow from them.
    pub fn sizes(&self) -> Vec<(&str, i64)> {
        let values = self.case.values.iter();
        let sizes = values.filter_map(|(name, value)| match value {
            Value::Number(number) => Some((name, *number)),
            Value::Word(_) => None,
        });
        let derived = self.described.function.derived.iter();
        let derived =
            derived.filter_map(|size| Some((size.name, (size.value)(&self.case.values)?)));
        sizes.chain(derived).collect()
    }

    /// Returns the condition of the binding: sizes that no number of the launch depends on have the recorded values, and choices the given
    /// words.
    fn when(&self, used: &[String]) -> String {
        let mut terms: Vec<String> = self
            .sizes()
            .iter()
            .filter(|(name, _)| self.case.values.get(name).is_some())
            .filter(|(name, _)| !used.iter().any(|used| used == name))
            .map(|(name, number)| format!("{name} == {number}"))
            .collect();
        let built_in = !terms.is_empty();
        terms.extend(
            self.given
                .iter()
                .map(|(choice, word)| format!("{choice} == '{word}'")),
        );
        if terms.is_empty() {
            return String::new();
        }
        let why = match (built_in, self.given.is_empty()) {
            (true, true) => "sizes that no number of the launch follows",
            (true, false) => "sizes that no number of the launch follows, and the choices given",
            _ => "the choices given; leave out what the kernel takes any of",
        };
        format!("when = {}   # {why}\n", quoted(&terms.join(" && ")))
    }

    fn types(&self) -> String {
        let half = self.taken.iter().filter_map(|taken| match taken {
            RegionUse::Tensor {
                tensor,
                fit: Fit::Half,
                ..
            } => Some(format!(
                "{} = \"bf16\"",
                key(&self.case.candidates[*tensor].name)
            )),
            _ => None,
        });
        let half: Vec<String> = half.collect();
        match half[..] {
            [] => String::new(),
            _ => format!(
                "types = {{ {} }}   # ? or f16: elements of two bytes\n",
                half.join(", ")
            ),
        }
    }

    /// Returns the key `start`, for outputs whose input has no buffer of its own: the kernel reads the input from the output's buffer.
    fn starts(&self) -> String {
        let candidates = &self.case.candidates;
        let taken = |name: &str| {
            let is = |taken: &RegionUse| match taken {
                RegionUse::Tensor { tensor, .. } => candidates[*tensor].name == name,
                _ => false,
            };
            self.taken.iter().any(is)
        };
        let outputs = candidates
            .iter()
            .filter(|tensor| tensor.role == TensorUse::Output && taken(&tensor.name));
        let start = |output: &Candidate| {
            let mut all = self.described.beginnings(&self.case.values, &output.name);
            all.retain(|input| !taken(input));
            match &all[..] {
                [input] => Some(format!("{} = {}", key(&output.name), quoted(input))),
                _ => None,
            }
        };
        let starts: Vec<String> = outputs.filter_map(start).collect();
        if starts.is_empty() {
            return String::new();
        }
        format!(
            "start = {{ {} }}   # ? no buffer of the launch is that input: the kernel reads the output's\n",
            starts.join(", ")
        )
    }

    fn buffers(&self) -> String {
        if !self.taken.contains(&RegionUse::Outputs) {
            return String::new();
        }
        let outputs = self
            .case
            .candidates
            .iter()
            .filter(|tensor| tensor.is_output());
        let names: Vec<String> = outputs.map(|tensor| quoted(&tensor.name)).collect();
        format!(
            "buffers = {{ {OUTPUTS} = [{}] }}   # ? in this order\n",
            names.join(", ")
        )
    }

    fn args(&self, used: &mut Vec<String>) -> String {
        let mut arguments = Arguments::new(
            self.case,
            self.recorded,
            self.taken,
            self.sizes(),
            self.lengths(),
        );
        let mut text = String::from("args = [\n");
        for (position, (arg, value)) in self
            .kernel
            .explicit_args()
            .zip(&self.recorded.args)
            .enumerate()
        {
            let written = arguments.write(arg, value);
            let type_name = arg.type_name.as_deref().map(|name| format!(", {name}"));
            let about = crate::text::escaped(&(told(arg) + &type_name.unwrap_or_default()));
            let mut notes = vec![about];
            notes.extend(written.comment);
            text += &format!(
                "    {:<20} # {position}: {}\n",
                written.text + ",",
                notes.join("; ")
            );
            used.extend(written.uses);
        }
        text + "]\n"
    }

    /// Returns the outputs that no region is taken for.
    fn missing(&self) -> Vec<String> {
        if self.taken.contains(&RegionUse::Outputs) {
            return Vec::new();
        }
        let there = |at: usize| {
            let is = |taken: &RegionUse| matches!(taken, RegionUse::Tensor { tensor, .. } if *tensor == at);
            self.taken.iter().any(is)
        };
        let all = self.case.candidates.iter().enumerate();
        let missing = all.filter(|(at, tensor)| tensor.is_output() && !there(*at));
        missing.map(|(_, tensor)| tensor.name.clone()).collect()
    }
}
