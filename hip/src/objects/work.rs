//! What a stream does: a kernel, a copy, a fill, a call of the program's. Also what the nodes of a graph do.

use std::sync::Arc;

use gfx906::code_object::LaunchShape;

use super::module::Function;
use crate::boundary::Address;

/// A function that a stream calls: stream, its error so far, data.
pub type StreamCallback = unsafe extern "C" fn(Address, u32, Address);
/// A function that a stream calls: data.
pub type HostFunction = unsafe extern "C" fn(Address);

/// A piece of work, with all that it needs.
#[derive(Clone)]
pub enum Work {
    /// A kernel to its end.
    Kernel(Kernel),
    /// A copy.
    Copy(Copy),
    /// A fill.
    Fill(Fill),
    /// A call of the program's.
    Host(Host),
    /// A word of memory, waited for or written. Never a node.
    Word(Word),
}

/// A launch.
#[derive(Clone)]
pub struct Kernel {
    /// The kernel, which stays loaded for as long as someone holds it.
    pub function: Function,
    /// What the program named it by: a function of the host's, or a handle.
    pub named: Address,
    /// The shape.
    pub shape: LaunchShape,
    /// The explicit arguments, as the program had them at the call.
    pub kernarg: Arc<[u8]>,
    /// Whether all its groups are resident: a cooperative launch.
    pub cooperative: bool,
}

/// Where rows of bytes start: of a piece of memory, of which a row is all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// The first byte.
    pub start: Address,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Bytes from plane to plane.
    pub plane: usize,
}

/// How many bytes, rows, planes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

/// A copy.
#[derive(Clone)]
pub struct Copy {
    /// To where.
    pub to: Rows,
    /// From where.
    pub from: Rows,
    /// How much.
    pub size: Size,
    /// The direction that the program named.
    pub direction: u32,
    /// How it was asked for.
    pub form: Form,
    /// What the source held at the call, row after row, where the program may change it since.
    pub staged: Option<Arc<[u8]>>,
}

/// How a copy was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As planes.
    Planes,
    /// As a single row.
    Row,
    /// Out of a variable.
    FromSymbol,
    /// Into a variable.
    ToSymbol,
}

/// A fill.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    /// Where.
    pub to: Rows,
    /// How much.
    pub size: Size,
    /// The value of an element.
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: usize,
}

/// A call of the program's.
#[derive(Clone, Copy, Debug)]
pub enum Host {
    /// `hipLaunchHostFunc`: function and data. Not made after a failed kernel.
    Function(HostFunction, Address),
    /// `hipStreamAddCallback`: function, stream, data. Told of a failed kernel.
    Callback(StreamCallback, Address, Address),
}

/// A word of memory.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Where.
    pub address: Address,
    /// 4 or 8.
    pub bytes: usize,
    /// What is written or compared with.
    pub value: u64,
    /// What is waited for; otherwise it is written.
    pub test: Option<Test>,
    /// The bits that are compared.
    pub mask: u64,
}

/// What a word must be; the values of HIP's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Not less.
    AtLeast,
    /// The same.
    Equal,
    /// With a bit in common.
    And,
    /// With a bit that neither has.
    Nor,
}

impl Word {
    /// Whether a word is what is waited for.
    pub fn passes(&self, held: u64) -> bool {
        let all = if self.bytes == 4 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        let (held, value) = (held & self.mask & all, self.value & all);
        match self.test {
            None => true,
            Some(Test::AtLeast) => held >= value,
            Some(Test::Equal) => held == value,
            Some(Test::And) => held & value != 0,
            Some(Test::Nor) => !(held | (value & self.mask)) & all != 0,
        }
    }
}

impl Rows {
    /// A single row.
    pub fn one(start: Address) -> Rows {
        Rows {
            start,
            pitch: 0,
            plane: 0,
        }
    }

    /// Where a row starts.
    pub fn row(&self, y: usize, z: usize) -> Address {
        self.start + (z * self.plane + y * self.pitch) as u64
    }
}

impl Size {
    /// A single row.
    pub fn one(width: usize) -> Size {
        Size {
            width,
            height: 1,
            depth: 1,
        }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Bytes from the first to behind the last, where rows stand as they do; none where no address is so large.
    pub fn span(&self, rows: &Rows) -> Option<u64> {
        let planes = rows.plane.checked_mul(self.depth.checked_sub(1)?)?;
        let lines = rows.pitch.checked_mul(self.height.checked_sub(1)?)?;
        let bytes = planes.checked_add(lines)?.checked_add(self.width)?;
        Some(bytes as u64)
    }

    /// Every row and its plane.
    pub fn rows(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.depth).flat_map(move |z| (0..self.height).map(move |y| (y, z)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Test, Word};

    #[test]
    fn words_pass_as_hip_says() {
        let passes = |test, bytes, mask, value, held| {
            let word = Word {
                address: 0,
                bytes,
                value,
                test: Some(test),
                mask,
            };
            word.passes(held)
        };
        let wide = 1 << 40;
        assert!(passes(Test::AtLeast, 8, u64::MAX, 5, wide));
        assert!(!passes(Test::AtLeast, 4, u64::MAX, 5, wide | 4));
        assert!(passes(Test::Equal, 8, 0xff, 0x34, 0x1234));
        assert!(!passes(Test::Equal, 8, 0xfff, 0x34, 0x1234));
        assert!(passes(Test::And, 4, 0xf0, 0x30, 0x1f));
        assert!(!passes(Test::And, 4, 0x0f, 0x30, 0x3f));
        assert!(passes(Test::Nor, 4, u64::MAX, 0xffff_fff0, 7));
        assert!(!passes(Test::Nor, 4, u64::MAX, 0xffff_fff0, 15));
    }
}
