//! Arguments in the form of a launch file: addresses become buffers and offsets, other values stay.

use std::collections::{BTreeMap, BTreeSet};

use gfx906::code_object::{Arg, ArgKind, Kernel};
use serde_json::{Value, json};

use crate::boundary::Address;
use crate::objects::memory::{Allocation, Memory};

/// Size of an address.
const POINTER: usize = 8;

/// Arguments of a launch.
pub struct Arguments {
    /// A value per argument, in order.
    pub json: Vec<Value>,
    /// Allocations that the arguments point into, by address.
    allocations: PointedAllocations,
}

/// Returns the name of an allocation's buffer, with the number that fault reports use (`hipMalloc #3`).
pub fn name(allocation: &Allocation) -> String {
    format!("alloc{}", allocation.call)
}

impl Arguments {
    /// Converts the explicit arguments of a kernel.
    pub fn new(kernel: &Kernel, kernarg: &[u8], memory: &Memory) -> Arguments {
        let mut allocations = PointedAllocations::new();
        let json = kernel.explicit_args().map(|arg| {
            let bytes = kernarg.get(arg.offset as usize..).unwrap_or_default();
            let bytes = &bytes[..bytes.len().min(arg.size as usize)];
            argument(arg, bytes, memory, &mut allocations)
        });
        let json = json.collect();
        Arguments { json, allocations }
    }

    /// Converts a variable that contains pointers. Returns none for a variable without pointers.
    pub fn variable(&mut self, bytes: &[u8], memory: &Memory) -> Option<Value> {
        let parts = split_value(0, bytes, memory, &mut self.allocations);
        let pointers = parts.iter().any(Value::is_string);
        pointers.then_some(Value::Array(parts))
    }

    /// Returns the allocations that the arguments point into.
    pub fn buffers(&self) -> Vec<PointedAllocation> {
        self.allocations.values().cloned().collect()
    }
}

/// An allocation that arguments point into.
#[derive(Clone, Debug)]
pub struct PointedAllocation {
    /// The allocation.
    pub allocation: Allocation,
    /// Addresses in it that are arguments.
    pub pointers: BTreeSet<Address>,
}

type PointedAllocations = BTreeMap<Address, PointedAllocation>;

fn argument(arg: &Arg, bytes: &[u8], memory: &Memory, found: &mut PointedAllocations) -> Value {
    if let (ArgKind::GlobalBuffer, Ok(word)) = (&arg.kind, bytes.try_into()) {
        let address = u64::from_le_bytes(word);
        let allocation = memory
            .allocation_at(address)
            .or_else(|| memory.ending_at(address));
        return match allocation {
            Some(allocation) => pointer(address, allocation, found),
            // Null, or memory that kernels do not reach. The replay faults there as the launch did.
            None => json!({ "u64": address }),
        };
    }
    let parts = split_value(arg.offset as usize, bytes, memory, found);
    match parts.as_slice() {
        [] => json!({ "raw": "" }),
        [one] if one.is_object() => one.clone(),
        _ => Value::Array(parts),
    }
}

/// Splits a value: aligned words that lie in an allocation are pointers, the bytes between them are raw.
fn split_value(
    offset: usize,
    bytes: &[u8],
    memory: &Memory,
    found: &mut PointedAllocations,
) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut raw = 0;
    let mut at = offset.next_multiple_of(POINTER) - offset;
    while let Some(word) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let address = u64::from_le_bytes(*word);
        if let Some(allocation) = memory.allocation_at(address) {
            parts.extend(hex(&bytes[raw..at]));
            parts.push(pointer(address, allocation, found));
            raw = at + POINTER;
        }
        at += POINTER;
    }
    parts.extend(hex(&bytes[raw..]));
    parts
}

/// Returns a pointer as text: `$alloc3 + 128`.
fn pointer(address: Address, allocation: Allocation, found: &mut PointedAllocations) -> Value {
    let pointed = found
        .entry(allocation.base)
        .or_insert_with(|| PointedAllocation {
            allocation,
            pointers: BTreeSet::new(),
        });
    pointed.pointers.insert(address);
    let name = name(&allocation);
    match address - allocation.base {
        0 => json!(format!("${name}")),
        offset => json!(format!("${name} + {offset}")),
    }
}

fn hex(bytes: &[u8]) -> Option<Value> {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    (!bytes.is_empty()).then(|| json!({ "raw": digits }))
}

#[cfg(test)]
mod tests {
    use gfx906::code_object::CodeObject;

    use super::*;
    use crate::objects::memory::Kind;

    const FIRST: Address = 1 << 47;

    /// Returns allocations of 256 bytes; the second begins a page behind the first.
    fn memory() -> Memory {
        let mut memory = Memory::default();
        for base in [FIRST, FIRST + 4096] {
            memory.name("hipMalloc");
            memory.insert(Allocation {
                kind: Kind::Device,
                base,
                size: 256,
                flags: 0,
                call: 0,
            });
        }
        memory
    }

    /// Returns the kernel `axpy(const float* x, float* y, float a, Pair pair, double d, char c)`, whose pair has `size` bytes at `offset`.
    fn axpy(offset: u32, size: u32) -> Kernel {
        let code = include_bytes!("../../../../gfx906/tests/data/v5.co");
        let object = CodeObject::parse(code).expect("a code object");
        let mut kernel = object.kernel("axpy").expect("there").clone();
        kernel.args.truncate(4);
        kernel.args[3].offset = offset;
        kernel.args[3].size = size;
        kernel
    }

    fn arguments(kernel: &Kernel, values: [u64; 2], rest: &[u64]) -> (Vec<Value>, Vec<u64>) {
        let mut bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        bytes.extend(7u32.to_le_bytes());
        bytes.resize(kernel.args[3].offset as usize, 0);
        bytes.extend(rest.iter().flat_map(|value| value.to_le_bytes()));
        let arguments = Arguments::new(kernel, &bytes, &memory());
        let calls = arguments
            .buffers()
            .iter()
            .map(|buffer| buffer.allocation.call)
            .collect();
        (arguments.json, calls)
    }

    #[test]
    fn pointers_are_buffers_and_offsets() {
        let kernel = axpy(24, 8);
        let (json, buffers) = arguments(&kernel, [FIRST + 4096, FIRST + 128], &[5]);
        assert_eq!(
            json,
            [
                json!("$alloc2"),
                json!("$alloc1 + 128"),
                json!({"raw": "07000000"}),
                json!({"raw": "0500000000000000"})
            ]
        );
        assert_eq!(buffers, [1, 2]);
        // An address behind the end, a null pointer, and an address of no allocation.
        let (json, buffers) = arguments(&kernel, [FIRST + 256, 0], &[FIRST + 257]);
        assert_eq!(json[..2], [json!("$alloc1 + 256"), json!({"u64": 0})]);
        assert_eq!(json[3], json!({"raw": "0101000000800000"}));
        assert_eq!(buffers, [1]);
        let (json, _) = arguments(&kernel, [FIRST - 1, FIRST + 300], &[0]);
        assert_eq!(
            json[..2],
            [json!({"u64": FIRST - 1}), json!({"u64": FIRST + 300})]
        );
    }

    #[test]
    fn structures_are_raw_but_for_aligned_pointers() {
        let kernel = axpy(24, 32);
        let (json, buffers) = arguments(&kernel, [0, 0], &[1, FIRST + 4096 + 8, FIRST, 2]);
        assert_eq!(
            json[3],
            json!([{"raw": "0100000000000000"}, "$alloc2 + 8", "$alloc1", {"raw": "0200000000000000"}])
        );
        assert_eq!(buffers, [1, 2]);
        // A pointer in a structure that is passed by value.
        let (json, _) = arguments(&axpy(24, 8), [0, 0], &[FIRST + 4]);
        assert_eq!(json[3], json!(["$alloc1 + 4"]));
        // A structure at offset 20 has its aligned words from offset 24 on.
        let (json, buffers) = arguments(&axpy(20, 12), [0, 0], &[FIRST, FIRST]);
        assert_eq!(json[3], json!({"raw": "000000000080000000000000"}));
        assert_eq!(buffers, [0; 0]);
    }
}
