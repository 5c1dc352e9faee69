//! Names that a binding's formulas mention. If no formula mentions a convention, the kernels were not written for that
//! convention.

use super::formula::{Formula, Node};
use super::{ArgSpec, Binding, DeclaredTensor, FileValue, LaunchSpec, Loop, Step};
use crate::contract::Values;

impl Binding {
    /// Returns a convention that a case departs from and that the binding never mentions.
    pub(super) fn unaware_of(&self, values: &Values) -> Option<&'static str> {
        let conventions = self.function.domain.conventions.iter();
        let mut named = conventions.map(|(name, _)| *name);
        named.find(|name| values.word(name).is_some() && !self.mentions(name))
    }

    /// Returns true if a launch gets a tensor, itself or as a part of a buffer, or if the binding takes values of it.
    pub fn uses(&self, tensor: &str) -> bool {
        let part = |part: &FileValue<String>| part.value == tensor;
        let started = self.starts.iter().any(|(_, from)| part(from));
        let held = self.buffers.iter().any(|(_, parts)| parts.iter().any(part));
        // A tensor with the name of a size or choice is quoted, as a word.
        let quoted = |launch: &&LaunchSpec| {
            let mut arguments = launch.args.value.iter();
            arguments.any(|argument| points_to(&argument.value, tensor))
        };
        started || held || self.mentions(tensor) || self.launches().iter().any(quoted)
    }

    /// Returns true if a launch gets a tensor itself, at least in some cases.
    pub fn points_at(&self, tensor: &str) -> bool {
        let points = |launch: &LaunchSpec| {
            let mut arguments = launch.args.value.iter();
            arguments.any(|argument| match &argument.value {
                ArgSpec::Pointer(formula) => in_formula(formula, tensor),
                other => points_to(other, tensor),
            })
        };
        self.launches().iter().any(|launch| points(launch))
    }

    fn mentions(&self, name: &str) -> bool {
        let lets = self.lets.iter().map(|(_, formula)| formula);
        let converted = self.converted.iter().map(|(_, formula)| formula);
        let pitches = self
            .layouts
            .iter()
            .filter_map(|(_, layout)| layout.pitch.as_ref());
        let indices = self.indices.iter();
        let formulas = indices.clone().map(|index| &index.formula);
        let declared = self
            .scratch
            .iter()
            .chain(indices.map(|index| &index.declared));
        let lengths = declared.flat_map(|declared| &declared.lengths);
        let varied = self.varied.iter().flat_map(|(_, formulas)| formulas);
        let own = self.when.iter().chain(lets).chain(varied);
        let own = own.chain(converted);
        any(own.chain(pitches).chain(lengths).chain(formulas), name)
            || self.steps.iter().any(|step| in_step(step, name))
    }
}

impl DeclaredTensor {
    /// Returns the names in the formulas of its lengths, once for each occurrence.
    pub(super) fn sizes(&self) -> Vec<String> {
        let mut names = Vec::new();
        let lengths = self.lengths.iter();
        lengths.for_each(|length| length.value.collect_names(&mut names));
        names
    }
}

fn any<'a>(formulas: impl IntoIterator<Item = &'a FileValue<Formula>>, name: &str) -> bool {
    let mut formulas = formulas.into_iter();
    formulas.any(|formula| in_formula(&formula.value, name))
}

fn in_step(step: &Step, name: &str) -> bool {
    match step {
        Step::Launch(launch) => in_launch(launch, name),
        Step::Group(group) => {
            any(&group.when, name)
                || in_loop(group.each.as_ref(), name)
                || group.steps.iter().any(|step| in_step(step, name))
        }
    }
}

fn in_launch(launch: &LaunchSpec, name: &str) -> bool {
    let sizes = launch.grid.iter().chain(&launch.block);
    let owners = launch.owners.iter().flat_map(|(_, sides)| sides);
    let own = sizes.chain(&launch.dynamic_lds).chain(&launch.when);
    let mut symbol = launch.symbol.value.formulas();
    any(own.chain(owners), name)
        || in_loop(launch.each.as_ref(), name)
        || symbol.any(|formula| in_formula(formula, name))
        || launch
            .args
            .value
            .iter()
            .any(|argument| in_argument(&argument.value, name))
}

fn in_loop(each: Option<&FileValue<Loop>>, name: &str) -> bool {
    each.is_some_and(|each| in_formula(&each.value.from, name) || in_formula(&each.value.to, name))
}

fn in_argument(argument: &ArgSpec, name: &str) -> bool {
    match argument {
        ArgSpec::Pointer(formula)
        | ArgSpec::Scalar(_, formula)
        | ArgSpec::FastDivision(formula) => in_formula(formula, name),
        ArgSpec::Raw(_) => false,
        ArgSpec::Struct(members) => members
            .iter()
            .any(|member| in_argument(&member.value, name)),
    }
}

/// Returns true if an argument is a pointer to a tensor whose name is quoted.
fn points_to(argument: &ArgSpec, tensor: &str) -> bool {
    match argument {
        ArgSpec::Pointer(formula) => has_word(formula, tensor),
        ArgSpec::Struct(members) => members
            .iter()
            .any(|member| points_to(&member.value, tensor)),
        ArgSpec::Scalar(..) | ArgSpec::FastDivision(_) | ArgSpec::Raw(_) => false,
    }
}

fn has_word(formula: &Formula, word: &str) -> bool {
    match &formula.node {
        Node::Word(known) => known == word,
        Node::Binary(_, left, right) => has_word(left, word) || has_word(right, word),
        Node::Choice(_, first, second) => has_word(first, word) || has_word(second, word),
        _ => false,
    }
}

fn in_formula(formula: &Formula, name: &str) -> bool {
    match &formula.node {
        Node::Integer(_) | Node::Float(_) | Node::Word(_) => false,
        Node::Name(known) => known == name,
        Node::Negative(of) | Node::Not(of) => in_formula(of, name),
        Node::Binary(_, left, right) => in_formula(left, name) || in_formula(right, name),
        Node::Choice(a, b, c) => [a, b, c].into_iter().any(|part| in_formula(part, name)),
        Node::Call(_, arguments) | Node::Index(_, arguments) => {
            arguments.iter().any(|argument| in_formula(argument, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binding::parse;
    use crate::contract::Value;

    fn binding(more: &str) -> Binding {
        let text = format!(
            "schema = 1\n[[binding]]\ncontract = \"gdn_recurrent\"\n{more}\nsymbol = \"x\"\ngrid = [1]\nblock = [64]\nargs = [\"q\", \"i32 K\"]\n"
        );
        parse("t", &text).expect("a binding").remove(0)
    }

    #[test]
    fn a_quoted_tensor_is_handed_over_and_no_choice() {
        for argument in [
            "'written'",
            "padding == none ? null : 'written'",
            "'written' + bytes(q)",
        ] {
            let text = format!(
                "schema = 1\n[[binding]]\ncontract = \"gdn_conv\"\nsymbol = \"x\"\ngrid = [1]\nblock = [64]\nargs = [\"{argument}\"]\n"
            );
            let binding = parse("t", &text).expect("a binding").remove(0);
            assert!(
                binding.uses("written") && !binding.uses("read"),
                "{argument}"
            );
            assert!(!binding.mentions("written"), "{argument}");
        }
    }

    #[test]
    fn a_convention_that_no_formula_mentions_is_not_the_bindings() {
        let named = |word| Values::new(vec![("gate_kind".to_owned(), Value::Word(word))]);
        let silent = binding("");
        assert_eq!(silent.unaware_of(&named("factor")), Some("gate_kind"));
        assert_eq!(silent.unaware_of(&Values::default()), None);
        let asks = "gate_kind == log ? 0 : 1";
        for more in [
            "when = \"gate_kind != factor\"",
            "let = { kind = \"gate_kind == log ? 0 : 1\" }",
            "vary = { kind = [\"0\", \"gate_kind == log ? 0 : 1\"] }",
            "tensors = { kind = \"i32[1] = gate_kind == log ? 0 : 1\" }",
        ] {
            assert_eq!(binding(more).unaware_of(&named("factor")), None, "{more}");
        }
        let launch = |symbol: &str, more: &str| {
            let text = format!(
                "schema = 1\n[[binding]]\ncontract = \"gdn_recurrent\"\nsymbol = \"{symbol}\"\n\
                 grid = [1]\nblock = [64]\nargs = [\"q\", \"i32 K\"]\n{more}\n"
            );
            parse("t", &text).expect("a binding").remove(0)
        };
        let owner = format!("owner.o = [\"{asks}\"]");
        for aware in [launch(&format!("x{{{asks}}}"), ""), launch("x", &owner)] {
            assert_eq!(aware.unaware_of(&named("factor")), None);
        }
        // The text of a name is no formula.
        let spelled = launch("x_gate_kind", "");
        assert_eq!(spelled.unaware_of(&named("factor")), Some("gate_kind"));
        let refused = silent.refuses(&named("factor")).expect("no formula fails");
        assert_eq!(
            refused.as_deref(),
            Some("its binding says nothing of gate_kind")
        );
    }
}
