//! Forms and modes of instructions that few kernels use, kept apart from the common handlers for speed.

use super::env::Env;
use super::level::Level;
use super::op::Handlers;
use super::op::Op;
use super::shapes::{self, indexing};
use super::trap::StepResult;
use super::trap::{Fault, TrapKind};
use super::wave::Wave;
use crate::isa::fields::{self, ReservedValue};
use crate::isa::{self, Code, DecodeError, Encoding, Flags, Inst, Properties};
use crate::semantics::Mode;

/// Returns the handlers of an instruction in its form.
pub fn handlers(inst: &Inst) -> Handlers {
    let flags = inst.modifiers.flags;
    let to_lds = flags.has(Flags::LDS) && !inst.row.modifiers.has(Flags::ALWAYS_LDS);
    match inst.row.semantics {
        _ if flags.has(Flags::MALFORMED) => Handlers::scalar(illegal),
        _ if fields::find_reserved(inst).is_some() => Handlers::scalar(reserved),
        // A driver assigns the global data share, and compute kernels get none. GWS instructions do not use its memory.
        _ if inst.encoding == Encoding::Ds
            && flags.has(Flags::GDS)
            && !inst.has(Properties::GWS) =>
        {
            Handlers::scalar(unimplemented)
        }
        Some(_) if inst.encoding.is_vector_memory() && to_lds => Handlers::scalar(load_to_lds),
        Some(_) if inst.encoding.is_vector_alu() && inst.operands.contains(&Code::LDS_DIRECT) => {
            Handlers::scalar(lds_direct)
        }
        Some(handlers) => handlers,
        None => Handlers::scalar(unimplemented),
    }
}

fn load_to_lds(w: &mut Wave, e: &mut Env<'_>, op: &Op) -> StepResult {
    shapes::to_lds::load(w, e, op)
}

/// Traps on an invalid instruction, or on words with a reserved value in a field.
pub fn illegal(_: &mut Wave, _: &mut Env<'_>, op: &Op) -> StepResult {
    let bytes: Vec<u8> = op.words.iter().flat_map(|w| w.to_le_bytes()).collect();
    if let Err(DecodeError::Reserved { field, value }) = isa::decode(&bytes) {
        let (value, reason) = (value.into(), "reserved");
        return Err(ReservedValue {
            field,
            value,
            reason,
        }
        .into());
    }
    Err(Fault::new(TrapKind::IllegalInstruction).into())
}

/// Traps on an instruction with a field value that no compute kernel can use.
fn reserved(w: &mut Wave, e: &mut Env<'_>, op: &Op) -> StepResult {
    match fields::find_reserved(op) {
        Some(reserved) => Err(reserved.into()),
        None => illegal(w, e, op),
    }
}

fn unimplemented(_: &mut Wave, _: &mut Env<'_>, _: &Op) -> StepResult {
    Err(Fault::new(TrapKind::Unimplemented).into())
}

/// Runs an instruction while one of the bits of [`Mode::VECTOR`] is set, or traps if it names registers that the wave does not have.
#[cold]
pub fn run(w: &mut Wave, e: &mut Env<'_>, op: &Op) -> StepResult {
    if w.mode_bits() & Mode::SKIPPED != 0 && op.encoding.is_vector() {
        return Ok(());
    }
    if op.vgprs > w.vgprs() {
        let (last, have) = (op.vgprs - 1, w.vgprs());
        let register = format!("v{last} (the kernel asked for {have} VGPRs)");
        return Err(Fault::new(TrapKind::RegisterOutOfRange { register }).into());
    }
    if w.mode_bits() & Mode::INDEXED != 0 && op.encoding.is_vector_alu() {
        return match indexing::indexed(w, op) {
            Some(inst) => run_now(w, e, inst, &handlers(&inst)),
            None => Ok(()),
        };
    }
    // SAFETY: the program chose the handler for a level that `Level::host` found on this host.
    unsafe { (op.handler)(w, e, op) }
}

/// Runs an instruction that was derived from another one.
fn run_now(w: &mut Wave, e: &mut Env<'_>, inst: Inst, handlers: &Handlers) -> StepResult {
    let op = Op::new(inst, handlers, Level::host());
    // SAFETY: the level is one that `Level::host` found on this host.
    unsafe { (op.handler)(w, e, &op) }
}

/// Runs a vector instruction with an operand in LDS, which is the same for all lanes: it has the byte address in `M0[15:0]` and the type in
/// `M0[18:16]`.
fn lds_direct(w: &mut Wave, e: &mut Env<'_>, i: &Op) -> StepResult {
    let m0 = w.scalar32(Code::M0, 0);
    let at = m0 & 0xffff;
    let ty = m0 >> 16 & 7;
    fields::LDS_DIRECT.check(ty)?;
    let value = match ty {
        0 => u32::from(e.lds.read::<1>(0, at)?[0]),
        1 => u32::from(u16::from_le_bytes(e.lds.read(0, at)?)),
        2 => u32::from_le_bytes(e.lds.read(0, at)?),
        4 => i32::from(i8::from_le_bytes(e.lds.read(0, at)?)) as u32,
        5 => i32::from(i16::from_le_bytes(e.lds.read(0, at)?)) as u32,
        _ => return illegal(w, e, i),
    };
    let mut direct = i.inst;
    // The value is passed as the literal, so an instruction with a literal of its own has no room for it.
    if i.operands.contains(&Code::LITERAL) {
        return illegal(w, e, i);
    }
    direct.literal = value;
    for code in &mut direct.operands {
        if *code == Code::LDS_DIRECT {
            *code = Code::LITERAL;
        }
    }
    match i.row.semantics {
        Some(handlers) => run_now(w, e, direct, &handlers),
        None => unimplemented(w, e, i),
    }
}
