//! The AMDGPU metadata note: a msgpack map that lists the kernels.

use rmpv::ValueRef;

use super::elf::GpuElf;
use super::error::CodeObjectError;

const OWNER: &[u8] = b"AMDGPU";
const NT_AMDGPU_METADATA: u32 = 32;
/// Nesting limit of the msgpack reader. The metadata nests five levels deep, and the reader counts two or three for each.
const MAX_DEPTH: usize = 64;

/// A kernel's entry in the metadata.
pub(super) struct KernelMetadata {
    pub(super) name: String,
    pub(super) symbol: String,
    pub(super) args: Vec<ArgMetadata>,
    pub(super) kernarg_size: u32,
    pub(super) kernarg_align: u32,
    pub(super) lds_size: u32,
    pub(super) private_segment_size: u32,
    pub(super) uses_dynamic_stack: bool,
    pub(super) sgpr_count: u32,
    pub(super) vgpr_count: u32,
    pub(super) sgpr_spill_count: u32,
    pub(super) vgpr_spill_count: u32,
    pub(super) max_flat_work_group_size: u32,
    pub(super) uniform_work_groups: bool,
    pub(super) required_work_group_size: Option<[u32; 3]>,
    pub(super) wavefront_size: u32,
}

/// An argument's entry in the metadata.
pub(super) struct ArgMetadata {
    pub(super) name: Option<String>,
    pub(super) type_name: Option<String>,
    pub(super) offset: u32,
    pub(super) size: u32,
    pub(super) kind: String,
}

/// Reads the kernels that the metadata lists.
pub(super) fn read(file: &GpuElf<'_>) -> Result<Vec<KernelMetadata>, CodeObjectError> {
    let mut bytes = file
        .note(OWNER, NT_AMDGPU_METADATA)?
        .ok_or(CodeObjectError::NoMetadata)?;
    let value =
        rmpv::decode::read_value_ref_with_max_depth(&mut bytes, MAX_DEPTH).map_err(|error| {
            CodeObjectError::Metadata {
                path: "note".into(),
                problem: format!("not msgpack ({error})").replace('\n', " "),
            }
        })?;
    let root = Node {
        value: &value,
        path: String::new(),
    };
    root.require("amdhsa.kernels")?
        .items()?
        .iter()
        .map(kernel)
        .collect()
}

fn kernel(node: &Node<'_>) -> Result<KernelMetadata, CodeObjectError> {
    let count = |key| node.get(key)?.map_or(Ok(0), |value| value.u32());
    let args = match node.get(".args")? {
        Some(args) => args.items()?.iter().map(arg).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    Ok(KernelMetadata {
        name: node.require(".name")?.text()?,
        symbol: node.require(".symbol")?.text()?,
        args,
        kernarg_size: node.require(".kernarg_segment_size")?.u32()?,
        kernarg_align: node.require(".kernarg_segment_align")?.u32()?,
        lds_size: node.require(".group_segment_fixed_size")?.u32()?,
        private_segment_size: node.require(".private_segment_fixed_size")?.u32()?,
        uses_dynamic_stack: node
            .get(".uses_dynamic_stack")?
            .map_or(Ok(false), |value| value.bool())?,
        sgpr_count: node.require(".sgpr_count")?.u32()?,
        vgpr_count: node.require(".vgpr_count")?.u32()?,
        sgpr_spill_count: count(".sgpr_spill_count")?,
        vgpr_spill_count: count(".vgpr_spill_count")?,
        max_flat_work_group_size: node.require(".max_flat_workgroup_size")?.u32()?,
        uniform_work_groups: count(".uniform_work_group_size")? != 0,
        required_work_group_size: node
            .get(".reqd_workgroup_size")?
            .map(|value| value.triple())
            .transpose()?,
        wavefront_size: node.require(".wavefront_size")?.u32()?,
    })
}

fn arg(node: &Node<'_>) -> Result<ArgMetadata, CodeObjectError> {
    let text = |key| node.get(key)?.map(|value| value.text()).transpose();
    Ok(ArgMetadata {
        name: text(".name")?.filter(|name| !name.is_empty()),
        type_name: text(".type_name")?.filter(|name| !name.is_empty()),
        offset: node.require(".offset")?.u32()?,
        size: node.require(".size")?.u32()?,
        kind: node.require(".value_kind")?.text()?,
    })
}

/// A value and its path, for messages.
struct Node<'a> {
    value: &'a ValueRef<'a>,
    path: String,
}

impl<'a> Node<'a> {
    fn error(&self, problem: impl Into<String>) -> CodeObjectError {
        CodeObjectError::Metadata {
            path: self.path.clone(),
            problem: problem.into(),
        }
    }

    fn wrong(&self, wanted: &str) -> CodeObjectError {
        let found = match self.value {
            ValueRef::Nil => "nil",
            ValueRef::Boolean(_) => "a boolean",
            ValueRef::Integer(_) => "another integer",
            ValueRef::F32(_) | ValueRef::F64(_) => "a float",
            ValueRef::String(_) => "a string",
            ValueRef::Binary(_) => "bytes",
            ValueRef::Array(_) => "an array",
            ValueRef::Map(_) => "a map",
            ValueRef::Ext(..) => "an extension",
        };
        self.error(format!("should be {wanted}, is {found}"))
    }

    fn get(&self, key: &str) -> Result<Option<Node<'a>>, CodeObjectError> {
        let ValueRef::Map(entries) = self.value else {
            return Err(self.wrong("a map"));
        };
        let found = entries
            .iter()
            .find(|(name, _)| matches!(name, ValueRef::String(name) if name.as_str() == Some(key)));
        let separator = if self.path.is_empty() || key.starts_with('.') {
            ""
        } else {
            "."
        };
        Ok(found.map(|(_, value)| Node {
            value,
            path: format!("{}{separator}{key}", self.path),
        }))
    }

    fn require(&self, key: &str) -> Result<Node<'a>, CodeObjectError> {
        self.get(key)?.ok_or_else(|| {
            let path = if self.path.is_empty() {
                "note".to_owned()
            } else {
                self.path.clone()
            };
            CodeObjectError::Metadata {
                path,
                problem: format!("has no `{key}`"),
            }
        })
    }

    fn items(&self) -> Result<Vec<Node<'a>>, CodeObjectError> {
        let ValueRef::Array(items) = self.value else {
            return Err(self.wrong("an array"));
        };
        Ok(items
            .iter()
            .enumerate()
            .map(|(index, value)| Node {
                value,
                path: format!("{}[{index}]", self.path),
            })
            .collect())
    }

    fn u32(&self) -> Result<u32, CodeObjectError> {
        let value = match self.value {
            ValueRef::Integer(value) => value.as_u64(),
            _ => None,
        };
        value
            .and_then(|value| u32::try_from(value).ok())
            .ok_or_else(|| self.wrong("an integer of 32 bits, not negative"))
    }

    /// Reads a boolean. Compilers have written booleans both as booleans and as integers.
    fn bool(&self) -> Result<bool, CodeObjectError> {
        match self.value {
            ValueRef::Boolean(value) => Ok(*value),
            ValueRef::Integer(value) => Ok(value.as_u64() != Some(0)),
            _ => Err(self.wrong("a boolean")),
        }
    }

    fn text(&self) -> Result<String, CodeObjectError> {
        let ValueRef::String(text) = self.value else {
            return Err(self.wrong("a string"));
        };
        let text = text.as_str().ok_or_else(|| self.error("is not UTF-8"))?;
        if text.chars().any(char::is_control) {
            return Err(self.error("has control characters"));
        }
        Ok(text.to_owned())
    }

    fn triple(&self) -> Result<[u32; 3], CodeObjectError> {
        let items = self.items()?;
        let [x, y, z] = items.as_slice() else {
            return Err(self.error(format!("should have 3 items, has {}", items.len())));
        };
        Ok([x.u32()?, y.u32()?, z.u32()?])
    }
}
