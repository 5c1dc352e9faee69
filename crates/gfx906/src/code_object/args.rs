//! Kernel arguments: the explicit ones of a launch, and the hidden ones that the runtime adds.

use super::metadata::ArgMetadata;

/// A kernel argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arg {
    /// Name, if the compiler recorded it.
    pub name: Option<String>,
    /// Type, if the compiler recorded it.
    pub type_name: Option<String>,
    /// Offset in the kernarg segment.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// Kind of the argument.
    pub kind: ArgKind,
}

/// Kind of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArgKind {
    /// A value: number, structure.
    ByValue,
    /// A pointer to device memory.
    GlobalBuffer,
    /// A pointer into LDS.
    DynamicSharedPointer,
    /// A sampler.
    Sampler,
    /// An image.
    Image,
    /// A pipe.
    Pipe,
    /// A queue.
    Queue,
    /// A hidden argument, which the runtime supplies.
    Hidden(HiddenArg),
    /// A kind that the emulator does not know.
    Other(String),
}

/// Hidden argument, which the runtime supplies.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    missing_docs,
    reason = "the names are those of the ABI, and say what they are"
)]
pub enum HiddenArg {
    GlobalOffsetX,
    GlobalOffsetY,
    GlobalOffsetZ,
    BlockCountX,
    BlockCountY,
    BlockCountZ,
    GroupSizeX,
    GroupSizeY,
    GroupSizeZ,
    RemainderX,
    RemainderY,
    RemainderZ,
    GridDims,
    PrintfBuffer,
    HostcallBuffer,
    MultigridSyncArg,
    HeapV1,
    DefaultQueue,
    CompletionAction,
    PrivateBase,
    SharedBase,
    QueuePtr,
    DynamicLdsSize,
    /// Padding.
    None,
    /// A hidden argument that the emulator does not know.
    Other(String),
}

impl From<ArgMetadata> for Arg {
    fn from(metadata: ArgMetadata) -> Arg {
        let ArgMetadata {
            name,
            type_name,
            offset,
            size,
            kind,
        } = metadata;
        Arg {
            name,
            type_name,
            offset,
            size,
            kind: ArgKind::from_name(&kind),
        }
    }
}

impl ArgKind {
    fn from_name(name: &str) -> ArgKind {
        match name {
            "by_value" => ArgKind::ByValue,
            "global_buffer" => ArgKind::GlobalBuffer,
            "dynamic_shared_pointer" => ArgKind::DynamicSharedPointer,
            "sampler" => ArgKind::Sampler,
            "image" => ArgKind::Image,
            "pipe" => ArgKind::Pipe,
            "queue" => ArgKind::Queue,
            other => match other.strip_prefix("hidden_") {
                Some(hidden) => ArgKind::Hidden(HiddenArg::from_name(hidden)),
                None => ArgKind::Other(other.to_owned()),
            },
        }
    }

    /// Returns the kind's name in the metadata.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            ArgKind::ByValue => "by_value".into(),
            ArgKind::GlobalBuffer => "global_buffer".into(),
            ArgKind::DynamicSharedPointer => "dynamic_shared_pointer".into(),
            ArgKind::Sampler => "sampler".into(),
            ArgKind::Image => "image".into(),
            ArgKind::Pipe => "pipe".into(),
            ArgKind::Queue => "queue".into(),
            ArgKind::Hidden(hidden) => format!("hidden_{}", hidden.name()),
            ArgKind::Other(other) => other.clone(),
        }
    }
}

#[rustfmt::skip]
const HIDDEN: &[(&str, HiddenArg)] = &[
    ("global_offset_x",    HiddenArg::GlobalOffsetX),
    ("global_offset_y",    HiddenArg::GlobalOffsetY),
    ("global_offset_z",    HiddenArg::GlobalOffsetZ),
    ("block_count_x",      HiddenArg::BlockCountX),
    ("block_count_y",      HiddenArg::BlockCountY),
    ("block_count_z",      HiddenArg::BlockCountZ),
    ("group_size_x",       HiddenArg::GroupSizeX),
    ("group_size_y",       HiddenArg::GroupSizeY),
    ("group_size_z",       HiddenArg::GroupSizeZ),
    ("remainder_x",        HiddenArg::RemainderX),
    ("remainder_y",        HiddenArg::RemainderY),
    ("remainder_z",        HiddenArg::RemainderZ),
    ("grid_dims",          HiddenArg::GridDims),
    ("printf_buffer",      HiddenArg::PrintfBuffer),
    ("hostcall_buffer",    HiddenArg::HostcallBuffer),
    ("multigrid_sync_arg", HiddenArg::MultigridSyncArg),
    ("heap_v1",            HiddenArg::HeapV1),
    ("default_queue",      HiddenArg::DefaultQueue),
    ("completion_action",  HiddenArg::CompletionAction),
    ("private_base",       HiddenArg::PrivateBase),
    ("shared_base",        HiddenArg::SharedBase),
    ("queue_ptr",          HiddenArg::QueuePtr),
    ("dynamic_lds_size",   HiddenArg::DynamicLdsSize),
    ("none",               HiddenArg::None),
];

impl HiddenArg {
    fn from_name(name: &str) -> HiddenArg {
        let row = HIDDEN.iter().find(|row| row.0 == name);
        row.map_or_else(|| HiddenArg::Other(name.to_owned()), |row| row.1.clone())
    }

    fn name(&self) -> &str {
        match self {
            HiddenArg::Other(name) => name,
            known => HIDDEN
                .iter()
                .find(|row| row.1 == *known)
                .map_or("none", |row| row.0),
        }
    }
}
