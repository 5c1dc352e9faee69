//! Work of a stream or of a graph's node: a kernel, a copy, a fill, or a call of a host function.

use std::sync::Arc;

use gfx906::code_object::LaunchShape;

use super::copy3d::Copy3d;
use super::module::Function;
use crate::boundary::Address;

/// Function that a stream calls with the stream, its error so far, and data.
pub type StreamCallback = unsafe extern "C" fn(Address, u32, Address);
/// Function that a stream calls with data.
pub type HostFunction = unsafe extern "C" fn(Address);

/// Work with all its parameters.
#[derive(Clone)]
pub enum Work {
    /// Execution of a kernel.
    Kernel(Kernel),
    /// Copy.
    Copy(Copy),
    /// Fill.
    Fill(Fill),
    /// Call of a host function.
    Host(Host),
    /// Wait for a memory word, or write to one. It is never a node.
    Word(Word),
}

/// Launch of a kernel.
#[derive(Clone)]
pub struct Kernel {
    /// Kernel. It stays loaded while it is referenced.
    pub function: Function,
    /// Host function or handle by which the program named the kernel.
    pub named: Address,
    /// Launch shape.
    pub shape: LaunchShape,
    /// Explicit arguments, as they were at the call.
    pub kernarg: Arc<[u8]>,
    /// True for a cooperative launch, whose work-groups are all resident.
    pub cooperative: bool,
}

/// Layout of rows. Plain memory is a single row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Address of the first byte.
    pub start: Address,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Bytes from plane to plane.
    pub plane: usize,
}

/// Size of a copy or fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes of a row.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
    /// Planes.
    pub depth: usize,
}

/// Copy.
#[derive(Clone)]
pub struct Copy {
    /// Destination.
    pub to: Rows,
    /// Source.
    pub from: Rows,
    /// Size.
    pub size: Size,
    /// Direction that the program named.
    pub direction: u32,
    /// Form of the request.
    pub form: CopyForm,
    /// The parameters that the program gave, if they were `hipMemcpy3DParms`.
    pub asked: Option<Box<Copy3d>>,
    /// Rows of the source as they were at the call, if the program may have changed them since.
    pub staged: Option<Arc<[u8]>>,
}

/// Form in which a copy was requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyForm {
    /// Planes.
    Planes,
    /// Single row.
    Row,
    /// Copy from a variable.
    FromSymbol,
    /// Copy to a variable.
    ToSymbol,
}

/// Fill.
#[derive(Clone, Copy, Debug)]
pub struct Fill {
    /// Destination.
    pub to: Rows,
    /// Size.
    pub size: Size,
    /// Value of an element.
    pub value: u32,
    /// Bytes of an element: 1, 2 or 4.
    pub element: usize,
}

/// Call of a host function.
#[derive(Clone, Copy, Debug)]
pub enum Host {
    /// `hipLaunchHostFunc`: function and data. It is not called after a failed kernel.
    Function(HostFunction, Address),
    /// `hipStreamAddCallback`: function, stream, data. It gets the error of a failed kernel.
    Callback(StreamCallback, Address, Address),
}

/// Operation on a memory word.
#[derive(Clone, Copy, Debug)]
pub struct Word {
    /// Address of the word.
    pub address: Address,
    /// Size: 4 or 8.
    pub bytes: usize,
    /// Value that is written or compared with.
    pub value: u64,
    /// Condition to wait for. Without it, the value is written.
    pub test: Option<WordCondition>,
    /// Mask of the bits that are compared.
    pub mask: u64,
}

/// Condition on a word, by the values of HIP's flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordCondition {
    /// Greater than or equal to the value.
    AtLeast,
    /// Equal to the value.
    Equal,
    /// A bit in common with the value.
    And,
    /// A bit that is set neither in the word nor in the value.
    Nor,
}

impl Word {
    /// Returns true if a word fulfils the condition.
    pub fn passes(&self, held: u64) -> bool {
        let ones = if self.bytes == 4 {
            u64::from(u32::MAX)
        } else {
            u64::MAX
        };
        let (held, value) = (held & self.mask & ones, self.value & ones);
        match self.test {
            None => true,
            Some(WordCondition::AtLeast) => held >= value,
            Some(WordCondition::Equal) => held == value,
            Some(WordCondition::And) => held & value != 0,
            Some(WordCondition::Nor) => !(held | (value & self.mask)) & ones != 0,
        }
    }
}

impl Rows {
    /// Returns the layout of a single row.
    pub fn single_row(start: Address) -> Rows {
        Rows {
            start,
            pitch: 0,
            plane: 0,
        }
    }

    /// Returns the address of a row.
    pub fn row(&self, y: usize, z: usize) -> Address {
        self.start + (z * self.plane + y * self.pitch) as u64
    }
}

impl Size {
    /// Returns the size of a single row.
    pub fn single_row(width: usize) -> Size {
        Size {
            width,
            height: 1,
            depth: 1,
        }
    }

    /// Returns true if there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0 || self.depth == 0
    }

    /// Returns the bytes from the first to behind the last in a layout, or none if addresses overflow.
    pub fn span(&self, rows: &Rows) -> Option<u64> {
        let planes = rows.plane.checked_mul(self.depth.checked_sub(1)?)?;
        let lines = rows.pitch.checked_mul(self.height.checked_sub(1)?)?;
        let bytes = planes.checked_add(lines)?.checked_add(self.width)?;
        Some(bytes as u64)
    }

    /// Returns every row with its plane.
    pub fn rows(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.depth).flat_map(move |z| (0..self.height).map(move |y| (y, z)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Word, WordCondition};

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
        assert!(passes(WordCondition::AtLeast, 8, u64::MAX, 5, wide));
        assert!(!passes(WordCondition::AtLeast, 4, u64::MAX, 5, wide | 4));
        assert!(passes(WordCondition::Equal, 8, 0xff, 0x34, 0x1234));
        assert!(!passes(WordCondition::Equal, 8, 0xfff, 0x34, 0x1234));
        assert!(passes(WordCondition::And, 4, 0xf0, 0x30, 0x1f));
        assert!(!passes(WordCondition::And, 4, 0x0f, 0x30, 0x3f));
        assert!(passes(WordCondition::Nor, 4, u64::MAX, 0xffff_fff0, 7));
        assert!(!passes(WordCondition::Nor, 4, u64::MAX, 0xffff_fff0, 15));
    }
}
