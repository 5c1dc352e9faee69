//! Pending operations of a wave: their arrival, and the instructions that come too early for them. The check of running waves and the
//! search over all paths share this code.
//!
//! A wait for at most N leaves an operation of an ordered kind pending if and only if fewer than N operations of its order were issued
//! after it.

use super::super::facts::Facts;
use super::super::finding::{Detail, Other, Site};
use super::traits::{Bounds, Class, Counter, Traits, needed};
use crate::isa::uses::RegisterSet;
use crate::isa::{Code, Inst, disassemble, register_name};

/// Largest number of recorded operations. Counters hold fewer.
const MOST: usize = 256;

/// Largest number of pending operations of each counter, as a wait. No more are issued.
const FULL: Bounds = [
    Some(Counter::Vm.most()),
    Some(Counter::Lgkm.most()),
    Some(Counter::Exp.most()),
];

/// A pending operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// Kind of the operation.
    pub class: Class,
    /// Link address of the instruction that issued it.
    pub pc: u64,
    /// The instruction.
    pub inst: Inst,
    /// Number of younger operations of the same order.
    pub younger: u32,
    /// Counters that may still count the operation: bit n stands for counter n.
    left: u8,
    /// Registers in which results arrive.
    pub arrives: RegisterSet,
    /// Registers that the operation reads later.
    pub held: RegisterSet,
    /// Lanes of the operation.
    pub lanes: u64,
    /// True if the operation accesses LDS.
    pub in_lds: bool,
    /// True if the operation stores.
    pub stores: bool,
    /// Range of LDS that is copied from or to memory.
    pub lds: Option<(u64, u64)>,
}

impl Operation {
    /// Builds the operation that an instruction issues.
    pub fn of(class: Class, pc: u64, inst: &Inst, facts: &Facts) -> Operation {
        let Traits {
            arrives,
            held,
            stores,
            in_lds,
            ..
        } = facts.wait;
        Operation {
            class,
            pc,
            inst: *inst,
            younger: 0,
            left: class
                .counters()
                .iter()
                .fold(0, |left, &c| left | 1 << c as u8),
            arrives: if facts.exact {
                arrives
            } else {
                RegisterSet::default()
            },
            held,
            lanes: !0,
            in_lds,
            stores,
            lds: None,
        }
    }

    /// Returns the site of the instruction.
    pub fn site(&self) -> Site {
        Site::new(self.pc, disassemble(&self.inst))
    }

    /// Clears the counters on which the operation has arrived after a wait.
    fn wait(&mut self, bounds: Bounds) {
        for &counter in self.class.counters() {
            let Some(bound) = bounds[counter as usize] else {
                continue;
            };
            let over = match self.class.order() {
                Some(_) => self.younger >= bound,
                None => bound == 0,
            };
            if over {
                self.left &= !(1 << counter as u8);
            }
        }
        let exports = 1 << Counter::Exp as u8;
        if self.left & !exports == 0 && self.class.counters() != [Counter::Exp] {
            // An operation that has returned has also read its registers.
            self.left = 0;
        }
        if self.left & exports == 0 {
            self.held = RegisterSet::default();
        }
    }

    /// Returns the order in which the operation returns. A flat operation that LGKMCNT no longer counts returns in the order of vector
    /// memory.
    fn order(&self) -> Option<u8> {
        match self.class {
            Class::Flat if self.left == 1 << Counter::Vm as u8 => Class::Vector.order(),
            class => class.order(),
        }
    }

    fn is_open(&self) -> bool {
        self.left != 0 && (!self.arrives.is_empty() || !self.held.is_empty() || self.in_lds)
    }

    /// Describes an instruction that uses a register of the operation too early.
    pub fn detail(&self, register: u16, read: bool, lanes: u64) -> Detail {
        let name = register_name(Code(register), 1);
        let held = !read && self.held.has(register);
        let (what, did) = match (read, held) {
            (true, _) => (
                format!("{name} is read and may not have arrived yet"),
                format!("loads {name}"),
            ),
            (false, true) => (
                format!("{name} is overwritten and may not have been read yet"),
                format!("reads {name} later"),
            ),
            (false, false) => (
                format!(
                    "{name} is overwritten, and what is on its way to it may arrive afterwards"
                ),
                format!("loads {name}"),
            ),
        };
        Detail {
            lanes: if register >= 256 {
                self.lanes & lanes
            } else {
                0
            },
            what,
            other: Some(Other {
                did,
                site: Some(self.site()),
                group: None,
                wave: None,
            }),
            cure: format!("{} before this instruction", needed(self.class, held)),
        }
    }

    /// Describes a barrier that the operation may pass.
    pub fn at_barrier(&self) -> Detail {
        let what = match self.stores || self.lds.is_some() {
            true => "LDS is written before the barrier, and may be written after it",
            false => "LDS is read before the barrier, and may be read after it",
        };
        Detail {
            lanes: 0,
            what: format!("{what}: nothing waits for it"),
            other: Some(Other {
                did: "issued".into(),
                site: Some(self.site()),
                group: None,
                wave: None,
            }),
            cure: format!("{} before the barrier", needed(self.class, false)),
        }
    }
}

/// Returns the name of the rule for a register that is read too early, or else overwritten.
pub fn kind(read: bool) -> &'static str {
    if read {
        "read too early"
    } else {
        "overwritten too early"
    }
}

/// Name of the rule for barriers.
pub const AT_BARRIER: &str = "on its way at a barrier";

/// Pending operations of a wave.
#[derive(Clone, Debug, Default)]
pub struct Pending {
    operations: Vec<Operation>,
    /// All registers of the operations.
    registers: RegisterSet,
}

impl Pending {
    /// Returns true if no operation is pending.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Iterates over the operations, in the order of issue where it is known.
    pub fn iter(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter()
    }

    /// Removes the operations that have arrived after a wait.
    pub fn wait(&mut self, bounds: Bounds) {
        self.operations.retain_mut(|operation| {
            operation.wait(bounds);
            operation.is_open()
        });
        self.refresh();
    }

    /// Returns true if an instruction uses a register of any operation.
    pub fn concerns(&self, facts: &Facts) -> bool {
        facts.exact && self.registers.meets(&facts.wait.used)
    }

    /// Reports each operation whose registers an instruction uses too early in some of these lanes, and forgets those registers, so that
    /// each is reported once.
    pub fn meet(&mut self, facts: &Facts, lanes: u64, mut tell: impl FnMut(&Operation, u16, bool)) {
        let (traits, uses) = (&facts.wait, &facts.uses);
        let mut met = false;
        for operation in &mut self.operations {
            let reads = traits.needs.and(&operation.arrives);
            // An operation that returns in order arrives after all earlier ones of its order.
            let ordered = traits
                .issues
                .is_some_and(|class| class.order().is_some() && class.order() == operation.order());
            let over = match ordered {
                true => RegisterSet::default(),
                false => operation.arrives,
            };
            let writes = uses.writes.and(&over.or(&operation.held));
            let Some(register) = reads.first().or(writes.first()) else {
                continue;
            };
            if register >= 256 && lanes & operation.lanes == 0 {
                continue;
            }
            met = true;
            tell(operation, register, reads.has(register));
            let found = reads.or(&writes);
            operation.arrives = operation.arrives.without(&found);
            operation.held = operation.held.without(&found);
        }
        if met {
            self.refresh();
        }
    }

    /// Adds an operation. Earlier ones of its order that its full counter cannot hold beside it have arrived.
    pub fn issue(&mut self, operation: Operation) {
        if operation.class.order().is_some() {
            let mut over = false;
            for other in &mut self.operations {
                if other.class.in_order_with(operation.class) {
                    other.younger += 1;
                    other.wait(FULL);
                    over |= !other.is_open();
                }
            }
            if over {
                self.operations.retain(Operation::is_open);
                self.refresh();
            }
        }
        if !operation.is_open() {
            return;
        }
        if self.operations.len() == MOST {
            self.operations.remove(0);
        }
        self.registers = self.registers.or(&operation.arrives).or(&operation.held);
        self.operations.push(operation);
    }

    /// Removes the earlier operation of an instruction that is issued again.
    pub fn forget(&mut self, pc: u64) {
        self.operations.retain(|operation| operation.pc != pc);
        self.refresh();
    }

    /// Adds the pending operations of another path, and returns true if there are more than before. An operation of both paths counts with
    /// the smaller number of younger operations, because it arrives last.
    pub fn join(&mut self, others: &Pending) -> bool {
        let mut more = false;
        for other in &others.operations {
            let known = self.operations.iter_mut().find(|one| one.pc == other.pc);
            let Some(known) = known else {
                self.operations.push(other.clone());
                more = true;
                continue;
            };
            let younger = known.younger.min(other.younger);
            let left = known.left | other.left;
            let arrives = known.arrives.or(&other.arrives);
            let held = known.held.or(&other.held);
            more |= (younger, left, arrives, held)
                != (known.younger, known.left, known.arrives, known.held);
            (known.younger, known.left, known.arrives, known.held) = (younger, left, arrives, held);
        }
        if more {
            self.refresh();
        }
        more
    }

    fn refresh(&mut self) {
        let none = RegisterSet::default();
        let all = self.operations.iter();
        self.registers = all.fold(none, |all, one| all.or(&one.arrives).or(&one.held));
    }
}
