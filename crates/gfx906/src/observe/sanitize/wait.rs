//! Missing waits: registers that are used before pending results have arrived, and LDS accesses that are still pending when a barrier
//! declares them finished.
//!
//! On a card, results of loads arrive later, and s_waitcnt limits the number of operations that may still be pending:
//! - VMCNT counts vector memory operations (loads, stores, atomics, loads to LDS), which return in the order of issue;
//! - LGKMCNT counts LDS and GDS, each of which returns in order, and scalar loads and messages, which do not: for the latter only
//!   `lgkmcnt(0)` is a guarantee;
//! - a flat instruction counts in both, out of order: it needs both at 0, by one wait or by two;
//! - EXPCNT counts exports and GDS, which read their registers later. Stores read their registers at once.
//!
//! A full counter blocks further operations: when the last of 64 loads is issued, the first one has arrived.

mod pending;
mod traits;

use super::finding::{Detail, Other};
use super::{Check, CheckedInstruction, CheckedLaunch, Findings, Space, Watch};
use crate::isa::Properties;
use crate::machine::Group;

pub use pending::{AT_BARRIER, Operation, Pending, kind};
pub use traits::{Bounds, Class, Counter, Traits, needed};

/// The check.
#[derive(Default)]
pub struct Wait {
    waves: Vec<Pending>,
}

impl Watch for Wait {
    fn fork(&self) -> Box<dyn Watch> {
        Box::<Wait>::default()
    }

    fn group(&mut self, group: &Group, _: &CheckedLaunch) {
        let waves = group.waves;
        self.waves.clear();
        self.waves.resize_with(waves, Pending::default);
    }

    fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings) {
        let waves = self.waves.len();
        let Some(pending) = self.waves.get_mut(here.wave.index as usize) else {
            return;
        };
        let traits = &here.facts.wait;
        if pending.is_empty() && traits.issues.is_none() {
            return;
        }
        if traits.waits != [None; 3] {
            return pending.wait(traits.waits);
        }
        let unknown = here.op.encoding.is_vector() && here.wave.indexes_vgprs();
        if pending.concerns(here.facts) && !unknown {
            let lanes = touched_lanes(here);
            pending.meet(here.facts, lanes, |operation, register, read| {
                findings.note(here, Check::Wait, kind(read), operation.pc, || {
                    operation.detail(register, read, lanes)
                });
            });
        }
        check_lds(pending, here, findings);
        if traits.barrier && waves > 1 {
            for operation in pending.iter().filter(|operation| operation.in_lds) {
                findings.note(here, Check::Wait, AT_BARRIER, operation.pc, || {
                    operation.at_barrier()
                });
            }
        }
        if let Some(class) = traits.issues {
            issue(pending, class, here);
        }
    }
}

/// Returns the lanes of vector registers that an instruction touches: all lanes if it reads registers of other lanes.
fn touched_lanes(here: &CheckedInstruction<'_>) -> u64 {
    let crosses = here.op.form == crate::isa::Form::Dpp || here.op.has(Properties::CROSSES_LANES);
    if crosses { !0 } else { here.lanes() }
}

/// Checks bytes of LDS to which vector memory operations are pending.
fn check_lds(pending: &Pending, here: &CheckedInstruction<'_>, findings: &mut Findings) {
    if here.facts.wait.issues == Some(Class::ToLds) {
        return;
    }
    let parts = here.access.parts.iter();
    for part in parts.filter(|part| part.space == Space::Lds) {
        for operation in pending.iter() {
            let Some((first, end)) = operation.lds else {
                continue;
            };
            let meets = |&(_, at): &(usize, u64)| at < end && first < at + part.bytes;
            let Some((lane, at)) = part.places().find(meets) else {
                continue;
            };
            let kind = "LDS used too early";
            findings.note(here, Check::Wait, kind, operation.pc, || Detail {
                lanes: 1 << lane,
                what: format!("byte {at} of LDS is used and may not have arrived yet"),
                other: Some(Other {
                    did: format!("loads bytes {first} to {} of LDS", end - 1),
                    site: Some(operation.site()),
                    group: None,
                    wave: None,
                }),
                cure: format!("{} before this instruction", needed(Class::ToLds, false)),
            });
        }
    }
}

fn issue(pending: &mut Pending, class: Class, here: &CheckedInstruction<'_>) {
    let mut operation = Operation::of(class, here.pc, &here.op.inst, here.facts);
    if here.op.encoding.is_vector() {
        operation.lanes = here.lanes();
        if operation.lanes == 0 {
            // The operation counts, but nothing arrives.
            operation.arrives = Default::default();
            operation.held = Default::default();
            operation.in_lds = false;
        }
    }
    let parts = here.access.parts.iter();
    let lds = parts.clone().find(|part| part.space == Space::Lds);
    operation.in_lds |= class == Class::Flat && lds.is_some();
    if let (Class::ToLds, Some(part)) = (class, lds) {
        let first = part.places().map(|(_, at)| at).min();
        let last = part.places().map(|(_, at)| at).max();
        operation.lds = first
            .zip(last)
            .map(|(first, last)| (first, last + part.bytes));
    }
    pending.issue(operation);
}
