//! The text of a skeleton. Guesses are marked `guess:`, and gaps are marked `?`.

use std::collections::BTreeSet;

use gfx906::code_object::{CodeObject, Kernel};

use super::matching::{Match, TOKEN};
use super::offer::Offer;
use super::pipeline::{Pipeline, Subject};
use super::source::{Argument, Contents};
use super::written::{key, quoted};
use crate::binding::{ContractTensors, TensorUse};
use crate::commands::inspect::dynamic_lds;
use crate::contract::{Value, Values};
use crate::tensor::ElementKind;
use crate::text::{demangled, escaped};

/// The advice for a code object without the names of arguments.
pub const RECOMPILE: &str = "compile with -g (names, types) or -fhip-kernel-arg-name";

/// The writer of skeletons.
pub struct Skeletons<'a> {
    /// The code object of the kernels.
    pub object: &'a CodeObject,
    /// The offer of the contract, if one is named.
    pub offer: Option<&'a Offer<'a>>,
    /// The kernels.
    pub subjects: &'a [Subject<'a>],
    /// Tensors of other contracts, for the shapes of scratch: a name, a shape, and a contract.
    pub shapes: &'a [(String, String, &'static str)],
}

impl Skeletons<'_> {
    /// Returns the skeleton of a binding with one launch.
    pub fn single(&self, at: usize) -> String {
        let subject = &self.subjects[at];
        let mut text = self.head();
        text += &self.types(&[at], &BTreeSet::new(), &subject.names());
        text += &self.starts(&[at], &BTreeSet::new(), &subject.names());
        text += &self.launch(subject, &BTreeSet::new(), &subject.names());
        text += &self.foot(&[at], &BTreeSet::new(), &subject.names());
        text
    }

    /// Returns the skeleton of a binding with several launches.
    pub fn pipeline(&self, pipeline: &Pipeline) -> String {
        let scratch: BTreeSet<&str> = pipeline.scratch.iter().map(String::as_str).collect();
        let spelled: BTreeSet<&str> = self.subjects.iter().flat_map(Subject::names).collect();
        let mut text = self.head();
        text += "# guess: these kernels compute the contract together, in this order";
        text += if pipeline.ordered {
            "\n"
        } else {
            ", which is the file's\n"
        };
        text += &self.types(&pipeline.order, &scratch, &spelled);
        text += &self.starts(&pipeline.order, &scratch, &spelled);
        text += "\n[binding.scratch]   # tensors that the kernels hand to each other\n";
        for name in &pipeline.scratch {
            text += &self.scratch(name, &pipeline.order);
        }
        for &at in &pipeline.order {
            text += "\n[[binding.launch]]\n";
            text += &self.launch(&self.subjects[at], &scratch, &spelled);
            for (_, other) in pipeline.alike.iter().filter(|(stage, _)| *stage == at) {
                let name = escaped(&self.subjects[*other].name);
                text += &format!("# `{name}` takes the same arguments\n");
            }
        }
        text += &self.foot(&pipeline.order, &scratch, &spelled);
        text
    }

    fn head(&self) -> String {
        match self.offer {
            Some(offer) => {
                let contract = quoted(offer.described.function.name);
                format!("\n[[binding]]\ncontract = {contract}\n")
            }
            None => {
                "\n[[binding]]\ncontract = \"?\"   # `deltanet-check contracts` lists them\n".into()
            }
        }
    }

    /// Returns the line of a scratch tensor. Its shape is guessed from a tensor of the same name in a contract of the same sizes.
    fn scratch(&self, name: &str, order: &[usize]) -> String {
        let leaves = order.iter().flat_map(|&at| self.subjects[at].leaves());
        let declared = leaves
            .filter(|leaf| leaf.name == name)
            .map(|leaf| leaf.type_name.clone())
            .next()
            .unwrap_or_default();
        let element = element(&declared);
        let same = |exact: bool| {
            let mut shapes = self.shapes.iter();
            shapes.find(|(known, ..)| match exact {
                true => known == name,
                false => known.eq_ignore_ascii_case(name),
            })
        };
        let name = key(name);
        // A tensor without a type in the source is most likely f32.
        let kind = element.unwrap_or(if declared.is_empty() { "f32" } else { "?" });
        match same(true).or_else(|| same(false)) {
            Some((known, shape, contract)) => {
                let text = quoted(&format!("{kind}[{shape}]"));
                format!("{name} = {text}   # guess: as `{known}` in {contract}\n")
            }
            None => {
                let text = quoted(&format!("{kind}[?]"));
                format!("{name} = {text}   # ?: its type and the lengths of its axes\n")
            }
        }
    }

    /// Returns the key `types`, for tensors whose elements have 16 bits in the source and 32 in the contract, and for whole numbers of 64 bits
    /// in the source.
    fn types(&self, order: &[usize], scratch: &BTreeSet<&str>, spelled: &BTreeSet<&str>) -> String {
        let Some(offer) = self.offer else {
            return String::new();
        };
        let mut entries: Vec<String> = Vec::new();
        for &at in order {
            let leaves = self.subjects[at].leaves();
            for (leaf, found) in leaves.iter().zip(offer.matches(&leaves, scratch, spelled)) {
                let tensor = found.and_then(|found| found.tensor);
                let mut tensors = offer.pointers.iter().map(|(known, _)| known);
                let known = tensors.find(|known| Some(&known.name) == tensor.as_ref());
                let kind = element(&leaf.type_name);
                let (Some(known), Some(kind)) = (known, kind) else {
                    continue;
                };
                let differs = match known.element {
                    ElementKind::F32 => matches!(kind, "f16" | "bf16"),
                    ElementKind::I32 => kind == "i64",
                    _ => false,
                };
                let entry = format!("{} = {}", key(&known.name), quoted(kind));
                if differs && !entries.contains(&entry) {
                    entries.push(entry);
                }
            }
        }
        if entries.is_empty() {
            return String::new();
        }
        format!(
            "types = {{ {} }}   # guess: the source's types\n",
            entries.join(", ")
        )
    }

    /// Returns the key `start`, for outputs whose input is no argument: a kernel that needs the input reads it from the output's buffer.
    fn starts(
        &self,
        order: &[usize],
        scratch: &BTreeSet<&str>,
        spelled: &BTreeSet<&str>,
    ) -> String {
        let Some(offer) = self.offer else {
            return String::new();
        };
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for &at in order {
            let leaves = self.subjects[at].leaves();
            for (leaf, found) in leaves.iter().zip(offer.matches(&leaves, scratch, spelled)) {
                // A pointer that is matched with nothing may be the input.
                if found.is_none() && matches!(leaf.holds, Contents::Pointer { .. }) {
                    return String::new();
                }
                taken.extend(found.and_then(|found| found.tensor));
            }
        }
        let starts = offer.beginnings(&taken);
        let starts: Vec<String> = starts
            .map(|(output, input)| format!("{} = {}", key(output), quoted(input)))
            .collect();
        if starts.is_empty() {
            return String::new();
        }
        format!(
            "start = {{ {} }}   # guess: no argument is that input: the kernel reads it from the output's buffer\n",
            starts.join(", ")
        )
    }

    fn launch(
        &self,
        subject: &Subject<'_>,
        scratch: &BTreeSet<&str>,
        spelled: &BTreeSet<&str>,
    ) -> String {
        let kernel = subject.kernel;
        let plain = demangled(&kernel.name);
        let mut text = format!("symbol = {}\n", quoted(&subject.name));
        if plain != kernel.name && subject.name != plain {
            text += &format!("# {}\n", escaped(&plain));
        }
        let leaves = subject.leaves();
        let matches = match self.offer {
            Some(offer) => offer.matches(&leaves, scratch, spelled),
            None => vec![None; leaves.len()],
        };
        let token = |found: &Match| found.text.ends_with(&format!(" {TOKEN}"));
        if matches.iter().flatten().any(token) {
            text += "for = \"t in 0..T\"   # guess: a launch for each token\n";
        }
        text += "grid = [\"?\"]   # work-groups in x, y, z: formulas over the sizes, as in ceil(N / 64)\n";
        text += &block(kernel);
        let lds = kernel.lds_size;
        text += &match dynamic_lds(self.object, kernel) {
            true => format!("dynamic_lds = \"?\"   # bytes, beside {lds} of its own\n"),
            false if lds > 0 => format!("# {lds} bytes of LDS\n"),
            false => String::new(),
        };
        text += "args = [\n";
        let mut matches = matches.into_iter();
        for (position, arg) in subject.args.iter().enumerate() {
            argument(arg, &format!("{position}: "), 1, &mut matches, &mut text);
        }
        text + "]\n"
    }

    /// Lists the contract's tensors, and its choices that no argument mentions.
    fn foot(&self, order: &[usize], scratch: &BTreeSet<&str>, spelled: &BTreeSet<&str>) -> String {
        let Some(offer) = self.offer else {
            return String::new();
        };
        let tensors = offer.described.tensors().iter();
        let inputs = tensors.filter(|tensor| tensor.role == TensorUse::Input);
        let inputs: Vec<&str> = inputs.map(|tensor| tensor.name.as_str()).collect();
        let inputs = inputs.join(", ");
        let outputs: Vec<&str> = offer.outputs().into_iter().collect();
        let outputs = outputs.join(", ");
        let mut text = format!("# inputs: {inputs}; outputs: {outputs}\n");
        if self.starts(order, scratch, spelled).is_empty() {
            text += &in_place(offer.described);
        }
        let matches: Vec<String> = order
            .iter()
            .flat_map(|&at| offer.matches(&self.subjects[at].leaves(), scratch, spelled))
            .flatten()
            .map(|found| found.text)
            .collect();
        for (name, words) in offer.unsaid(&matches) {
            let first = words.first().copied().unwrap_or_default();
            let plain = first.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            let quote = if plain { "" } else { "'" };
            let words = words.join(" or ");
            text += &format!(
                "# {name} is {words}, and no argument says which: a kernel of one of them needs\n\
                 # when = \"{name} == {quote}{first}{quote}\"\n"
            );
        }
        text
    }
}

/// Returns the comment on the key `start`, for contracts with a state that a kernel may update in place.
fn in_place(described: &ContractTensors) -> String {
    // Some choices give the contract no initial state.
    let names = described.function.words.iter().map(|(name, _)| *name);
    let starts = described.choices().find_map(|words| {
        let words = names.clone().zip(words);
        let values = words.map(|(name, word)| (name.to_owned(), Value::Word(word)));
        let values = Values::new(values.collect());
        let begins = |state: String| {
            let inputs = described.beginnings(&values, &state);
            Some(format!("{} = {}", key(&state), quoted(inputs.first()?)))
        };
        let states = described.states(&values).into_iter();
        let starts: Vec<String> = states.filter_map(begins).collect();
        (!starts.is_empty()).then_some(starts)
    });
    starts.map_or(String::new(), |starts| {
        format!(
            "# a state that is read and written in one buffer: start = {{ {} }}\n",
            starts.join(", ")
        )
    })
}

fn block(kernel: &Kernel) -> String {
    match (
        kernel.required_work_group_size,
        kernel.max_flat_work_group_size,
    ) {
        (Some([x, y, z]), _) => {
            format!("block = [{x}, {y}, {z}]   # the kernel was compiled for this\n")
        }
        // Compilers take these limits if the source has no launch bounds.
        (None, most @ (256 | 1024)) => {
            format!("block = [\"?\"]   # work-items of a group: at most {most}\n")
        }
        (None, most) => format!(
            "block = [{most}]   # guess: the kernel was compiled for at most {most} work-items\n"
        ),
    }
}

/// Returns a binding's name for the type of a tensor's elements, by the type of the pointer in the source.
fn element(type_name: &str) -> Option<&'static str> {
    let plain = type_name.trim_start_matches("const ").trim_end_matches('*');
    let plain = plain.trim().to_ascii_lowercase();
    match plain.as_str() {
        "float" => Some("f32"),
        "double" => Some("f64"),
        "int" | "int32_t" => Some("i32"),
        "long" | "long long" | "long int" | "long long int" | "int64_t" => Some("i64"),
        name if name.contains("bf16") || name.contains("bfloat16") => Some("bf16"),
        name if name.contains("half") || name.contains("float16") => Some("f16"),
        _ => None,
    }
}

/// Writes the line of an argument, or the lines of a structure.
fn argument(
    arg: &Argument,
    place: &str,
    depth: usize,
    matches: &mut impl Iterator<Item = Option<Match>>,
    out: &mut String,
) {
    let indent = "    ".repeat(depth);
    let told = format!("{place}{}", escaped(&described(arg)));
    if let Contents::Structure(members) = &arg.holds {
        *out += &format!("{:<24} # {told}\n", format!("{indent}["));
        for member in members {
            let place = format!("at {}: ", member.offset);
            argument(member, &place, depth + 1, matches, out);
        }
        *out += &format!("{indent}],\n");
        return;
    }
    let found = matches.next().flatten();
    let note = match (&found, &arg.holds) {
        (_, Contents::Padding) => String::new(),
        (Some(Match { guess: None, .. }), _) => String::new(),
        (
            Some(Match {
                guess: Some(why), ..
            }),
            _,
        ) => format!("; guess: {why}"),
        (None, _) => "; ?".into(),
    };
    let text = found.map_or_else(|| placeholder(arg), |found| found.text);
    *out += &format!(
        "{:<24} # {told}{note}\n",
        format!("{indent}{},", quoted(&text))
    );
}

/// Returns the text for an argument that is matched with nothing.
fn placeholder(arg: &Argument) -> String {
    match &arg.holds {
        Contents::Pointer { .. } => "?".into(),
        Contents::Number(Some(kind)) => format!("{kind} ?"),
        Contents::Number(None) => format!("i{} ?", 8 * arg.size),
        _ => format!("raw {}", "00".repeat(arg.size.max(1) as usize)),
    }
}

/// Describes an argument by its type and name, as far as they are known.
fn described(arg: &Argument) -> String {
    let what = match (&arg.holds, arg.type_name.is_empty()) {
        (Contents::Padding, _) => return "bytes between members".into(),
        (Contents::Bytes | Contents::Structure(_), false) => {
            format!("{}, {} bytes", arg.type_name, arg.size)
        }
        (_, false) => arg.type_name.clone(),
        (Contents::Pointer { .. }, true) => "pointer".into(),
        (_, true) => format!("{} bytes", arg.size),
    };
    match arg.name.as_str() {
        "" => what,
        name => format!("{what} `{name}`"),
    }
}
