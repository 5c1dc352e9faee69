//! The instruction table: one file per encoding, one line per instruction.
//!
//! The columns are opcode, mnemonic, operands in assembly order, legal modifiers, and the handlers (`none`: the instruction disassembles,
//! and traps with its name when executed). Forms that follow by rule have no line of their own: the VOP3 form of a VOP1, VOP2, VOPC or
//! VINTRP instruction, and the SDWA and DPP forms.

#[macro_use]
mod columns;
mod ds;
mod exp;
mod flat;
mod mimg;
mod mtbuf;
mod mubuf;
mod runs;
mod smem;
mod sop1;
mod sop2;
mod sopc;
mod sopk;
mod sopp;
mod vintrp;
mod vop1;
mod vop2;
mod vop3;
mod vop3p;
mod vopc;

use super::{Encoding, Row};

/// Rows by opcode.
type Index<const N: usize> = [Option<&'static Row>; N];

const fn index<const N: usize>(groups: &[&'static [Row]]) -> Index<N> {
    let mut index = [None; N];
    let mut group = 0;
    while group < groups.len() {
        let mut i = 0;
        while i < groups[group].len() {
            let row = &groups[group][i];
            assert!(
                index[row.opcode as usize].is_none(),
                "two rows have the same opcode"
            );
            index[row.opcode as usize] = Some(row);
            i += 1;
        }
        group += 1;
    }
    index
}

static SOP1: Index<256> = index(&[sop1::ROWS]);
static SOP2: Index<128> = index(&[sop2::ROWS]);
static SOPK: Index<32> = index(&[sopk::ROWS]);
static SOPC: Index<128> = index(&[sopc::ROWS]);
static SOPP: Index<128> = index(&[sopp::ROWS]);
static SMEM: Index<256> = index(&[smem::ROWS]);
static VOP1: Index<256> = index(&[vop1::ROWS]);
static VOP2: Index<64> = index(&[vop2::ROWS]);
static VOPC: Index<256> = vopc();
static VOP3: Index<1024> = index(&[vop3::ROWS]);
static VOP3P: Index<128> = index(&[vop3p::ROWS]);
static VINTRP: Index<4> = index(&[vintrp::ROWS]);
static DS: Index<256> = index(&[ds::ROWS]);
static FLAT: Index<128> = index(&[flat::FLAT_ROWS, flat::FLAT_ATOMICS]);
static GLOBAL: Index<128> = index(&[flat::GLOBAL_ROWS, flat::GLOBAL_ATOMICS]);
static SCRATCH: Index<128> = index(&[flat::SCRATCH_ROWS]);
static MUBUF: Index<128> = index(&[mubuf::ROWS]);
static MTBUF: Index<16> = index(&[mtbuf::ROWS]);
static MIMG: Index<128> = index(&[mimg::ROWS]);
static EXP: Index<1> = index(&[exp::ROWS]);

const fn vopc() -> Index<256> {
    let classes: Index<256> = index(&[vopc::CLASSES]);
    let mut rows: Index<256> = index(vopc::COMPARISONS);
    let mut opcode = 0;
    while opcode < rows.len() {
        if classes[opcode].is_some() {
            rows[opcode] = classes[opcode];
        }
        opcode += 1;
    }
    rows
}

fn by_opcode(encoding: Encoding) -> &'static [Option<&'static Row>] {
    match encoding {
        Encoding::Sop1 => &SOP1,
        Encoding::Sop2 => &SOP2,
        Encoding::Sopk => &SOPK,
        Encoding::Sopc => &SOPC,
        Encoding::Sopp => &SOPP,
        Encoding::Smem => &SMEM,
        Encoding::Vop1 => &VOP1,
        Encoding::Vop2 => &VOP2,
        Encoding::Vopc => &VOPC,
        Encoding::Vop3 => &VOP3,
        Encoding::Vop3p => &VOP3P,
        Encoding::Vintrp => &VINTRP,
        Encoding::Ds => &DS,
        Encoding::Flat => &FLAT,
        Encoding::Global => &GLOBAL,
        Encoding::Scratch => &SCRATCH,
        Encoding::Mubuf => &MUBUF,
        Encoding::Mtbuf => &MTBUF,
        Encoding::Mimg => &MIMG,
        Encoding::Exp => &EXP,
    }
}

/// Finds the row of an opcode in an encoding's native form.
pub fn lookup(encoding: Encoding, opcode: u16) -> Option<&'static Row> {
    by_opcode(encoding)
        .get(usize::from(opcode))
        .copied()
        .flatten()
}

/// Iterates over all rows, by encoding and opcode.
pub fn rows() -> impl Iterator<Item = (Encoding, &'static Row)> {
    Encoding::ALL.into_iter().flat_map(|encoding| {
        by_opcode(encoding)
            .iter()
            .flatten()
            .map(move |row| (encoding, *row))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookup_finds_every_row_under_its_opcode() {
        for (encoding, row) in rows() {
            let found = lookup(encoding, row.opcode).map(|r| r.mnemonic);
            assert_eq!(found, Some(row.mnemonic), "{encoding:?} {:#x}", row.opcode);
        }
    }

    #[test]
    fn opcodes_beyond_the_encoding_have_no_row() {
        for encoding in Encoding::ALL {
            assert!(lookup(encoding, u16::MAX).is_none(), "{encoding:?}");
        }
    }

    #[test]
    fn mnemonics_are_unique() {
        let mut names: Vec<_> = rows().map(|(_, row)| row.mnemonic).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
