//! Draws of an instruction of a row and form, and of a state for it.

use super::address;
use super::dice::Dice;
use super::encode::Draft;
use super::modifier;
use super::operand;
use super::state::{EXEC, HIP_MODE, M0, MachineState};
use super::subject::Subject;
use crate::isa::{Code, Flags, Role, Type};

/// An instruction and the state before it.
pub struct LawCase {
    /// The instruction.
    pub draft: Draft,
    /// Its words.
    pub words: Vec<u32>,
    /// The state before it.
    pub state: MachineState,
}

/// Initial states. Building one takes longer than running an instruction.
pub struct Pool(Vec<MachineState>);

impl Pool {
    /// Builds a few states.
    pub fn new() -> Pool {
        let mut dice = Dice::new("pool", 0, 0);
        Pool((0..8).map(|_| MachineState::seeded(&mut dice)).collect())
    }

    /// Draws a case of a subject: modifiers, addressing, operands, registers, mask, mode.
    pub fn draw(&self, subject: &Subject, dice: &mut Dice) -> LawCase {
        let prepare = |draft: &mut Draft, dice: &mut Dice| modifier::draw(draft, dice);
        self.draw_with(subject, dice, prepare)
    }

    /// Draws a case with modifiers that the caller chooses.
    pub fn draw_with(
        &self,
        subject: &Subject,
        dice: &mut Dice,
        modifiers: impl Fn(&mut Draft, &mut Dice),
    ) -> LawCase {
        let (draft, words) = instruction(subject, dice, modifiers);
        let state = self.state(&draft, dice);
        LawCase {
            draft,
            words,
            state,
        }
    }

    /// Draws a state for an instruction with its operands.
    pub fn state(&self, draft: &Draft, dice: &mut Dice) -> MachineState {
        let mut state = self.0[dice.below(self.0.len())].clone();
        state.scc = dice.percent(50);
        state.mode = mode(dice);
        state.set64(EXEC, mask(dice));
        state.s[M0] = dice.dword();
        // Operands get fresh values, because the pool has too few.
        for (operand, code) in draft.inst.row.operands.iter().zip(&draft.inst.operands) {
            for k in 0..operand.ty.registers() as u16 {
                if code.as_vgpr().is_some() {
                    let values = std::array::from_fn(|_| dice.dword());
                    state.set_register(Code(code.0 + k), &values);
                } else if code.0 < 102 {
                    state.s[usize::from(code.0 + k)] = dice.dword();
                }
            }
        }
        address::prepare(&mut state, draft, dice);
        state
    }
}

/// Draws an instruction that the decoder confirms, with its words.
pub fn instruction(
    subject: &Subject,
    dice: &mut Dice,
    modifiers: impl Fn(&mut Draft, &mut Dice),
) -> (Draft, Vec<u32>) {
    for _ in 0..200 {
        let mut draft = Draft::new(subject);
        modifiers(&mut draft, dice);
        operand::place(&mut draft, dice);
        immediate(&mut draft, dice);
        if let Some(words) = draft.encode() {
            return (draft, words);
        }
    }
    panic!(
        "{}: no draw of operands and modifiers comes back from the decoder as it was encoded",
        subject.name()
    )
}

/// Draws the 16-bit immediate of a scalar instruction.
fn immediate(draft: &mut Draft, dice: &mut Dice) {
    let i = &draft.inst;
    let Some(operand) = i.row.operands.iter().find(|o| o.role == Role::Simm16) else {
        return;
    };
    draft.simm = match operand.ty {
        Type::Hwreg => {
            let (id, offset) = (dice.pick(&[1, 1, 2, 3, 4, 5, 6, 7, 15]), dice.below(24));
            (id | offset << 6 | dice.below(32 - offset) << 11) as u16
        }
        Type::GprIndex => dice.below(16) as u16,
        Type::WaitCounts => 0,
        // The message is an interrupt. Most others belong to graphics.
        Type::Message => 1,
        _ => match i.row.mnemonic {
            "s_trap" => 3,
            // Other values stop the wave.
            "s_setkill" | "s_sethalt" => 0,
            _ => dice.next() as u16,
        },
    };
}

/// Draws a MODE: the one for which kernels are compiled, or random rounding and subnormals with IEEE and DX10_CLAMP on or off.
pub fn mode(dice: &mut Dice) -> u32 {
    if dice.percent(50) {
        HIP_MODE
    } else {
        dice.next() as u32 & 0x3ff
    }
}

/// Draws an EXEC mask: all lanes, none, one, some, whole rows, a half.
pub fn mask(dice: &mut Dice) -> u64 {
    match dice.below(12) {
        0..=3 => !0,
        4 => 0,
        5 => 1 << dice.below(64),
        6 => 0xffff << (16 * dice.below(4)),
        7 => 0xffff_ffff << (32 * dice.below(2)),
        8 => dice.next() & dice.next() & dice.next(),
        _ => dice.next(),
    }
}

impl Draft {
    /// Returns true if the instruction writes memory: a store or an atomic.
    pub fn writes_memory(&self) -> bool {
        let i = &self.inst;
        i.row.modifiers.has(Flags::RETURNS)
            || [
                "store", "write", "atomic", "_src2_", "append", "consume", "xchg", "cmpst", "ds_",
            ]
            .iter()
            .any(|part| i.row.mnemonic.contains(part))
                && !i.row.mnemonic.starts_with("ds_read")
    }
}
