//! Laws that several contracts keep.

mod inverse;
mod rows;
mod sums;

use crate::contract::catalog::values;
use crate::contract::relation::{Closeness, Order, Relation, Step, heads, reversed, within_groups};
use crate::contract::{Value, Values};

pub use inverse::{
    INVERSE_IN_PLACE, INVERSE_OF_CHUNKS, INVERSE_OF_DIFFERENCE, INVERSE_OF_SUM, SOLVED,
};
pub use rows::{PARALLEL, UNIT};
pub use sums::{CHUNK_SUMS, LENGTHS, MASK, NOT_FALLING, OFFSETS, SUMS};

/// Returns the law that inputs twice as large make outputs twice as large, which is exact in floats.
pub const fn doubled(steps: [&'static [Step]; 2]) -> Relation {
    Relation::twice(
        "scaled-by-two",
        "with inputs twice as large that the formula is linear in, so are the outputs",
        steps,
        Closeness::Bits,
    )
    // Twice a huge value may be infinite.
    .when(|case| case.word(values::NAME) != Some(values::HUGE))
}

/// Returns the law that operands may be exchanged.
pub const fn commutes(steps: [&'static [Step]; 2]) -> Relation {
    Relation::twice(
        "operands-exchanged",
        "with the operands exchanged, the outputs are the same, or negated for a difference",
        steps,
        Closeness::Bits,
    )
}

/// Returns a law of a function applied twice: the second time undoes the first, or changes nothing.
pub const fn again(
    name: &'static str,
    says: &'static str,
    steps: [&'static [Step]; 2],
) -> Relation {
    Relation::twice(name, says, steps, Closeness::Bits)
}

/// Returns the law that a product transposed is the product of the transposed factors in reverse order.
pub const fn transposed(inputs: &'static [Step]) -> Relation {
    Relation::twice(
        "transposed-product",
        "the product of the transposed factors the other way round is the product transposed",
        [inputs, &[Step::Transposed(&["C"])]],
        Closeness::Tolerance,
    )
    .at(|case| case.exchanged("M", "N"), &[])
}

/// Returns the law that results at a position along an axis depend on the inputs at that position alone.
pub const fn moved(name: &'static str, says: &'static str, steps: &'static [Step]) -> Relation {
    // A kernel may sum in another order at another position.
    Relation::twice(name, says, [steps, steps], Closeness::Tolerance)
}

/// The law that sequences do not depend on each other.
pub const SEQUENCES: Relation = moved(
    "sequences-reversed",
    "with the sequences in reverse order, the outputs are, too: a sequence knows nothing of the others",
    &[Step::Moved(&[("*", "sequence")], reversed)],
)
.when(|case| case.get("B").or(case.get("N")).is_some_and(|n| n > 1));
/// The law that heads do not depend on each other.
pub const HEADS_REVERSED: Relation = moved(
    "heads-reversed",
    "with all heads in reverse order, the outputs are, too: a head knows nothing of the others",
    &[Step::Moved(&[("*", "head")], reversed)],
)
.when(|case| case.get("HV").or(case.get("H")).is_some_and(|n| n > 1));

/// The law that value heads that read the same keys may change places.
pub const HEADS_WITHIN_GROUPS: Relation = moved(
    "heads-within-groups",
    "with the value heads of each key head in reverse order, the outputs are, too: all of them read that key head",
    &[Step::Moved(&[("*", "head")], within_groups)],
)
.when(|case| heads(case).is_some_and(|(keys, all)| all > keys));

/// The order that repeats all places once.
pub const TWICE: Order = |_, places| (0..places).chain(0..places).collect();

impl Values {
    /// Returns the case with a changed whole number.
    pub(super) fn with(&self, name: &str, number: i64) -> Values {
        self.changed(|known| (known == name).then_some(number))
    }

    /// Returns the case with two whole numbers exchanged.
    pub(super) fn exchanged(&self, one: &str, other: &str) -> Values {
        self.changed(|known| match known {
            known if known == one => self.get(other),
            known if known == other => self.get(one),
            _ => None,
        })
    }

    fn changed(&self, number: impl Fn(&str) -> Option<i64>) -> Values {
        let value = |(name, value): (&str, &Value)| {
            let value = number(name).map_or_else(|| value.clone(), Value::Number);
            (name.to_owned(), value)
        };
        Values::new(self.iter().map(value).collect()).with_variant(self.variant())
    }
}
