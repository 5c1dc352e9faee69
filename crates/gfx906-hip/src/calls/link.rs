//! Linker of the driver API: hipRTC's linker with error codes of HIP.

use super::rtc::linker::{self, LinkError};
use crate::boundary::{Address, In, Out};
use crate::error::{HipError, HipResult};

/// Returns HIP's error code for a failed link.
pub fn code(wrong: LinkError) -> HipError {
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

/// Links the inputs. The pointer to the size may be null.
pub fn complete(link: Address, out: Out<Address>, size: Out<usize>) -> HipResult {
    out.required()?;
    let (at, bytes) = linker::complete(link).map_err(code)?;
    size.put_unless_null(bytes)?;
    out.put(at)
}
