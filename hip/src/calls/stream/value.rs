//! Words of memory that streams wait for, or write.

use crate::boundary::Address;
use crate::calls::work::{Place, place};
use crate::calls::{capture, submit};
use crate::error::{HipError, Outcome};
use crate::objects::work::{Test, Word, Work};

/// Gives a stream a word of memory that HIP knows.
fn give(stream: Address, word: Word) -> Outcome {
    let lane = submit::lane(stream)?;
    let aligned = word.address.is_multiple_of(word.bytes as u64);
    if !aligned || place(word.address, word.bytes as u64)? == Place::Host {
        return Err(HipError::InvalidValue);
    }
    if capture::of(lane)?.is_some() {
        capture::spoil(lane);
        return Err(HipError::StreamCaptureUnsupported);
    }
    submit::submit(stream, Work::Word(word))
}

fn wait(
    stream: Address,
    address: Address,
    value: u64,
    flags: u32,
    mask: u64,
    bytes: usize,
) -> Outcome {
    let tests = [Test::AtLeast, Test::Equal, Test::And, Test::Nor];
    let test = tests.get(flags as usize).copied();
    let word = Word {
        address,
        bytes,
        value,
        test: Some(test.ok_or(HipError::InvalidValue)?),
        mask,
    };
    give(stream, word)
}

pub fn wait_32(stream: Address, address: Address, value: u32, flags: u32, mask: u32) -> Outcome {
    wait(stream, address, value.into(), flags, mask.into(), 4)
}

pub fn wait_64(stream: Address, address: Address, value: u64, flags: u32, mask: u64) -> Outcome {
    wait(stream, address, value, flags, mask, 8)
}

fn write(stream: Address, address: Address, value: u64, flags: u32, bytes: usize) -> Outcome {
    if flags != 0 {
        return Err(HipError::InvalidValue);
    }
    let word = Word {
        address,
        bytes,
        value,
        test: None,
        mask: u64::MAX,
    };
    give(stream, word)
}

pub fn write_32(stream: Address, address: Address, value: u32, flags: u32) -> Outcome {
    write(stream, address, value.into(), flags, 4)
}

pub fn write_64(stream: Address, address: Address, value: u64, flags: u32) -> Outcome {
    write(stream, address, value, flags, 8)
}
