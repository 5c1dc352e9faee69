//! The mutants of a campaign: all, or some of each function, drawn from the seed.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

use super::operators::{Change, Operator, changes};
use super::sites::Function;

/// A mutant: one instruction of a function, changed.
#[derive(Clone, Debug)]
pub(super) struct Mutant {
    /// Link address of the instruction.
    pub address: u64,
    /// The change that makes the mutant.
    pub change: Change,
}

/// Draws `count` mutants of a function's instructions for which `wanted` is true; all mutants if `count` is 0.
///
/// An instruction and an operator are drawn first, and one of the operator's changes second. So an instruction with many changes is not
/// drawn more often.
pub(super) fn mutants(
    function: &Function,
    operators: &[Operator],
    count: usize,
    seed: u64,
    wanted: impl Fn(u64) -> bool,
) -> Vec<Mutant> {
    let mut rng = stream(seed, &function.name);
    let mut groups: Vec<Vec<Mutant>> = Vec::new();
    for (address, inst) in &function.instructions {
        if !wanted(*address) {
            continue;
        }
        let mut all = changes(inst, function.registers);
        all.retain(|change| operators.contains(&change.operator));
        all.sort_by_key(|change| change.operator);
        for group in all.chunk_by(|a, b| a.operator == b.operator) {
            let group = group.iter().map(|change| Mutant {
                address: *address,
                change: change.clone(),
            });
            groups.push(group.collect());
        }
    }
    if count == 0 {
        return groups.concat();
    }
    let mut drawn: Vec<Mutant> = Vec::new();
    while drawn.len() < count && !groups.is_empty() {
        let group = below(&mut rng, groups.len());
        let member = below(&mut rng, groups[group].len());
        drawn.push(groups[group].swap_remove(member));
        if groups[group].is_empty() {
            groups.swap_remove(group);
        }
    }
    drawn.sort_by_key(|mutant| (mutant.address, mutant.change.operator));
    drawn
}

/// Returns the random numbers of a function. They do not depend on the other functions of the code object.
fn stream(seed: u64, name: &str) -> ChaCha8Rng {
    let mut digest = Sha256::new();
    digest.update(seed.to_le_bytes());
    digest.update(name.as_bytes());
    ChaCha8Rng::from_seed(digest.finalize().into())
}

fn below(rng: &mut ChaCha8Rng, count: usize) -> usize {
    (rng.next_u64() % count as u64) as usize
}
