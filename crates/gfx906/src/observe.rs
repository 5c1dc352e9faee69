//! Observers of a running dispatch: they see every instruction and change nothing ([`Observer`]).

pub mod costs;
mod coverage;
mod exchange;
mod footprint;
mod history;
mod nonfinite;
mod profile;
pub mod sanitize;
#[cfg(test)]
mod tests;
mod touched;
mod trace;
mod value;
mod witness;
mod writers;

pub use costs::Costs;
pub use coverage::Coverage;
pub use exchange::Exchange;
pub use footprint::{Footprint, FootprintLimit};
pub use history::{History, LONGEST_HISTORY, Leaf, Slice, SliceEdge, SliceLeaf, SliceNode};
pub use nonfinite::{Cause, NonFinite, Origin};
pub use profile::{Bytes, Profile, Space};
pub use trace::{Filter, Trace};
pub use witness::Witness;
pub use writers::Writers;

pub use crate::machine::{DispatchStart, Group, Nobody, Observer};
