//! Words of memory that a stream waits for, or writes.

use std::time::Duration;

use crate::error::{HipError, Outcome};
use crate::objects::work::Word;
use crate::runtime::state;
use crate::sanitize;

/// How long it is until the stream looks again.
const PAUSE: Duration = Duration::from_micros(50);

/// Writes a word, or waits until it is as it should be; not after a failed kernel, which may have been the one to write it.
pub fn run(word: &Word) -> Outcome {
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
        if let Some(failure) = state().dead() {
            return Err(failure);
        }
        std::thread::sleep(PAUSE);
    }
}
