//! Checks of a binding's states: buffers that begin as an input, and types too narrow to carry a state from step to
//! step.

use super::formula::Trouble;
use super::resolve::{Call, Resolution};
use super::scope::TensorShape;
use super::{Binding, FileValue};
use crate::files::FileError;
use crate::text::nearest;

impl Binding {
    /// Checks that every `start` entry maps an output to an input.
    pub(super) fn starts_fit(&self, outputs: &[&str]) -> Result<(), FileError> {
        let is_output = |name: &FileValue<String>| outputs.contains(&name.value.as_str());
        for (output, input) in &self.starts {
            if !is_output(output) {
                let title = format!("`{}` is no output", output.value);
                let near = nearest(&output.value, outputs.iter().copied(), 1);
                let help = match near.first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("the outputs are {}", outputs.join(", ")),
                };
                let trouble = Trouble::new(&(0..0), title, help);
                return Err(self.source.error(&output.span, trouble));
            }
            if is_output(input) {
                let title = format!("`{}` is an output, and holds nothing yet", input.value);
                return self.complain(&input.span, title, "name an input");
            }
        }
        Ok(())
    }

    /// Refuses to judge kernels that keep a state in fewer bits than the contract does. A state that is rounded at each
    /// token or launch carries the rounding into the next step. The references do not round there, so a right kernel
    /// would fail. `states` are the contract's tensors that kernels write and that hold states, `contract` its tensors
    /// in its own types.
    ///
    /// # Errors
    /// A state, or scratch that hands states from one launch to another, is of a narrower type.
    pub fn keeps_states(
        &self,
        (contract, states): (&[TensorShape], &[String]),
        resolved: &Resolution,
    ) -> Result<(), FileError> {
        const HELP: &str = "keep states in f32; contracts do not have a type for states yet";
        let of = |name: &str| contract.iter().find(|shape| shape.name == name);
        let states = || states.iter().filter_map(|name| of(name));
        for (name, kind) in &self.types {
            let state = states().find(|state| state.name == name.value);
            if state.is_some_and(|state| kind.size() < state.kind.size()) {
                let title = format!(
                    "`{}` holds states: in {} a right kernel fails, so this binding is not judged",
                    name.value,
                    kind.name()
                );
                let trouble = Trouble::new(&(0..0), title, HELP);
                return Err(self.source.error(&name.span, trouble));
            }
        }
        let Resolution::Launches(calls) = resolved else {
            return Ok(());
        };
        for scratch in &self.scratch {
            let name = &scratch.name.value;
            let handed = |call: &&Call| call.slots.iter().any(|slot| slot.place.tensor == *name);
            let holds = |state: &TensorShape| {
                state.kind.is_float() && scratch.kind.size() < state.kind.size() && {
                    let channels = state
                        .axes
                        .iter()
                        .filter(|axis| axis.name.ends_with("channel"));
                    let mut sizes = scratch.sizes();
                    let mut channels = channels.map(|axis| {
                        let at = sizes.iter().position(|size| *size == axis.symbol);
                        at.map(|at| sizes.swap_remove(at)).is_some()
                    });
                    channels.next().is_some_and(|first| first) && channels.all(|found| found)
                }
            };
            if states().any(holds) && calls.iter().filter(handed).count() > 1 {
                let title = format!(
                    "`{name}` hands states on in {}: a right kernel fails, so this binding is not judged",
                    scratch.kind.name()
                );
                let trouble = Trouble::new(&(0..0), title, HELP);
                return Err(self.source.error(&scratch.name.span, trouble));
            }
        }
        Ok(())
    }
}
