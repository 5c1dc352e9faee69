//! The judgement of buffers and outputs after the launches.
//!
//! The order of judgement is guards, unchanged inputs ([`judge_buffers`]), then for each output poison, NaN and infinities, the golden
//! reference, the f64 oracle, and the relative RMS error against both ([`judge_output`]). The first check that fails gives the
//! problem. This room depends on no device and on no report format.
//!
//! Every comparison fails unless `error <= allowed`, so that NaN fails.

mod buffers;
mod damage;
mod guards;
mod hypotheses;
mod judge;
mod location;
mod metrics;
mod repeat;
mod trivial;
mod unwritten;

pub use buffers::{BufferAfter, judge_buffers};
pub use damage::ReferenceComparison;
pub use guards::check_between;
pub use hypotheses::{Alternative, ZERO, is_general_hypothesis};
pub use judge::{
    NamedInput, OutputCase, OutputLimits, OwnerOf, Unusable, compare_elements, judge_by,
    judge_output,
};
pub use location::pattern;
pub use repeat::judge_repeat;
pub use trivial::{POISON_LEFT, accepted_trivially, accepted_trivially_by};
