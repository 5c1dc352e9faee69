//! The number of elements of a contract's tensor as a function of the case.

use crate::binding::formula::{Formula, Node, parse};
use crate::binding::{DescribedTensor, Scope};
use crate::contract::{Function, Values};

/// The lengths of a tensor's axes as parsed formulas.
#[derive(Clone, Debug)]
pub struct Lengths {
    function: &'static Function,
    axes: Vec<Formula>,
}

impl Lengths {
    /// Returns the lengths of a tensor; nothing if an axis has no known formula.
    pub fn of(function: &'static Function, tensor: &DescribedTensor) -> Option<Lengths> {
        let axis = |symbol: Option<&str>| parse(symbol?).ok();
        let axes = tensor.axes.iter().map(|one| axis(one.length.as_deref()));
        let axes = axes.collect::<Option<Vec<_>>>()?;
        Some(Lengths { function, axes })
    }

    /// Returns true if the lengths depend on a size.
    pub fn names(&self, size: &str) -> bool {
        self.axes.iter().any(|axis| names(axis, size))
    }

    /// Returns the number of elements in a case; none if a length is not a natural number, or the product overflows.
    pub fn count(&self, values: &Values) -> Option<u64> {
        let scope = Scope::new(self.function, values, &[], &[]);
        self.axes.iter().try_fold(1u64, |count, axis| {
            let length = scope.number(axis).ok()?.integer().ok()?;
            count.checked_mul(u64::try_from(length).ok()?)
        })
    }
}

/// Returns true if a name is part of a formula.
fn names(formula: &Formula, name: &str) -> bool {
    match &formula.node {
        Node::Integer(_) | Node::Float(_) | Node::Word(_) => false,
        Node::Name(own) => own == name,
        Node::Negative(of) | Node::Not(of) => names(of, name),
        Node::Binary(_, left, right) => names(left, name) || names(right, name),
        Node::Choice(a, b, c) => [a, b, c].into_iter().any(|part| names(part, name)),
        Node::Call(_, arguments) | Node::Index(_, arguments) => {
            arguments.iter().any(|part| names(part, name))
        }
    }
}
