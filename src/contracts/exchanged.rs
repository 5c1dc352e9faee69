//! Arguments handed over in each other's place: what the output is then.

use crate::contract::{Buffer, Instance, Mistake};

/// The name under which reports know it, whichever arguments those are.
pub const NAME: &str = "arguments-exchanged";

/// The mistake of exchanging two inputs, with what is then computed of what stands in their places. There is none where they differ in
/// size: a kernel that reads the smaller one for the larger runs past its end.
pub fn inputs(
    t: &Instance<'_>,
    [a, b]: [Buffer; 2],
    explanation: &'static str,
    compute: impl Fn(&[f64], &[f64]) -> Vec<f64> + Send + Sync + 'static,
) -> Vec<Mistake> {
    let [a, b] = [a, b].map(|buffer| t.wide(buffer));
    let alike = a.len() == b.len();
    let mistake = || Mistake::new(NAME, explanation, move || compute(&b, &a));
    alike.then(mistake).into_iter().collect()
}
