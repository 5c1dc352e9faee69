//! Wrong elements that come from unwritten memory, LDS or registers.

use gfx906::machine::Poison;

use crate::report::model::{UnwrittenSource, UnwrittenStorage};
use crate::tensor::{Element, poison};

/// Counts the wrong elements that come from unwritten storage, by the kind of storage.
pub fn sources<E: Element>(got: &[E], wrong: &[bool]) -> Vec<UnwrittenSource> {
    let found = got.iter().zip(wrong).filter(|&(_, &wrong)| wrong);
    let found: Vec<Poison> = found
        .filter_map(|(&value, _)| poison::source(value))
        .collect();
    let of = |poison: Poison| UnwrittenSource {
        what: match poison {
            Poison::Register => UnwrittenStorage::Register,
            Poison::Lds => UnwrittenStorage::Lds,
            Poison::Scratch => UnwrittenStorage::Scratch,
            Poison::Memory => UnwrittenStorage::Memory,
        },
        count: found.iter().filter(|&&other| other == poison).count(),
    };
    let each = Poison::ALL.into_iter().map(of);
    each.filter(|unwritten| unwritten.count > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_wrong_elements_are_counted_by_what_nobody_wrote() {
        let lds = f32::from_bits(Poison::Lds.word());
        let register = f32::from_bits(Poison::Register.word());
        let got = [1.0, lds, register, lds + 1.0, lds, f32::NAN];
        let wrong = [true, true, true, true, false, true];
        let unwritten = |what, count| UnwrittenSource { what, count };
        assert_eq!(
            sources(&got, &wrong),
            [
                unwritten(UnwrittenStorage::Register, 1),
                unwritten(UnwrittenStorage::Lds, 2),
            ]
        );
    }
}
