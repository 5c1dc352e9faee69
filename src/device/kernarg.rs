//! Arguments laid out as a kernel's metadata says, each checked against it.

use gfx906::code_object::{Arg, ArgKind, Kernel};

use super::{DeviceError, DeviceErrorKind};

/// One argument of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgValue {
    /// A device address.
    Pointer(u64),
    /// A 32-bit integer.
    I32(i32),
    /// A 32-bit float.
    F32(f32),
}

impl ArgValue {
    fn bytes(self) -> Vec<u8> {
        match self {
            ArgValue::Pointer(address) => address.to_le_bytes().to_vec(),
            ArgValue::I32(value) => value.to_le_bytes().to_vec(),
            ArgValue::F32(value) => value.to_le_bytes().to_vec(),
        }
    }

    fn word(self) -> &'static str {
        match self {
            ArgValue::Pointer(_) => "a pointer",
            ArgValue::I32(_) => "an i32",
            ArgValue::F32(_) => "an f32",
        }
    }

    fn fits(self, arg: &Arg) -> bool {
        let kind = match self {
            ArgValue::Pointer(_) => matches!(arg.kind, ArgKind::GlobalBuffer | ArgKind::ByValue),
            ArgValue::I32(_) | ArgValue::F32(_) => matches!(arg.kind, ArgKind::ByValue),
        };
        kind && arg.size as usize == self.bytes().len()
    }
}

/// The explicit part of a kernel's kernarg segment.
pub fn lay_out(kernel: &Kernel, values: &[ArgValue]) -> Result<Vec<u8>, DeviceError> {
    let args: Vec<&Arg> = kernel.explicit_args().collect();
    let name = &kernel.name;
    if args.len() != values.len() {
        let (takes, given) = (args.len(), values.len());
        return Err(DeviceError::of(
            DeviceErrorKind::Arguments,
            format!(
                "{name} takes {takes} arguments and the test passes {given}: give the kernel the documented argument list"
            ),
        ));
    }
    let mut segment = vec![0; kernel.explicit_kernarg_size() as usize];
    for (position, (arg, value)) in args.iter().zip(values).enumerate() {
        let place = (arg.offset as usize).checked_add(arg.size as usize);
        let slot = place.and_then(|end| segment.get_mut(arg.offset as usize..end));
        match slot {
            Some(slot) if value.fits(arg) => slot.copy_from_slice(&value.bytes()),
            _ => {
                let (given, size, kind) = (value.word(), arg.size, &arg.kind);
                return Err(DeviceError::of(
                    DeviceErrorKind::Arguments,
                    format!(
                        "argument {position} of {name} is {size} bytes of kind {kind:?} in the code object and the test \
                     passes {given}: give the kernel the documented argument list"
                    ),
                ));
            }
        }
    }
    Ok(segment)
}
