//! The counts of one launch: rows that ran, branches taken, memories accessed, and the registers that waves ended with.

use std::collections::BTreeSet;

use gfx906::isa::{self, Encoding, Row};
use gfx906::machine::{Group, Op, Wave};
use gfx906::observe::Observer;

/// The rows of the instruction table that ran.
#[derive(Default)]
pub struct Rows {
    ran: BTreeSet<(Encoding, u16)>,
}

impl Rows {
    /// Adds the row of an instruction.
    pub fn insert(&mut self, op: &Op) {
        self.ran.insert((op.encoding, op.row.opcode));
    }

    /// Adds the rows that ran in another launch.
    pub fn add(&mut self, other: &Rows) {
        self.ran.extend(&other.ran);
    }

    /// Returns the number of rows that ran, and the number of rows that have semantics.
    pub fn reached(&self) -> (usize, usize) {
        let missed = self.missed().len();
        let all = rows_with_semantics().count();
        (all - missed, all)
    }

    /// Returns the names of rows that have semantics and did not run.
    pub fn missed(&self) -> Vec<&'static str> {
        let is_missed = |(e, row): &(Encoding, &Row)| !self.ran.contains(&(*e, row.opcode));
        rows_with_semantics()
            .filter(is_missed)
            .map(|(_, row)| row.mnemonic)
            .collect()
    }
}

fn rows_with_semantics() -> impl Iterator<Item = (Encoding, &'static Row)> {
    isa::rows().filter(|(_, row)| row.semantics.is_some())
}

/// An observer of one launch.
#[derive(Default)]
pub struct Tally {
    /// The rows that ran.
    pub rows: Rows,
    /// Branches taken forward.
    pub forward: u64,
    /// Branches taken backward.
    pub backward: u64,
    /// Instructions on global memory, which include buffer and scalar memory instructions.
    pub global: u64,
    /// Instructions on LDS.
    pub lds: u64,
    /// Instructions on scratch.
    pub scratch: u64,
    /// Atomics in any memory.
    pub atomics: u64,
    /// Sum of the hashes of the registers that waves ended with. It is a sum because the order of groups is not specified.
    pub registers: u64,
    /// Guest address of the program. The frame's prologue before it is not counted.
    pub start: u64,
    group: [u32; 3],
    counts_rows: bool,
}

impl Tally {
    /// Creates an observer that also counts rows and memory accesses, which takes time.
    pub fn with_rows() -> Tally {
        Tally {
            counts_rows: true,
            ..Tally::default()
        }
    }
}

impl Observer for Tally {
    fn fork(&self) -> Option<Tally> {
        Some(Tally {
            counts_rows: self.counts_rows,
            start: self.start,
            ..Tally::default()
        })
    }

    fn join(&mut self, worker: Tally) {
        self.rows.add(&worker.rows);
        self.forward += worker.forward;
        self.backward += worker.backward;
        self.global += worker.global;
        self.lds += worker.lds;
        self.scratch += worker.scratch;
        self.atomics += worker.atomics;
        self.registers = self.registers.wrapping_add(worker.registers);
    }

    fn group(&mut self, group: &Group) {
        self.group = group.id;
    }

    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if op.row.mnemonic.starts_with("s_endpgm") {
            let hash = digest(wave, self.group);
            self.registers = self.registers.wrapping_add(hash);
        }
        if !self.counts_rows || pc < self.start {
            return;
        }
        self.rows.insert(op);
        let name = op.row.mnemonic;
        match op.encoding {
            Encoding::Ds => self.lds += 1,
            Encoding::Scratch => self.scratch += 1,
            Encoding::Mubuf | Encoding::Mtbuf if op.words[1] >> 16 & 31 == 4 => self.scratch += 1,
            Encoding::Global | Encoding::Mubuf | Encoding::Mtbuf | Encoding::Smem => {
                self.global += 1;
            }
            Encoding::Flat => match op.words[1] & 0xff {
                6 => self.lds += 1,
                8 => self.scratch += 1,
                _ => self.global += 1,
            },
            _ => {}
        }
        self.atomics += u64::from(name.contains("_atomic_") || name.contains("_rtn_"));
    }

    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        let next = pc.wrapping_add(op.size.into());
        self.forward += u64::from(wave.pc > next);
        self.backward += u64::from(wave.pc < next);
    }
}

/// Returns a hash of a wave's registers, except for those that hold addresses.
fn digest(wave: &Wave, group: [u32; 3]) -> u64 {
    let mut hash = u64::from(group[0]) << 32 | u64::from(wave.index);
    let mut mix = |word: u64| {
        hash = (hash.rotate_left(23) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    };
    for register in &wave.v[..64] {
        for pair in register.chunks_exact(2) {
            mix(u64::from(pair[0]) | u64::from(pair[1]) << 32);
        }
    }
    // The SGPRs below s30 hold addresses. FLAT_SCRATCH and the copies of it depend on the worker thread, so they are left out too.
    for pair in wave.s[30..100].chunks_exact(2) {
        mix(u64::from(pair[0]) | u64::from(pair[1]) << 32);
    }
    for special in [106, 107, 124, 126, 127] {
        mix(wave.s[special].into());
    }
    mix(u64::from(wave.scc) | u64::from(wave.mode_bits()) << 32);
    hash
}
