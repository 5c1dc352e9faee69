//! Lines of a function: instructions, static facts about them, and the successors of each.

use super::super::facts::{Facts, successors};
use super::super::finding::Site;
use crate::isa::{Inst, disassemble};

/// Effect of an instruction on the state of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// The instruction has no special effect.
    Plain,
    /// Another function has run.
    Called,
    /// The instruction switches the indexing of vector registers on or off.
    Indexes(bool),
}

/// An instruction of a function.
pub struct Line {
    /// Link address of the instruction.
    pub pc: u64,
    /// The instruction.
    pub inst: Inst,
    /// Static facts about the instruction.
    pub facts: Facts,
    /// Effect on the state of the path.
    pub path: Path,
    /// Numbers of the successors.
    pub to: Vec<usize>,
}

impl Line {
    /// Returns the site of the instruction.
    pub fn site(&self) -> Site {
        Site::new(self.pc, disassemble(&self.inst))
    }
}

/// Returns the lines of some code.
pub fn lines(code: &[(u64, Inst)]) -> Vec<Line> {
    let lines = code.iter().map(|(pc, inst)| Line {
        pc: *pc,
        inst: *inst,
        facts: Facts::of(inst),
        path: path(inst),
        to: successors(*pc, inst)
            .filter_map(|to| code.binary_search_by_key(&to, |(pc, _)| *pc).ok())
            .collect(),
    });
    lines.collect()
}

fn path(inst: &Inst) -> Path {
    match inst.row.mnemonic {
        "s_swappc_b64" | "s_call_b64" => Path::Called,
        "s_set_gpr_idx_on" => Path::Indexes(true),
        "s_set_gpr_idx_mode" => Path::Indexes(inst.literal & 15 != 0),
        "s_set_gpr_idx_off" => Path::Indexes(false),
        _ => Path::Plain,
    }
}
