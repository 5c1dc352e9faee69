//! What an instruction does to what is known.

use gfx906::code_object::Kernel;
use gfx906::isa::uses::Uses;
use gfx906::isa::{Code, Flags, Inst, Kind, Role};

use super::super::super::launches::{Bounds, Taken};
use super::lanes::{Mask, Place};
use super::results::results;
use super::state::{State, Value};
use super::term::Term;
use super::value::Range;

const EXEC: u16 = Code::EXEC.0;
/// The inline constant -1.
const MINUS_ONE: u16 = 193;

/// The words of a kernel's arguments.
#[derive(Debug)]
pub(super) struct Given {
    words: Vec<Option<Taken>>,
}

impl Given {
    /// Those of a kernel.
    pub fn of(kernel: &Kernel, bounds: &Bounds) -> Given {
        Given {
            words: bounds.segment(kernel),
        }
    }

    /// These words.
    #[cfg(test)]
    pub fn words(words: Vec<Option<Taken>>) -> Given {
        Given { words }
    }

    fn word(&self, offset: i64) -> Value {
        let at = usize::try_from(offset).ok().filter(|at| at % 4 == 0);
        let word = at.and_then(|at| self.words.get(at / 4).copied().flatten());
        word.map_or(Value::ANY, |(lo, hi, bits)| {
            Value::Number(Range::between(lo.into(), hi.into()).of_bits(bits))
        })
    }
}

/// What is known where a kernel begins.
pub(super) fn entry(kernel: &Kernel, bounds: &Bounds) -> State {
    let mut state = State::new();
    let d = &kernel.descriptor;
    let mut next = 0;
    for (there, count) in [
        (d.enable_private_segment_buffer(), 4),
        (d.enable_dispatch_ptr(), 2),
        (d.enable_queue_ptr(), 2),
    ] {
        next += if there { count } else { 0 };
    }
    if d.enable_kernarg_segment_ptr() {
        state.set(next, Value::Arguments(0));
        state.set(next + 1, Value::ArgumentsHigh);
    }
    let mut next = d.user_sgpr_count() as u16;
    let below = |count: u32| Value::Number(Range::between(0, u64::from(count.max(1)) - 1));
    for (axis, there) in [
        d.enable_work_group_id_x(),
        d.enable_work_group_id_y(),
        d.enable_work_group_id_z(),
    ]
    .into_iter()
    .enumerate()
    {
        if there {
            state.set(next, below(bounds.groups(axis)));
            next += 1;
        }
    }
    for axis in 0..(d.work_item_id_vgprs() as usize).min(3) {
        state.set(256 + axis as u16, below(bounds.block[axis].1));
    }
    state
}

/// Goes on behind an instruction that is no branch.
pub(super) fn step(state: &mut State, inst: &Inst, given: &Given) {
    let name = inst.row.mnemonic;
    let uses = Uses::of(inst);
    let to = inst.operands[0];
    let mut special: Vec<(u16, Value)> = Vec::new();
    // The lane that half of a mask may come back from.
    let mut comes = None;
    match name {
        _ if Kind::of(inst) == Kind::Smem => special = loaded(state, inst, given),
        "s_add_u32" => special = argument(state, inst, to),
        "s_addc_u32" => {
            let [a, b] = [inst.operands[1], inst.operands[2]];
            if state.get(a.0) == Value::ArgumentsHigh && b == Code(128) {
                special.push((to.0, Value::ArgumentsHigh));
            }
        }
        "v_writelane_b32" => {
            let value = match inst.by_role(Role::Src0).0 {
                code @ 0..=127 => state.get(code),
                _ => Value::ANY,
            };
            let value = if value == Value::Unwritten {
                Value::ANY
            } else {
                value
            };
            if let Some(vgpr) = to.as_vgpr() {
                let lane = lane(state, inst);
                state.spill(vgpr, lane, value);
                let from = Place::Scalar(inst.by_role(Role::Src0).0);
                if let Some(lane) = lane {
                    state.lanes.carry(from, Place::Lane(vgpr, lane));
                }
            }
            return;
        }
        "v_readlane_b32" => {
            if let Some(vgpr) = inst.by_role(Role::Src0).as_vgpr() {
                let lane = lane(state, inst);
                special.push((to.0, state.lane(vgpr, lane)));
                comes = lane.map(|lane| Place::Lane(vgpr, lane));
            }
        }
        _ => {}
    }
    let before: Vec<(u16, Value)> = results(inst, state)
        .into_iter()
        .map(|(number, term)| {
            let own = special.iter().find(|(of, _)| *of == number);
            let value = match (own, term) {
                (Some((_, value)), _) => *value,
                (None, Term::Register(of, _)) if state.get(of) != Value::Unwritten => state.get(of),
                (None, term) => Value::Number(term.range()),
            };
            (number, value)
        })
        .collect();
    let mask = |nth: usize| inst.operands[nth];
    // A mask of no lane, which EXEC is then, or is narrowed to.
    let nobody = {
        let of = match name {
            "s_and_saveexec_b64" => Some(mask(1)),
            "s_mov_b64" if to == Code::EXEC => Some(mask(1)),
            "s_and_b64" if mask(1) == Code::EXEC => Some(mask(2)),
            "s_and_b64" if mask(2) == Code::EXEC => Some(mask(1)),
            _ => None,
        };
        of.is_some_and(|of| {
            [0, 1]
                .iter()
                .all(|half| state.get(of.0 + half).range().hi == 0)
        })
    };
    let everyone = [0, 1].iter().all(|half| {
        let of = mask(1).0;
        match of {
            0..=127 => state.get(of + half).range().one() == Some(u32::MAX),
            _ => of == MINUS_ONE,
        }
    });
    let made = mask_of(state, inst);
    let less = less_than_sum(state, inst);
    let changes = uses.writes.has(EXEC) || uses.writes.has(EXEC + 1);
    if changes {
        state.exec_changes();
    }
    for (number, value) in before {
        match value {
            // EXEC is not followed: it is whatever it is.
            _ if number == EXEC || number == EXEC + 1 => {}
            // What was a copy of it is the mask that was.
            Value::Lanes(_) if changes => state.set(number, Value::ANY),
            value => state.set(number, value),
        }
    }
    for summand in less {
        state.is_less(summand, to.0);
    }
    let lanes = &mut state.lanes;
    if let Some(from) = comes {
        lanes.carry(from, Place::Scalar(to.0));
    }
    let narrows = match name {
        "s_and_b64" => [mask(1), mask(2)].contains(&Code::EXEC),
        "s_andn2_b64" => mask(1) == Code::EXEC,
        _ => name.starts_with("v_cmpx"),
    };
    match name {
        "s_mov_b64" if mask(1) == Code::EXEC => lanes.save(to.0),
        _ if !changes => {
            if let Some(mask) = made {
                lanes.keep(to.0, mask);
            }
        }
        // All lanes stay on.
        "s_and_saveexec_b64" if everyone => lanes.save(to.0),
        "s_and_saveexec_b64" => lanes.save_and_narrow(to.0),
        _ if narrows => lanes.narrow(),
        "s_or_saveexec_b64" | "s_andn2_saveexec_b64" => {
            let was = lanes.mask(Code::EXEC);
            match name {
                "s_or_saveexec_b64" => lanes.widen(made.unwrap_or_default()),
                _ => lanes.exchange(made.unwrap_or_default()),
            }
            lanes.keep(to.0, was);
        }
        "s_or_b64" if [mask(1), mask(2)].contains(&Code::EXEC) => {
            lanes.widen(made.unwrap_or_default());
        }
        _ => lanes.exchange(made.unwrap_or_default()),
    }
    if nobody {
        lanes.set_none();
    }
}

/// The scalars that are less than their sum, which an instruction makes: what is added is not 0, and nothing is carried.
fn less_than_sum(state: &State, inst: &Inst) -> Vec<u16> {
    if !matches!(inst.row.mnemonic, "s_add_u32" | "s_add_i32") {
        return Vec::new();
    }
    let sources = [inst.by_role(Role::Src0), inst.by_role(Role::Src1)];
    let range = |code: Code| match constant(state, code) {
        Some(word) => Range::only(word),
        None => state.get(code.0).range(),
    };
    let [a, b] = sources.map(range);
    if a.hi.checked_add(b.hi).is_none() {
        return Vec::new();
    }
    let summands = sources.into_iter().zip([b, a]);
    summands
        .filter(|(code, other)| code.0 < 128 && *code != inst.operands[0] && other.lo > 0)
        .map(|(code, _)| code.0)
        .collect()
}

/// The mask of lanes that an instruction makes, if something is known of it.
fn mask_of(state: &State, inst: &Inst) -> Option<Mask> {
    let mask = |nth: usize| state.lanes.mask(inst.operands[nth]);
    Some(match inst.row.mnemonic {
        "s_mov_b64" => mask(1),
        "s_and_b64" => mask(1).and(mask(2)),
        "s_andn2_b64" | "s_andn2_saveexec_b64" => mask(1).part(),
        "s_or_b64" => mask(1).or(mask(2)),
        "s_or_saveexec_b64" => mask(1).or(state.lanes.mask(Code::EXEC)),
        "s_xor_b64" => mask(1).or(mask(2)).part(),
        "s_cselect_b64" => mask(1).either(mask(2)),
        // Lanes that are off have no bit.
        name if name.starts_with("v_cmp_") => state.lanes.mask(Code::EXEC).part(),
        _ => return None,
    })
}

/// What a load of arguments brings.
fn loaded(state: &State, inst: &Inst, given: &Given) -> Vec<(u16, Value)> {
    let flags = inst.modifiers.flags;
    let base = inst.by_role(Role::Sbase);
    let plain = inst.row.mnemonic.starts_with("s_load_dword")
        && base.0 < 127
        && flags.has(Flags::IMM)
        && !flags.has(Flags::SOFFSET);
    if !plain {
        return Vec::new();
    }
    match (state.get(base.0), state.get(base.0 + 1)) {
        (Value::Arguments(from), Value::ArgumentsHigh) => {
            let first = i64::from(from) + i64::from(inst.offset);
            let count = inst.row.operands[0].ty.registers() as u16;
            let word = |at: u16| given.word(first + 4 * i64::from(at));
            (0..count)
                .map(|at| (inst.operands[0].0 + at, word(at)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The address of the arguments and so many bytes more.
fn argument(state: &State, inst: &Inst, to: Code) -> Vec<(u16, Value)> {
    let [a, b] = [inst.operands[1], inst.operands[2]];
    match (state.get(a.0), constant(state, b)) {
        (Value::Arguments(from), Some(more)) if a.0 < 128 && more < 1 << 20 => {
            vec![(to.0, Value::Arguments(from + more))]
        }
        _ => Vec::new(),
    }
}

/// The lane that `v_readlane_b32` and `v_writelane_b32` mean.
fn lane(state: &State, inst: &Inst) -> Option<u8> {
    let lane = constant(state, inst.by_role(Role::Src1));
    lane.map(|lane| (lane & 63) as u8)
}

/// The word that a scalar source is.
fn constant(state: &State, code: Code) -> Option<u32> {
    match code.0 {
        0..=127 => state.get(code.0).range().one(),
        128..=192 => Some(u32::from(code.0) - 128),
        _ => None,
    }
}
