//! Results of references, kept for cases that come again.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};

/// The most elements of results that are kept: 256 MiB.
const KEPT: usize = 1 << 25;

/// The hash of a request.
pub(super) type Key = [u8; 32];

/// The elements of each output of a case.
pub(super) type Outputs = Vec<Vec<f64>>;

/// Results by the hash of their request, the oldest first.
#[derive(Default)]
pub(super) struct Results(Mutex<VecDeque<(Key, Outputs)>>);

impl Results {
    /// Returns the hash of a request: its words, and the elements of its arrays.
    pub fn key(words: &[u8], elements: impl Iterator<Item = f64>) -> Key {
        let mut hash = Sha256::new();
        hash.update((words.len() as u64).to_le_bytes());
        hash.update(words);
        elements.for_each(|element| hash.update(element.to_le_bytes()));
        hash.finalize().into()
    }

    /// Returns the results of a request, if they are kept.
    pub fn get(&self, key: &Key) -> Option<Outputs> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().find(|(known, _)| known == key);
        found.map(|(_, outputs)| outputs.clone())
    }

    /// Keeps the results of a request, and forgets the oldest if they become too many.
    pub fn keep(&self, key: Key, outputs: &Outputs) {
        let count = |outputs: &Outputs| -> usize { outputs.iter().map(Vec::len).sum() };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back((key, outputs.clone()));
        let mut all: usize = kept.iter().map(|(_, outputs)| count(outputs)).sum();
        while all > KEPT
            && let Some((_, oldest)) = kept.pop_front()
        {
            all -= count(&oldest);
        }
    }
}
