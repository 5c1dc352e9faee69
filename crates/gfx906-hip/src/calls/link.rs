//! Linker of the driver API: hipRTC's linker with error codes of HIP.

use super::rtc::linker::{self, LinkError};
use crate::boundary::{Address, In, Out, Text};
use crate::error::{HipError, HipResult};

fn code(wrong: LinkError) -> HipError {
    match wrong {
        LinkError::Argument | LinkError::Kind => HipError::InvalidValue,
        LinkError::Handle => HipError::InvalidHandle,
        LinkError::Nothing => HipError::InvalidImage,
        LinkError::Input | LinkError::Option | LinkError::Link => HipError::InvalidConfiguration,
        LinkError::NoCompiler => HipError::SharedObjectInitFailed,
    }
}

pub fn create(count: u32, options: In<u32>, values: In<Address>, out: Out<Address>) -> HipResult {
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
) -> HipResult {
    linker::add_data(link, kind, data, bytes).map_err(code)
}

pub fn add_file(
    link: Address,
    kind: u32,
    path: Text,
    _count: u32,
    _options: Address,
    _values: Address,
) -> HipResult {
    linker::add_file(link, kind, path).map_err(code)
}

/// Links the inputs. The pointer to the size may be null.
pub fn complete(link: Address, out: Out<Address>, size: Out<usize>) -> HipResult {
    out.required()?;
    let (at, bytes) = linker::complete(link).map_err(code)?;
    if !size.is_null() {
        size.put(bytes)?;
    }
    out.put(at)
}

pub fn destroy(link: Address) -> HipResult {
    linker::destroy(link).map_err(code)
}
