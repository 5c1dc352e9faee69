//! The arguments of a record, compared with those that the kernel takes.

use gfx906::code_object::{Arg, ArgKind, Kernel};

use crate::commands::exec::recorded::{Argument, RecordedLaunch};

/// Magnitude from which a whole number is not taken for a size.
pub const LARGE: u64 = 1 << 31;

/// A whole number among the arguments: its name in the code object, and its value.
pub type Number<'k> = (Option<&'k str>, i64);

/// Returns true if an argument is a pointer to global memory.
pub fn is_pointer(arg: &Arg) -> bool {
    arg.kind == ArgKind::GlobalBuffer
}

/// Returns the type of a number, by its type name in the metadata and its size; none for sizes that no number has.
pub fn scalar(arg: &Arg) -> Option<String> {
    let called = arg.type_name.as_deref().unwrap_or_default();
    let float = called.contains("float") || called.contains("double") || called.contains("half");
    let unsigned = called.contains("unsigned") || called.starts_with("uint");
    let letter = match (float, unsigned) {
        (true, _) => 'f',
        (_, true) => 'u',
        _ => 'i',
    };
    matches!(arg.size, 1 | 2 | 4 | 8).then(|| format!("{letter}{}", 8 * arg.size))
}

/// A record that does not fit the kernel.
#[derive(Debug, thiserror::Error)]
pub enum RecordMismatch {
    #[error("kernel `{kernel}` takes {takes} arguments, the record has {has}: {REMEDY}")]
    Count {
        kernel: String,
        takes: usize,
        has: usize,
    },
    #[error("argument {position} of `{kernel}` has {takes} bytes, the record has {has}: {REMEDY}")]
    Size {
        kernel: String,
        position: usize,
        takes: u32,
        has: usize,
    },
}

/// The remedy for a record that does not fit the kernel.
const REMEDY: &str = "give the code object that was recorded with `--kernels`";

/// Checks that a record has the arguments that the kernel takes.
pub fn check(kernel: &Kernel, recorded: &RecordedLaunch) -> Result<(), RecordMismatch> {
    let name = || kernel.name.escape_debug().to_string();
    let args: Vec<&Arg> = kernel.explicit_args().collect();
    if args.len() != recorded.args.len() {
        return Err(RecordMismatch::Count {
            kernel: name(),
            takes: args.len(),
            has: recorded.args.len(),
        });
    }
    for (position, (arg, value)) in args.iter().zip(&recorded.args).enumerate() {
        let has = size(value);
        if has != arg.size as usize {
            return Err(RecordMismatch::Size {
                kernel: name(),
                position,
                takes: arg.size,
                has,
            });
        }
    }
    Ok(())
}

fn size(value: &Argument) -> usize {
    match value {
        Argument::Pointer(_) => 8,
        Argument::Bytes(bytes) => bytes.len(),
        Argument::Structure(parts) => parts.iter().map(size).sum(),
    }
}

/// Returns the name of a pointer to each region, and the whole numbers below [`LARGE`] with their names.
pub fn names<'k>(
    kernel: &'k Kernel,
    recorded: &RecordedLaunch,
) -> (Vec<Option<&'k str>>, Vec<Number<'k>>) {
    let mut names = vec![None; recorded.regions.len()];
    let mut numbers = Vec::new();
    for (arg, value) in kernel.explicit_args().zip(&recorded.args) {
        let name = arg.name.as_deref();
        match value {
            Argument::Pointer(region) => names[*region] = names[*region].or(name),
            Argument::Bytes(bytes) if !is_pointer(arg) => {
                let number = match bytes[..] {
                    [a, b, c, d] => Some(i64::from(i32::from_le_bytes([a, b, c, d]))),
                    [a, b, c, d, e, f, g, h] => Some(i64::from_le_bytes([a, b, c, d, e, f, g, h])),
                    _ => None,
                };
                let small = number.filter(|number| number.unsigned_abs() < LARGE);
                numbers.extend(small.map(|number| (name, number)));
            }
            _ => {}
        }
    }
    (names, numbers)
}
