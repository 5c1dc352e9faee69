//! Memory traffic of an instruction, as far as its words determine it.

use crate::isa::{Encoding, Flags, Inst, Properties, Role};

/// Path on which an instruction reaches memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryPath {
    /// The instruction does not access memory.
    #[default]
    None,
    /// Each lane accesses a global address.
    Global,
    /// Each lane accesses a flat address: global memory, LDS or scratch.
    Flat,
    /// Each lane accesses memory through a buffer resource, possibly the one of scratch.
    Buffer,
    /// Each lane accesses an image resource.
    Image,
    /// Each lane accesses its scratch.
    Scratch,
    /// Each lane accesses the group's LDS.
    Lds,
    /// The wave as a whole accesses the group's LDS.
    LdsOnce,
    /// The wave as a whole accesses memory through the scalar cache.
    Scalar,
}

/// Bytes that an instruction moves, per lane or once for the wave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Path on which the bytes are reached.
    pub way: MemoryPath,
    /// Bytes read.
    pub read: u8,
    /// Bytes written.
    pub written: u8,
    /// True if the data moves between memory and a dword of LDS instead of a register.
    pub with_lds: bool,
}

impl Traffic {
    /// Determines the traffic of an instruction from the types of its operands. A load or store through a format counts the bytes of its
    /// registers.
    pub fn of(inst: &Inst) -> Traffic {
        let way = match inst.encoding {
            Encoding::Smem => MemoryPath::Scalar,
            Encoding::Global => MemoryPath::Global,
            Encoding::Flat => MemoryPath::Flat,
            Encoding::Scratch => MemoryPath::Scratch,
            Encoding::Mubuf | Encoding::Mtbuf => MemoryPath::Buffer,
            Encoding::Mimg if inst.row.semantics.is_some() => MemoryPath::Image,
            Encoding::Ds if inst.has(Properties::LDS_COUNTER) => MemoryPath::LdsOnce,
            Encoding::Ds => MemoryPath::Lds,
            _ => return Traffic::default(),
        };
        let (read, written) = match inst.encoding {
            Encoding::Ds => in_lds(inst),
            Encoding::Mimg => in_image(inst),
            _ => in_memory(inst),
        };
        if (read, written) == (0, 0) {
            return Traffic::default();
        }
        Traffic {
            way,
            read: read as u8,
            written: written as u8,
            with_lds: inst.modifiers.flags.has(Flags::LDS),
        }
    }
}

/// Returns the size in bytes of the operand with a role.
fn bytes(inst: &Inst, role: Role) -> usize {
    let mut operands = inst.row.operands.iter();
    let found = operands.find(|operand| operand.role == role);
    found.map_or(0, |operand| operand.ty.bytes())
}

/// Returns the bytes read and written by a scalar, flat or buffer instruction.
fn in_memory(inst: &Inst) -> (usize, usize) {
    let register = bytes(inst, Role::Vdst) + bytes(inst, Role::Sdst);
    let data = match bytes(inst, Role::Data) {
        0 => bytes(inst, Role::Sdst),
        data => data,
    };
    if inst.has(Properties::COMPARE_AND_SWAP) {
        // The compare value stands behind the data in the same operand.
        (data / 2, data / 2)
    } else if inst.has(Properties::ATOMIC) {
        (data, data)
    } else if inst.has(Properties::STORES_LDS) {
        (0, 4)
    } else if inst.has(Properties::LOAD) {
        (register, 0)
    } else if inst.has(Properties::STORE) {
        (0, data)
    } else {
        (0, 0)
    }
}

/// Returns the bytes read and written by an image instruction, from the size of its registers.
fn in_image(inst: &Inst) -> (usize, usize) {
    let data = |role| {
        let operand = inst.row.operands.iter().find(|o| o.role == role);
        operand.map_or(0, |operand| 4 * usize::from(inst.registers(operand)))
    };
    if inst.has(Properties::LOAD) || inst.has(Properties::SAMPLE) {
        (data(Role::Vdst), 0)
    } else if inst.has(Properties::STORE) {
        (0, data(Role::Data))
    } else {
        (0, 0)
    }
}

/// Returns the bytes of LDS read and written by a DS instruction. A lane exchange accesses none.
fn in_lds(inst: &Inst) -> (usize, usize) {
    let data = bytes(inst, Role::Data);
    let both = data + bytes(inst, Role::Data1);
    let wide = if inst.has(Properties::LDS_WIDE) { 8 } else { 4 };
    let without_lds = [
        Properties::LDS_LANE_EXCHANGE,
        Properties::GWS,
        Properties::ORDERED_COUNT,
    ];
    if without_lds.iter().any(|&property| inst.has(property)) {
        (0, 0)
    } else if inst.has(Properties::LDS_COUNTER) {
        (4, 4)
    } else if inst.has(Properties::LDS_COPY) {
        (wide, wide)
    } else if inst.has(Properties::LDS_OPERAND) {
        (2 * wide, wide)
    } else if inst.has(Properties::LDS_READ) {
        (bytes(inst, Role::Vdst), 0)
    } else if inst.has(Properties::LDS_WRITE) {
        (0, both)
    } else if inst.has(Properties::LDS_EXCHANGE2) {
        (both, both)
    } else {
        (data, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::{self, Code, Form, Modifiers, Row};

    /// Builds an instruction of a row, without modifiers.
    fn plain(encoding: Encoding, row: &'static Row) -> Inst {
        Inst {
            row,
            encoding,
            form: Form::Native,
            size: 8,
            operands: [Code::OFF; 6],
            literal: 0,
            offset: 0,
            modifiers: Modifiers::default(),
            words: [0; 2],
        }
    }

    /// Determines from the mnemonic if the instruction reads and writes memory.
    fn named(name: &str) -> (bool, bool) {
        let says = |words: &[&str]| words.iter().any(|word| name.contains(word));
        if says(&["_atomic_", "_src2_", "append", "consume"]) {
            (true, true)
        } else if says(&["_load_", "ds_read"]) {
            (true, false)
        } else if says(&["_store_", "ds_write"]) {
            (false, true)
        } else {
            let no_memory = says(&["permute", "swizzle", "gws", "ordered", "nop"]);
            let moves = name.starts_with("ds_") && !no_memory;
            (moves, moves)
        }
    }

    #[test]
    fn every_load_store_and_atomic_moves_bytes() {
        let mut count = 0;
        for (encoding, row) in isa::rows() {
            let traffic = Traffic::of(&plain(encoding, row));
            let moves = (traffic.read != 0, traffic.written != 0);
            // Image rows without handlers belong to graphics, and access no memory of a kernel.
            let named = match encoding {
                Encoding::Mimg if row.semantics.is_none() => (false, false),
                Encoding::Mimg => (
                    row.mnemonic.contains("load") || row.mnemonic.contains("sample"),
                    row.mnemonic.contains("store"),
                ),
                _ => named(row.mnemonic),
            };
            assert_eq!(moves, named, "{}", row.mnemonic);
            count += usize::from(moves != (false, false));
        }
        assert!(count > 300, "{count}");
    }

    #[test]
    fn widths_are_those_of_memory() {
        let widths = [
            ("s_load_dwordx16", 64, 0),
            ("s_buffer_store_dwordx4", 0, 16),
            ("s_atomic_cmpswap_x2", 8, 8),
            ("s_memtime", 0, 0),
            ("s_dcache_wb", 0, 0),
            ("global_load_ubyte_d16_hi", 1, 0),
            ("flat_store_short_d16_hi", 0, 2),
            ("scratch_load_dwordx3", 12, 0),
            ("global_atomic_cmpswap", 4, 4),
            ("global_atomic_cmpswap_x2", 8, 8),
            ("flat_atomic_add_x2", 8, 8),
            ("buffer_load_dwordx4", 16, 0),
            ("buffer_atomic_cmpswap", 4, 4),
            ("buffer_store_lds_dword", 0, 4),
            ("buffer_wbinvl1", 0, 0),
            ("ds_write2st64_b64", 0, 16),
            ("ds_read2_b32", 8, 0),
            ("ds_read_u16_d16", 2, 0),
            ("ds_cmpst_rtn_b64", 8, 8),
            ("ds_mskor_b32", 4, 4),
            ("ds_wrxchg2_rtn_b64", 16, 16),
            ("ds_add_src2_u64", 16, 8),
            ("ds_write_src2_b32", 4, 4),
            ("ds_append", 4, 4),
            ("ds_bpermute_b32", 0, 0),
            ("ds_swizzle_b32", 0, 0),
            ("ds_nop", 0, 0),
            ("v_mov_b32", 0, 0),
        ];
        for (name, read, written) in widths {
            let mut rows = isa::rows();
            let found = rows.find(|(_, row)| row.mnemonic == name);
            let (encoding, row) = found.unwrap_or_else(|| panic!("no row {name}"));
            let traffic = Traffic::of(&plain(encoding, row));
            assert_eq!((traffic.read, traffic.written), (read, written), "{name}");
        }
    }
}
