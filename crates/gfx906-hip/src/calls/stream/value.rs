//! Words of memory that streams wait for or write.

use crate::boundary::{Address, In};
use crate::calls::work::{MemoryPlace, place};
use crate::calls::{capture, submit};
use crate::error::{HipError, HipResult};
use crate::objects::work::{Word, WordCondition, Work};

/// `hipStreamBatchMemOpParams` of a wait or a write.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Operation {
    kind: u32,
    address: Address,
    value: u64,
    flags: u32,
    alias: Address,
    rest: u64,
}

/// Checks that HIP knows the memory of all words, then submits the operations on them.
pub fn give(stream: Address, words: &[Word]) -> HipResult {
    let lane = submit::lane(stream)?;
    for word in words {
        let aligned = word.address.is_multiple_of(word.bytes as u64);
        if !aligned || place(word.address, word.bytes as u64)? == MemoryPlace::Host {
            return Err(HipError::InvalidValue);
        }
    }
    if capture::find_by_lane(lane)?.is_some() {
        capture::spoil(lane);
        return Err(HipError::StreamCaptureUnsupported);
    }
    words
        .iter()
        .try_for_each(|&word| submit::submit(stream, Work::Word(word)))
}

/// Returns a wait for a word.
pub fn to_wait(
    address: Address,
    value: u64,
    flags: u32,
    mask: u64,
    bytes: usize,
) -> HipResult<Word> {
    let tests = [
        WordCondition::AtLeast,
        WordCondition::Equal,
        WordCondition::And,
        WordCondition::Nor,
    ];
    let test = tests.get(flags as usize).copied();
    Ok(Word {
        address,
        bytes,
        value,
        test: Some(test.ok_or(HipError::InvalidValue)?),
        mask,
    })
}

/// Returns a write of a word.
pub fn to_write(address: Address, value: u64, flags: u32, bytes: usize) -> HipResult<Word> {
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    Ok(Word {
        address,
        bytes,
        value,
        test: None,
        mask: u64::MAX,
    })
}

impl Operation {
    fn word(&self) -> HipResult<Word> {
        const WAIT_32: u32 = 1;
        const WRITE_32: u32 = 2;
        const WAIT_64: u32 = 4;
        const WRITE_64: u32 = 5;
        /// Operations that HIP names but this runtime does not support.
        const FLUSH: u32 = 3;
        const BARRIER: u32 = 6;
        let low = self.value & u64::from(u32::MAX);
        match self.kind {
            WAIT_32 => to_wait(self.address, low, self.flags, u32::MAX.into(), 4),
            WRITE_32 => to_write(self.address, low, self.flags, 4),
            WAIT_64 => to_wait(self.address, self.value, self.flags, u64::MAX, 8),
            WRITE_64 => to_write(self.address, self.value, self.flags, 8),
            FLUSH | BARRIER => Err(HipError::NotSupported),
            _ => Err(HipError::InvalidValue),
        }
    }
}

/// Submits waits and writes, one after the other.
pub fn batch(stream: Address, count: u32, operations: In<Operation>, flags: u32) -> HipResult {
    const MOST: u32 = 256;
    if count == 0 || count >= MOST || flags != 0 {
        return Err(HipError::InvalidValue);
    }
    let words = (0..count as usize).map(|n| operations.nth(n)?.word());
    give(stream, &words.collect::<HipResult<Vec<Word>>>()?)
}
