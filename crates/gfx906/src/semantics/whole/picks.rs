//! Minima, maxima and medians of f16, in 16 bits.

use half::f16;

use super::rows::*;
use crate::semantics::Mode;
use crate::semantics::format::Format;

/// A pick among the ranks of f16 that are not NaN. Ranks are ordered like the numbers, with -0 below +0.
pub(in crate::semantics) trait Pick<const N: usize>: Copy {
    /// Picks a rank.
    fn pick(self, ranks: [i16; N]) -> i16;
}

/// Declares picks.
macro_rules! picks {
    ($( $(#[$doc:meta])* $name:ident[$($arg:ident),*; $n:literal] = $result:expr; )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub(in crate::semantics) struct $name;
        impl Pick<$n> for $name {
            #[inline(always)]
            fn pick(self, [$($arg),*]: [i16; $n]) -> i16 { $result }
        }
    )* };
}

picks! {
    /// The smaller operand.
    Min[a, b; 2] = a.min(b);
    /// The larger operand.
    Max[a, b; 2] = a.max(b);
    /// The smallest of three operands.
    Min3[a, b, c; 3] = a.min(b).min(c);
    /// The largest of three operands.
    Max3[a, b, c; 3] = a.max(b).max(c);
    /// The middle of three operands: the larger of the two that remain without the largest. If the largest is +0, -0 counts as the largest
    /// too.
    Med3[a, b, c; 3] = {
        let highest = a.max(b).max(c);
        let is_highest = |x: i16| (x == highest) | ((x == -1) & (highest == 0));
        let r = if is_highest(b) { a.max(c) } else { a.max(b) };
        if is_highest(a) { b.max(c) } else { r }
    };
}

/// Picks among consecutive f16, so that a vector has twice as many elements as lanes. Returns false if there is a NaN, or if the mode keeps
/// denormals in sources or in results alone.
#[inline(always)]
fn pick_all<const N: usize, const M: usize>(
    mode: Mode,
    sources: [&[u16; M]; N],
    to: &mut [u16; M],
    choice: impl Pick<N>,
) -> bool {
    if mode.denorm_in64 != mode.denorm_out64 {
        return false;
    }
    let mut greatest = 0;
    macro_rules! all {
        (|$half:ident| $source:expr) => {
            for l in 0..M {
                let mut ranks = [0; N];
                for (rank, source) in ranks.iter_mut().zip(sources) {
                    let $half = f16::from_bits(source[l]);
                    *rank = $source.rank();
                    greatest = (source[l] & 0x7fff).max(greatest);
                }
                let rank = choice.pick(ranks);
                // The rank of a rank is the number.
                to[l] = f16::from_bits(rank as u16).rank() as u16;
            }
        };
    }
    if mode.denorm_in64 {
        all!(|half| half);
    } else {
        all!(|half| half.flushed());
    }
    greatest <= 0x7c00
}

/// Picks among packed f16. Returns false if the scalar function must decide.
#[inline(always)]
pub(in crate::semantics) fn packed_pick<const WIDTH: usize, const N: usize>(
    mode: Mode,
    sources: [&Register; N],
    to: &mut Register,
    choice: impl Pick<N>,
) -> bool {
    let to = bytemuck::cast_mut::<Register, [u16; 2 * LANES]>(to);
    pick_all(mode, all_halves(sources), to, choice)
}

/// Picks among f16 in the low halves of registers. Returns false if the scalar function must decide.
#[inline(always)]
pub(in crate::semantics) fn single_pick<const WIDTH: usize, const N: usize>(
    mode: Mode,
    sources: [&Register; N],
    to: &mut Register,
    choice: impl Pick<N>,
) -> bool {
    let sources = all_low_halves(sources);
    let mut results = Row([0; LANES]);
    let done = pick_all(mode, row_refs(&sources), &mut results.0, choice);
    store_halves(&results.0, to);
    done
}
