//! The number of cases that each binding of a user runs, and the reasons why it runs none.

use crate::binding::{self, Binding, ContractTensors, TensorUse};
use crate::contract::Values;
use crate::run::{RunError, SelectedCase};
use crate::text::{counted_reasons, escaped};
use crate::trial::Bound;

use super::{Bindings, Selection, SkipReason};

/// The number of cases of each binding of a user, over one seed or several.
#[derive(Default)]
pub struct BindingUsage {
    /// The counts of each binding, in the order of the files.
    counts: Vec<Counts>,
}

/// The cases of a binding.
#[derive(Default)]
struct Counts {
    /// The number of cases that the binding runs.
    run: usize,
    /// The reason of each case that the binding is for and that is skipped.
    reasons: Vec<String>,
    /// The number of cases of its tests that another binding runs.
    elsewhere: usize,
    /// Inputs of a case that it runs which no launch gets.
    unused: Vec<String>,
}

impl BindingUsage {
    /// Counts the selected cases of a seed.
    pub fn add(
        &mut self,
        bindings: &Bindings,
        selected: &[SelectedCase<'_>],
        bound: &[Result<Bound<'_>, SkipReason>],
    ) {
        self.counts
            .resize_with(bindings.iter().count(), Counts::default);
        for (entry, bound) in selected.iter().zip(bound) {
            for ((binding, tensors), counts) in bindings.iter().zip(&mut self.counts) {
                match bound {
                    Ok(bound) if !std::ptr::eq(bound.binding, binding) => {
                        counts.elsewhere += usize::from(binding.is_for(entry.test));
                    }
                    Ok(_) => {
                        counts.run += 1;
                        if counts.run == 1 {
                            counts.unused = unused_inputs(binding, tensors, &entry.case.values);
                        }
                    }
                    Err(reason) if binding.is_for(entry.test) => {
                        counts.reasons.push(reason.to_string());
                    }
                    Err(_) => {}
                }
            }
        }
    }

    /// Returns a warning for each binding that is for no selected case. Of a selection by name, a binding needs no case if another binding
    /// runs cases of the same tests.
    ///
    /// # Errors
    /// A binding is for selected cases, and all of them are skipped.
    pub fn check(
        &self,
        bindings: &Bindings,
        selection: Selection<'_>,
    ) -> Result<Vec<String>, RunError> {
        let mut warnings = Vec::new();
        for ((binding, _), counts) in bindings.iter().zip(&self.counts) {
            let name = describe_binding(binding);
            match (counts.run, counts.reasons.len()) {
                (1.., _) => {}
                (0, 0) if counts.elsewhere > 0 && !selection.is_whole() => {}
                (0, 0) => warnings.push(format!(
                    "warning: {name} is not used: no selected case is for it\n  \
                     loosen --test, --phase or --kernel, or leave the binding out"
                )),
                (0, skipped) => {
                    let mut message =
                        format!("no case of {name} can run: all {skipped} are skipped");
                    for (count, reason) in counted_reasons(counts.reasons.iter()) {
                        message += &format!("\n  {count}: {}", escaped(reason));
                    }
                    message +=
                        "\n  bind what these cases need, or select cases that the binding is for";
                    return Err(RunError::Unusable(message));
                }
            }
        }
        Ok(warnings)
    }

    /// Returns a warning for each input that a binding hands to no launch. Right kernels may leave out an input that does not matter in
    /// the selected cases, so the warnings are for runs that failed. If causes of the failures are known, they are for the inputs that a
    /// cause names.
    pub fn unused_inputs(&self, bindings: &Bindings, causes: &[String]) -> Vec<String> {
        let all = bindings.iter().zip(&self.counts);
        let concerns = |input: &&String| {
            let name = format!("`{input}`");
            causes.is_empty() || causes.iter().any(|cause| cause.contains(&name))
        };
        let warning = |binding: &Binding, input: &String| {
            let name = describe_binding(binding);
            format!(
                "warning: {name} hands the input `{input}` to no launch\n  \
                 add `{input}` to the `args` of the kernel that should read it"
            )
        };
        all.flat_map(|((binding, _), counts)| {
            let unused = counts.unused.iter().filter(concerns);
            unused.map(move |input| warning(binding, input))
        })
        .collect()
    }
}

/// Returns the inputs of a case that a binding neither hands to a launch nor takes values of. Inputs of one element are left out, because
/// kernels may have them as constants.
fn unused_inputs(binding: &Binding, tensors: &ContractTensors, values: &Values) -> Vec<String> {
    let all = tensors.tensors_at(values);
    let all = all.iter().flat_map(|tensors| tensors.iter());
    all.filter(|tensor| {
        let alone = tensor
            .axes
            .iter()
            .all(|axis| axis.length.as_deref() == Some("1"));
        tensor.role == TensorUse::Input
            && !alone
            && !binding.uses(&tensor.name)
            && is_needed(binding, &tensor.name)
    })
    .map(|tensor| tensor.name.clone())
    .collect()
}

/// Returns false if the built-in kernels of the contract do without an input: a step gets what other steps made of it.
fn is_needed(binding: &Binding, input: &str) -> bool {
    let built_in = binding::built_in().unwrap_or_default().iter();
    let mut of_contract = built_in
        .filter(|known| known.function.name == binding.function.name)
        .peekable();
    of_contract.peek().is_none() || of_contract.any(|known| known.uses(input))
}

/// Returns the words for a binding in a message.
fn describe_binding(binding: &Binding) -> String {
    let named = binding.name.as_deref();
    let named = named.map_or(String::new(), |name| format!(" `{}`", escaped(name)));
    let contract = binding.function.name;
    format!(
        "the binding{named} of `{contract}` in {}",
        binding.source.name
    )
}
