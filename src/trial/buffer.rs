//! Tensors of a trial: what the device holds of them, and what a launch is handed.

use super::Data;
use crate::binding::Layout;
use crate::compare::ElementKind;
use crate::compare::guards::Guards;
use crate::device::ArgValue;
use crate::verdict::Axis;

/// A tensor of the trial, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    pub(super) tensor: usize,
    pub(super) first: usize,
    pub(super) count: usize,
}

impl Buffer {
    /// `count` elements from element `first` on.
    pub fn part(self, first: usize, count: usize) -> Buffer {
        Buffer {
            tensor: self.tensor,
            first: self.first + first,
            count,
        }
    }

    /// As an argument that the kernel reads.
    pub fn read(self) -> Arg {
        Arg::Tensor {
            buffer: self,
            written: false,
        }
    }

    /// As an argument that the kernel writes.
    pub fn write(self) -> Arg {
        Arg::Tensor {
            buffer: self,
            written: true,
        }
    }
}

/// An argument of a launch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arg {
    /// A tensor or a part of one.
    Tensor {
        /// Which.
        buffer: Buffer,
        /// Whether the kernel writes there.
        written: bool,
    },
    /// A number.
    Value(ArgValue),
}

/// A dimension or a count as an argument.
pub fn int(value: impl TryInto<i32>) -> Arg {
    // The registry caps sizes far below this.
    Arg::Value(ArgValue::I32(value.try_into().unwrap_or(i32::MAX)))
}

/// A float as an argument.
pub fn float(value: f32) -> Arg {
    Arg::Value(ArgValue::F32(value))
}

/// A pointer to nothing, where a kernel takes a tensor or none.
pub fn null() -> Arg {
    Arg::Value(ArgValue::Pointer(0))
}

/// What a tensor is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Uploaded, and unchanged afterwards.
    Input,
    /// Poisoned, written by launches.
    Written,
    /// Uploaded, and written by launches in part.
    Updated,
}

/// A tensor and its place on the device.
pub(super) struct Tensor {
    pub name: String,
    pub axes: Vec<Axis>,
    pub role: Role,
    /// The type of its elements.
    pub kind: ElementKind,
    /// What was drawn or uploaded; nothing for what launches write.
    pub data: Option<Data>,
    /// Address of the first element, if it is on the device.
    pub address: Option<u64>,
    /// Whether the test's function puts it on the device.
    pub on_device: bool,
    /// How it was drawn, in words; nothing for what follows from other tensors.
    pub values: Option<String>,
    /// What the device is handed where a binding wants something else than `data`.
    pub sent: Option<Data>,
    /// Where its elements stand on the device, if not in order.
    pub layout: Option<Layout>,
    /// The guards around it there.
    pub guards: Guards,
}

impl Tensor {
    pub fn count(&self) -> usize {
        self.axes.iter().map(|axis| axis.length).product()
    }
}

/// `n` elements in a row.
pub fn elements(n: usize) -> Vec<Axis> {
    axes([("element", n)])
}

/// `rows` x `columns`.
pub fn table(rows: usize, columns: usize) -> Vec<Axis> {
    axes([("row", rows), ("column", columns)])
}

/// Axes by name, outermost first.
pub fn axes<const N: usize>(named: [(&str, usize); N]) -> Vec<Axis> {
    named
        .into_iter()
        .map(|(name, length)| Axis::new(name, length))
        .collect()
}
