//! The number of cases that each binding of a user runs, and the reasons why it runs none.

use crate::binding::Binding;
use crate::run::{RunError, SelectedCase};
use crate::text::{counted_reasons, escaped};
use crate::trial::Bound;

use super::{Bindings, SkipReason};

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
            for ((binding, _), counts) in bindings.iter().zip(&mut self.counts) {
                match bound {
                    Ok(bound) => counts.run += usize::from(std::ptr::eq(bound.binding, binding)),
                    Err(reason) if binding.is_for(entry.test) => {
                        counts.reasons.push(reason.to_string());
                    }
                    Err(_) => {}
                }
            }
        }
    }

    /// Returns a warning for each binding that is for no selected case.
    ///
    /// # Errors
    /// A binding is for selected cases, and all of them are skipped.
    pub fn check(&self, bindings: &Bindings) -> Result<Vec<String>, RunError> {
        let mut warnings = Vec::new();
        for ((binding, _), counts) in bindings.iter().zip(&self.counts) {
            let name = describe_binding(binding);
            match (counts.run, counts.reasons.len()) {
                (1.., _) => {}
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
