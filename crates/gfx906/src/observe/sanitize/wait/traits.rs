//! Static facts about an instruction for waits: the operation that it issues, the registers that the operation fills or reads later, and
//! the waits.

use crate::isa::uses::{RegisterSet, Uses};
use crate::isa::{Access, Encoding, Flags, Inst, Properties, Role};
use crate::machine::Traffic;

/// Kinds of operations that return later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Vector memory.
    Vector,
    /// Vector memory to or from LDS.
    ToLds,
    /// Flat addresses.
    Flat,
    /// LDS.
    Lds,
    /// GDS.
    Gds,
    /// Scalar memory.
    Scalar,
    /// Messages.
    Message,
    /// Exports of colours.
    Colour,
    /// Exports of positions.
    Position,
    /// Exports of parameters.
    Parameter,
}

/// A counter of pending operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counter {
    /// Vector memory.
    Vm,
    /// LDS, GDS, scalar memory, messages.
    Lgkm,
    /// Exports and GDS.
    Exp,
}

impl Counter {
    /// Every counter.
    pub const ALL: [Counter; 3] = [Counter::Vm, Counter::Lgkm, Counter::Exp];

    /// Returns the name in s_waitcnt.
    pub fn name(self) -> &'static str {
        match self {
            Counter::Vm => "vmcnt",
            Counter::Lgkm => "lgkmcnt",
            Counter::Exp => "expcnt",
        }
    }

    /// Returns the counter's largest value. A further operation is issued only when an earlier one has returned.
    pub const fn most(self) -> u32 {
        match self {
            Counter::Vm => 63,
            Counter::Lgkm => 15,
            Counter::Exp => 7,
        }
    }
}

impl Class {
    /// Returns the counters that count an operation of this kind.
    pub fn counters(self) -> &'static [Counter] {
        match self {
            Class::Vector | Class::ToLds => &[Counter::Vm],
            Class::Flat => &[Counter::Vm, Counter::Lgkm],
            Class::Lds | Class::Scalar | Class::Message => &[Counter::Lgkm],
            Class::Gds => &[Counter::Lgkm, Counter::Exp],
            Class::Colour | Class::Position | Class::Parameter => &[Counter::Exp],
        }
    }

    /// Returns the number of the kind's order. Operations of one order return as they were issued. `None` means that only a wait for 0
    /// shows that an operation has returned.
    pub fn order(self) -> Option<u8> {
        match self {
            Class::Vector | Class::ToLds => Some(0),
            Class::Lds => Some(1),
            Class::Gds => Some(2),
            Class::Colour => Some(3),
            Class::Position => Some(4),
            Class::Parameter => Some(5),
            Class::Flat | Class::Scalar | Class::Message => None,
        }
    }

    /// Returns true if operations of two kinds return in order with each other.
    pub fn in_order_with(self, other: Class) -> bool {
        self.order().is_some() && self.order() == other.order()
    }
}

/// Largest number of pending operations that an instruction leaves, by counter.
pub type Bounds = [Option<u32>; 3];

/// Static facts about an instruction for waits.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// Operation that the instruction issues.
    pub issues: Option<Class>,
    /// Registers in which results arrive later.
    pub arrives: RegisterSet,
    /// Registers that are read later.
    pub held: RegisterSet,
    /// Registers that the instruction reads at once.
    pub needs: RegisterSet,
    /// Registers that the instruction reads at once, and registers that it writes.
    pub used: RegisterSet,
    /// Waits of the instruction.
    pub waits: Bounds,
    /// True if memory may change: the instruction stores, or is an atomic.
    pub stores: bool,
    /// True if the instruction accesses LDS, as far as its words show.
    pub in_lds: bool,
    /// True for a barrier.
    pub barrier: bool,
}

impl Traits {
    /// Determines the facts of an instruction.
    pub fn of(inst: &Inst, uses: &Uses) -> Traits {
        let issues = class(inst);
        let needs = needs(inst, uses, issues);
        let traffic = Traffic::of(inst);
        // The registers of an atomic without a result are only read.
        let silent = traffic.read != 0
            && traffic.written != 0
            && inst.encoding != Encoding::Ds
            && !inst.modifiers.flags.has(Flags::GLC);
        let arrives = match issues {
            Some(_) if !silent => uses.writes,
            _ => RegisterSet::default(),
        };
        let held = match issues {
            Some(Class::Gds | Class::Colour | Class::Position | Class::Parameter) => {
                needs.and(&vectors())
            }
            _ => RegisterSet::default(),
        };
        Traits {
            issues,
            arrives,
            held,
            needs,
            used: needs.or(&uses.writes),
            waits: waits(inst),
            stores: traffic.written != 0,
            in_lds: issues == Some(Class::ToLds)
                || issues == Some(Class::Lds) && (traffic.read != 0 || traffic.written != 0),
            barrier: inst.has(Properties::BARRIER),
        }
    }
}

/// Returns all vector registers.
fn vectors() -> RegisterSet {
    let mut vectors = RegisterSet::default();
    vectors.add(256, 256);
    vectors
}

/// Returns the registers that an instruction reads when it is issued. A load that writes half of a register does not read the other half.
fn needs(inst: &Inst, uses: &Uses, issues: Option<Class>) -> RegisterSet {
    if issues.is_none() {
        return uses.reads;
    }
    let mut needs = uses.reads.without(&vectors());
    for (operand, &code) in inst.row.operands.iter().zip(&inst.operands) {
        let read = operand.access != Access::Write && operand.role != Role::Vdst;
        if read && (256..512).contains(&code.0) {
            needs.add(code.0, inst.registers(operand));
        }
    }
    needs
}

fn class(inst: &Inst) -> Option<Class> {
    let flags = inst.modifiers.flags;
    match inst.encoding {
        Encoding::Ds if inst.has(Properties::NO_OPERATION) => None,
        Encoding::Ds if flags.has(Flags::GDS) || inst.has(Properties::GWS) => Some(Class::Gds),
        Encoding::Ds => Some(Class::Lds),
        Encoding::Smem => Some(Class::Scalar),
        Encoding::Flat => Some(Class::Flat),
        Encoding::Exp => Some(match inst.by_role(Role::Target).0 {
            12..=15 => Class::Position,
            32.. => Class::Parameter,
            _ => Class::Colour,
        }),
        // No counter counts cache control.
        _ if inst.has(Properties::CACHE_CONTROL) => None,
        _ if inst.is_vmem() && Traffic::of(inst).with_lds => Some(Class::ToLds),
        _ if inst.is_vmem() => Some(Class::Vector),
        Encoding::Sopp if inst.has(Properties::MESSAGE) => Some(Class::Message),
        _ => None,
    }
}

/// Returns the limits of an s_waitcnt. The largest value of a field means no limit.
fn waits(inst: &Inst) -> Bounds {
    let field = inst.literal;
    let bound = |value: u32, most: u32| (value < most).then_some(value);
    match inst.row.mnemonic {
        "s_waitcnt" => [
            bound(field & 15 | (field >> 14 & 3) << 4, Counter::Vm.most()),
            bound(field >> 8 & 15, Counter::Lgkm.most()),
            bound(field >> 4 & 7, Counter::Exp.most()),
        ],
        _ => [None; 3],
    }
}

/// Returns the simplest wait that an operation needs before its registers are used: those in which results arrive or, if `held` is true,
/// those that it reads later.
pub fn needed(class: Class, held: bool) -> String {
    let counters = match class {
        Class::Gds if held => &[Counter::Exp][..],
        Class::Gds => &[Counter::Lgkm],
        class => class.counters(),
    };
    let each: Vec<String> = counters
        .iter()
        .map(|c| format!("{}(0)", c.name()))
        .collect();
    format!("`s_waitcnt {}`", each.join(" "))
}
