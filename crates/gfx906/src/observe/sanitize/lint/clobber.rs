//! Outputs of inline assembly that overwrite an input which is read again (`=v` where `=&v` is needed).
//!
//! The compiler may give such an output the register of an input. A reduction by hand then moves a register to itself through DPP, and adds it
//! to itself. One such step may be meant: twice a neighbour's value. Two steps in a row are a reduction that has lost its input.

use super::super::finding::{Detail, Other};
use super::paths::Line;
use crate::isa::{Form, Inst, Kind, Properties, Role};

/// Rule for the overwritten input.
pub const RULE: &str = "early clobber";

/// A move through DPP of a register to itself, and the instruction that reads the register twice.
#[derive(Clone, Copy)]
struct Step {
    moved: usize,
    used: usize,
    register: u16,
    /// Register of the result.
    result: u16,
}

/// Reports the first of several such steps in a row.
pub fn clobbered(lines: &[Line], mut tell: impl FnMut(usize, Detail)) {
    let mut before: Option<(Step, bool)> = None;
    let mut at = 0;
    while at < lines.len() {
        let Some(step) = step(lines, at) else {
            if !waits(&lines[at].inst) {
                before = None;
            }
            at += 1;
            continue;
        };
        let goes_on = before.filter(|(first, _)| first.result == step.register);
        if let Some((first, false)) = goes_on {
            tell(first.moved, detail(lines, first));
        }
        before = Some((step, goes_on.is_some()));
        at = step.used + 1;
    }
}

/// Returns the step that begins with an instruction.
fn step(lines: &[Line], moved: usize) -> Option<Step> {
    let inst = &lines[moved].inst;
    let register = inst
        .by_role(Role::Vdst)
        .as_vgpr()
        .and(Some(inst.by_role(Role::Vdst).0))?;
    let moves = inst.form == Form::Dpp && inst.row.mnemonic == "v_mov_b32";
    if !moves || inst.by_role(Role::Src0).0 != register {
        return None;
    }
    let behind = lines.iter().enumerate().skip(moved + 1);
    let (used, line) = behind.into_iter().find(|(_, line)| !waits(&line.inst))?;
    let inst = &line.inst;
    let sources = [Role::Src0, Role::Src1].map(|role| inst.by_role(role).0);
    let reads_twice = inst.kind() == Kind::Valu
        && matches!(inst.form, Form::Native | Form::E64)
        && sources == [register; 2];
    reads_twice.then(|| Step {
        moved,
        used,
        register,
        result: inst.by_role(Role::Vdst).0,
    })
}

/// Returns true if an instruction only takes time.
fn waits(inst: &Inst) -> bool {
    inst.has(Properties::NO_OPERATION) || inst.row.mnemonic == "s_waitcnt"
}

fn detail(lines: &[Line], step: Step) -> Detail {
    let name = crate::isa::register_name(crate::isa::Code(step.register), 1);
    Detail {
        lanes: 0,
        what: format!(
            "{name} is moved to itself through DPP and then read twice, step after step: the value before each move is lost"
        ),
        other: Some(Other {
            did: format!("reads {name} twice"),
            site: Some(lines[step.used].site()),
            group: None,
            wave: None,
        }),
        cure: "`=&v` in place of `=v` for outputs of inline assembly that are written before all inputs are read".into(),
    }
}
