//! Linker of the driver API: hipRTC's linker with error codes of HIP.

use super::rtc::linker::{self, Wrong};
use crate::boundary::{Address, In, Out, Text};
use crate::error::{HipError, Outcome};

fn code(wrong: Wrong) -> HipError {
    match wrong {
        Wrong::Argument | Wrong::Kind => HipError::InvalidValue,
        Wrong::Handle => HipError::InvalidHandle,
        Wrong::Nothing => HipError::InvalidImage,
        Wrong::Input | Wrong::Option | Wrong::Link => HipError::InvalidConfiguration,
        Wrong::NoCompiler => HipError::SharedObjectInitFailed,
    }
}

pub fn create(count: u32, options: In<u32>, values: In<Address>, out: Out<Address>) -> Outcome {
    out.required()?;
    out.put(linker::create(count, options, values).map_err(code)?)
}

#[expect(clippy::too_many_arguments, reason = "HIP's signature")]
pub fn add_data(
    link: Address,
    kind: u32,
    data: Address,
    bytes: usize,
    _name: Text,
    _count: u32,
    _options: Address,
    _values: Address,
) -> Outcome {
    linker::add_data(link, kind, data, bytes).map_err(code)
}

pub fn add_file(
    link: Address,
    kind: u32,
    path: Text,
    _count: u32,
    _options: Address,
    _values: Address,
) -> Outcome {
    linker::add_file(link, kind, path).map_err(code)
}

/// Links the inputs. The pointer to the size may be null.
pub fn complete(link: Address, out: Out<Address>, size: Out<usize>) -> Outcome {
    out.required()?;
    let (at, bytes) = linker::complete(link).map_err(code)?;
    if !size.is_null() {
        size.put(bytes)?;
    }
    out.put(at)
}

pub fn destroy(link: Address) -> Outcome {
    linker::destroy(link).map_err(code)
}
