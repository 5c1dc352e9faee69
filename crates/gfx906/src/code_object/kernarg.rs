//! The kernarg segment: the arguments of a launch at the offsets of the metadata.
//!
//! Source: the AMDGPU backend's user guide of LLVM (kernel argument metadata: `.offset`, `.size`, `.value_kind`).

use bytemuck::NoUninit;

use super::args::{Arg, ArgKind, HiddenArg};
use super::kernel::Kernel;

/// The kernarg segment of a launch while its explicit arguments are placed one by one.
#[derive(Clone, Debug)]
pub struct Kernarg<'k> {
    kernel: &'k Kernel,
    bytes: Vec<u8>,
}

/// Reason why arguments do not fit a kernel, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernargError {
    /// The launch has too many or too few arguments.
    #[error("kernel `{kernel}` takes {takes} arguments, {given} given")]
    Count {
        /// The kernel.
        kernel: String,
        /// Number of explicit arguments of the kernel.
        takes: usize,
        /// Number of arguments of the launch.
        given: usize,
    },
    /// An argument has another size.
    #[error("argument {index} of kernel `{kernel}` has {takes} bytes, {given} given")]
    Size {
        /// The kernel.
        kernel: String,
        /// Number of the argument, from 0.
        index: usize,
        /// Size of the kernel's argument in bytes.
        takes: u32,
        /// Size of the launch's argument in bytes.
        given: usize,
    },
    /// The argument bytes are too few.
    #[error("kernel `{kernel}` takes {takes} bytes of arguments, {given} given")]
    Short {
        /// The kernel.
        kernel: String,
        /// End of the kernel's last explicit argument in bytes.
        takes: usize,
        /// Number of bytes that the launch has.
        given: usize,
    },
    /// Two arguments overlap.
    #[error(
        "kernel `{kernel}`: its metadata has two arguments at byte {offset} of its kernarg; the code object is damaged"
    )]
    Overlap {
        /// The kernel.
        kernel: String,
        /// Offset of the second argument.
        offset: u32,
    },
}

impl<'k> Kernarg<'k> {
    /// Creates the segment for a launch with `given` arguments.
    ///
    /// # Errors
    ///
    /// The kernel takes another number of arguments, or its metadata places two in the same bytes.
    pub fn new(kernel: &'k Kernel, given: usize) -> Result<Kernarg<'k>, KernargError> {
        check_disjoint(kernel)?;
        let takes = kernel.explicit_args().count();
        if takes != given {
            let kernel = kernel.name.clone();
            return Err(KernargError::Count {
                kernel,
                takes,
                given,
            });
        }
        let bytes = vec![0; kernel.explicit_kernarg_size() as usize];
        Ok(Kernarg { kernel, bytes })
    }

    /// Places the explicit argument with this number, and returns the offset of its first byte.
    ///
    /// # Errors
    ///
    /// There is no such argument, or it has another size.
    pub fn put(&mut self, index: usize, value: &[u8]) -> Result<usize, KernargError> {
        let arg = self.kernel.explicit_args().nth(index);
        let takes = arg.map_or(0, |arg| arg.size);
        let at = arg.map_or(0, |arg| arg.offset as usize);
        let room = self.bytes.get_mut(at..at.saturating_add(takes as usize));
        match room.filter(|room| arg.is_some() && room.len() == value.len()) {
            Some(room) => room.copy_from_slice(value),
            None => {
                return Err(KernargError::Size {
                    kernel: self.kernel.name.clone(),
                    index,
                    takes,
                    given: value.len(),
                });
            }
        }
        Ok(at)
    }

    /// Returns the explicit part of the segment. Bytes without an argument are 0.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// The explicit arguments of a launch, which a caller adds one after another. [`Kernel::arguments`] begins them.
///
/// ```
/// # let object = gfx906::CodeObject::parse(include_bytes!("../../tests/data/v5.co")).unwrap();
/// let kernel = object.kernel("reduce").unwrap();
/// let bytes = kernel.arguments().with(0x1000_u64).with(0x2000_u64).finish().unwrap();
/// assert_eq!(bytes.len(), 16);
/// let error = kernel.arguments().with(0x1000_u64).with(1.5_f32).finish().unwrap_err();
/// assert_eq!(error.to_string(), "argument 1 of kernel `reduce` has 8 bytes, 4 given");
/// ```
#[derive(Clone, Debug)]
pub struct Arguments<'k> {
    kernel: &'k Kernel,
    given: Vec<Vec<u8>>,
}

impl Arguments<'_> {
    /// Adds the next argument: an address as `u64`, a number, or an array of numbers for a structure.
    #[must_use]
    pub fn with(mut self, value: impl NoUninit) -> Self {
        self.given.push(bytemuck::bytes_of(&value).to_vec());
        self
    }

    /// Lays out all arguments as the kernel's metadata requires.
    ///
    /// # Errors
    ///
    /// The kernel takes more or fewer arguments, or one of another size.
    pub fn finish(self) -> Result<Vec<u8>, KernargError> {
        let mut kernarg = Kernarg::new(self.kernel, self.given.len())?;
        for (index, value) in self.given.iter().enumerate() {
            kernarg.put(index, value)?;
        }
        Ok(kernarg.into_bytes())
    }
}

impl Kernel {
    /// Begins the arguments of a launch.
    pub fn arguments(&self) -> Arguments<'_> {
        Arguments {
            kernel: self,
            given: Vec::new(),
        }
    }

    /// Returns the explicit part of arguments that a caller laid out. The bytes after it may be hidden arguments.
    ///
    /// # Errors
    ///
    /// There are fewer bytes than the kernel takes.
    pub fn explicit_kernarg<'b>(&self, bytes: &'b [u8]) -> Result<&'b [u8], KernargError> {
        let takes = self.explicit_kernarg_size() as usize;
        bytes.get(..takes).ok_or_else(|| KernargError::Short {
            kernel: self.name.clone(),
            takes,
            given: bytes.len(),
        })
    }

    /// Returns the whole kernarg segment: the explicit arguments, and the hidden ones from the runtime's values.
    ///
    /// # Errors
    ///
    /// There are fewer explicit bytes than the kernel takes.
    pub fn kernarg_segment(
        &self,
        explicit: &[u8],
        hidden: impl Fn(&HiddenArg) -> u64,
    ) -> Result<Vec<u8>, KernargError> {
        let explicit = self.explicit_kernarg(explicit)?;
        let end = self.args.iter().map(end).max().unwrap_or(0);
        // Compilers read hidden arguments by wide loads. The last load may extend beyond the arguments, so the size is rounded up.
        let size = end.max(self.kernarg_size as usize).next_multiple_of(64) + 64;
        let mut segment = vec![0; size];
        segment[..explicit.len()].copy_from_slice(explicit);
        for arg in &self.args {
            let ArgKind::Hidden(kind) = &arg.kind else {
                continue;
            };
            let value = hidden(kind).to_le_bytes();
            let bytes = (arg.size as usize).min(value.len());
            segment[arg.offset as usize..][..bytes].copy_from_slice(&value[..bytes]);
        }
        Ok(segment)
    }
}

/// Returns the offset of the first byte after an argument.
fn end(arg: &Arg) -> usize {
    arg.offset as usize + arg.size as usize
}

/// Checks that no two arguments overlap. If they did, the kernel would read the bytes of one argument as the other.
fn check_disjoint(kernel: &Kernel) -> Result<(), KernargError> {
    let padding = ArgKind::Hidden(HiddenArg::None);
    let mut args: Vec<&Arg> = kernel.args.iter().collect();
    args.retain(|arg| arg.size != 0 && arg.kind != padding);
    args.sort_by_key(|arg| arg.offset);
    let mut pairs = args.windows(2);
    match pairs.find(|pair| end(pair[0]) > pair[1].offset as usize) {
        Some(pair) => Err(KernargError::Overlap {
            kernel: kernel.name.clone(),
            offset: pair[1].offset,
        }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
