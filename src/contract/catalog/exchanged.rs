//! The mistake of exchanging two arguments.

use crate::contract::{Buffer, Instance, Mistake};

/// The mistake's name in reports, for all arguments.
pub const NAME: &str = "arguments-exchanged";

/// Returns the mistake of exchanging two inputs. `compute` computes the output from the exchanged inputs. Inputs of different sizes have
/// no such mistake, because a kernel that reads the smaller input as the larger one runs past its end.
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
