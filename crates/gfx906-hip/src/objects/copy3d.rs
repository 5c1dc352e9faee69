//! Copies of planes as programs ask for them.

use crate::boundary::Address;

/// `hipPitchedPtr`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PitchedPointer {
    /// Address of the first byte.
    pub pointer: Address,
    /// Bytes from row to row.
    pub pitch: usize,
    /// Elements of a row.
    pub width: usize,
    /// Rows of a plane.
    pub height: usize,
}

/// `hipExtent`. The width counts elements if an array takes part, otherwise bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Width of a row.
    pub width: usize,
    /// Number of rows.
    pub height: usize,
    /// Number of planes.
    pub depth: usize,
}

/// `hipMemcpy3DParms`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Copy3d {
    /// Array to copy from, or 0.
    pub from_array: Address,
    /// First position in the source.
    pub from_at: [usize; 3],
    /// Memory to copy from, unless it is an array.
    pub from: PitchedPointer,
    /// Array to copy to, or 0.
    pub to_array: Address,
    /// First position in the destination.
    pub to_at: [usize; 3],
    /// Memory to copy to, unless it is an array.
    pub to: PitchedPointer,
    /// Size.
    pub extent: Extent,
    /// `hipMemcpyKind`.
    pub direction: u32,
}
