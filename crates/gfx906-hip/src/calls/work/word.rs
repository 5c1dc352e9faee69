//! Waits for memory words, and writes to them.

use std::time::Duration;

use crate::error::{HipError, HipResult};
use crate::objects::work::Word;
use crate::runtime::state;
use crate::sanitize;

/// Time between two looks at the word.
const PAUSE: Duration = Duration::from_micros(50);

/// Writes a word, or waits for its value. The wait ends after a failed kernel, since that kernel may have been meant to write the word.
pub fn run(word: &Word) -> HipResult {
    let gpu = state().gpu.clone();
    let lost = |_| HipError::InvalidValue;
    if word.test.is_none() {
        if let Some(heap) = sanitize::heap() {
            heap.written(word.address..word.address + word.bytes as u64);
        }
        let bytes = word.value.to_le_bytes();
        return gpu.write(word.address, &bytes[..word.bytes]).map_err(lost);
    }
    loop {
        let mut bytes = [0; 8];
        gpu.read(word.address, &mut bytes[..word.bytes])
            .map_err(lost)?;
        if word.passes(u64::from_le_bytes(bytes)) {
            return Ok(());
        }
        if let Some(failure) = state().device_failure() {
            return Err(failure);
        }
        std::thread::sleep(PAUSE);
    }
}
