//! A part of a run. The hash of a case's id decides which part has the case.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::run::SelectedCase;

/// The largest number of parts, more than any fleet needs.
const MAX_PARTS: usize = 100_000;

/// Part `number` of `parts`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The number of the part, from 1.
    pub number: usize,
    /// The number of parts.
    pub parts: usize,
}

/// A text that is no part.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("write K/N, as in 2/4: part K of N, from 1/N to N/N")]
pub struct NoPart;

impl FromStr for Part {
    type Err = NoPart;

    fn from_str(text: &str) -> Result<Part, NoPart> {
        let numbers = text
            .split_once('/')
            .and_then(|(number, parts)| Some((number.parse().ok()?, parts.parse().ok()?)));
        match numbers {
            Some((number, parts)) if (1..=parts).contains(&number) && parts <= MAX_PARTS => {
                Ok(Part { number, parts })
            }
            _ => Err(NoPart),
        }
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.parts)
    }
}

impl Part {
    /// Returns the positions of this part's cases among the selected cases.
    pub fn positions(self, selected: &[SelectedCase<'_>]) -> Vec<usize> {
        let positions = 0..selected.len();
        positions
            .filter(|&position| self.has(&selected[position].case.id))
            .collect()
    }

    /// Returns true if the case with an id is in this part. The hash of the id modulo the number of parts
    /// is the number of the part less 1. The hash is the first eight bytes of the id's SHA-256,
    /// little-endian. Every machine computes the same hash, so machines that run parts need not talk to
    /// each other.
    fn has(self, id: &str) -> bool {
        let digest: [u8; 32] = Sha256::digest(id).into();
        let hash = u64::from_le_bytes(std::array::from_fn(|at| digest[at]));
        hash % self.parts as u64 + 1 == self.number as u64
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_that_is_no_part_is_refused() {
        assert_eq!(
            "2/4".parse(),
            Ok(Part {
                number: 2,
                parts: 4
            })
        );
        for text in [
            "",
            "1",
            "0/4",
            "5/4",
            "1/0",
            "a/b",
            "1/2/3",
            "-1/2",
            "1/1000000",
        ] {
            assert!(text.parse::<Part>().is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_case_is_in_one_part(id in ".{0,40}", parts in 1_usize..20) {
            let holding = (1..=parts).filter(|&number| Part { number, parts }.has(&id));
            prop_assert_eq!(holding.count(), 1);
        }
    }

    /// An id is in the same part on every machine. `printf mul | sha256sum` shows its hash.
    #[test]
    fn the_part_of_an_id_is_known() {
        for (id, number) in [("mul", 2), ("add", 3), ("gemm_nn:M=128,N=64,K=64", 1)] {
            let part = (1..=4).find(|&number| Part { number, parts: 4 }.has(id));
            assert_eq!(part, Some(number), "{id}");
        }
    }
}
