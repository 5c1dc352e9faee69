//! The judgement of buffers and outputs after the launches.
//!
//! The order of judgement follows. The first check that fails gives the verdict's reason:
//! guards, inputs unchanged ([`judge_buffers`]), then for each output poison left, NaN and infinities,
//! the golden reference, the f64 oracle ([`judge_output`]). Nothing here knows a device or a report format.
//!
//! Every comparison is written as "fails unless error <= allowed", so that NaN fails.

mod buffers;
mod damage;
mod element;
pub mod guards;
mod hypotheses;
mod judge;
mod location;
mod metrics;
pub mod poison;
mod repeat;
mod tensor;
mod trivial;

pub use buffers::{BufferAfter, judge_buffers};
pub use damage::ReferenceComparison;
pub(crate) use element::with_element;
pub use element::{Element, ElementKind, decode, encode};
pub use hypotheses::Alternative;
pub use judge::{NamedInput, OutputCase, OutputLimits, OwnerOf, Unusable, judge_by, judge_output};
pub use location::pattern;
pub use repeat::judge_repeat;
pub use tensor::index;
pub use trivial::{POISON_LEFT, accepted_trivially, accepted_trivially_by};
