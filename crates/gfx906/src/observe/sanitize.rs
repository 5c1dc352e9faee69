//! The sanitizer, which finds mistakes that results cannot show: the emulator completes every load at once, runs waves in turns, and may
//! hold harmless values in memory that nobody wrote.
//!
//! Each check has its own file or folder and sees every instruction before and after it runs ([`CheckedInstruction`]). Findings go to
//! [`Findings`], which counts equal ones. Only the requested checks run.

mod checks;
mod facts;
mod finding;
pub mod hazard;
mod heap;
mod init;
pub mod lint;
mod memory;
#[cfg(test)]
mod planted;
mod race;
mod sync;
#[cfg(test)]
mod tests;
pub mod wait;

use std::sync::Arc;

pub use crate::machine::access::{Access, Part, Space};
pub use checks::{Check, Checks, UnknownCheck};
pub use facts::Facts;
pub use finding::{FREED, Finding, Findings, Other, Severity, Site, SourceKey, ranges};
pub use heap::{Block, Heap, MemoryDeclarations};
pub use memory::find_argument;

use self::facts::Code;
use self::hazard::Hazard;
use self::init::Init;
use self::memory::Memory;
use self::race::Race;
use self::sync::Sync;
use self::wait::Wait;
use super::Observer;
use crate::machine::access::accesses;
use crate::machine::{DispatchStart, Fault, Group, MemoryPath, Op, Wave};

/// Facts about the instruction that a check examines.
pub struct CheckedInstruction<'a> {
    /// The dispatch.
    pub launch: &'a CheckedLaunch,
    /// Id of the work-group.
    pub group: [u32; 3],
    /// The wave.
    pub wave: &'a Wave,
    /// The instruction.
    pub op: &'a Op,
    /// Instructions that have run so far.
    pub code: &'a Code,
    /// Static facts about the instruction.
    pub facts: &'a Facts,
    /// Link address of the instruction.
    pub pc: u64,
    /// Memory that the instruction reads and writes, determined before it runs.
    pub access: &'a Access,
}

impl CheckedInstruction<'_> {
    /// Returns the site of the instruction.
    pub fn site(&self) -> Site {
        self.code.site(self.pc)
    }

    /// Returns the lanes in which a vector instruction has an effect.
    pub fn lanes(&self) -> u64 {
        self.wave.lanes_on()
    }
}

/// Facts about a dispatch for the checks.
#[derive(Clone, Debug, Default)]
pub struct CheckedLaunch {
    /// The kernel.
    pub kernel: String,
    /// Guest address of the code object's link address 0.
    pub base: u64,
    /// Work-items of a group in x, y, z.
    pub block: [u32; 3],
    /// Work-groups in x, y, z.
    pub grid: [u32; 3],
    /// LDS of a group in bytes.
    pub lds: u32,
    /// Scratch of a work-item in bytes.
    pub scratch: u32,
    /// Guest addresses of the kernel's arguments.
    pub kernarg: std::ops::Range<u64>,
    /// Number of SGPRs, from s0 on, that are set when a wave begins.
    pub sgprs: u16,
    /// Number of VGPRs, from v0 on, that are set when a wave begins.
    pub vgprs: u16,
    /// Declared and freed blocks of memory.
    pub memory: Arc<MemoryDeclarations>,
}

/// A check, which watches the waves of a dispatch and reports mistakes.
trait Watch: Send {
    /// Creates the check for another worker of the same dispatch.
    fn fork(&self) -> Box<dyn Watch>;

    /// Reports that a launch begins.
    fn dispatch(&mut self) {}

    /// Reports that a work-group begins.
    fn group(&mut self, group: &Group, launch: &CheckedLaunch);

    /// Reports that an instruction is about to run.
    fn before(&mut self, here: &CheckedInstruction<'_>, findings: &mut Findings);

    /// Reports that an instruction has run.
    fn after(&mut self, _: &CheckedInstruction<'_>, _: &mut Findings) {}

    /// Reports that a wave cannot continue, so that the group does not end.
    fn stopped(&mut self, _: &mut Findings) {}
}

/// Observer that runs the requested checks over all dispatches.
pub struct Sanitizer {
    heap: Arc<Heap>,
    launch: Arc<CheckedLaunch>,
    group: Group,
    code: Code,
    access: Access,
    /// True if any check looks at the memory accesses of instructions.
    looks_at_memory: bool,
    /// True if any check looks at every instruction after it has run, not only at accesses.
    follows_pointers: bool,
    watches: Vec<Box<dyn Watch>>,
    findings: Findings,
}

impl Sanitizer {
    /// Creates the checks of a set.
    pub fn new(checks: Checks) -> Sanitizer {
        let looks = [Check::Memory, Check::Init, Check::Race, Check::Wait];
        Sanitizer {
            looks_at_memory: looks.into_iter().any(|check| checks.has(check)),
            follows_pointers: checks.has(Check::Memory),
            ..Sanitizer::of(checks.iter().map(watch).collect())
        }
    }

    fn of(watches: Vec<Box<dyn Watch>>) -> Sanitizer {
        Sanitizer {
            heap: Arc::default(),
            code: Code::default(),
            launch: Arc::default(),
            group: Group::default(),
            access: Access::default(),
            looks_at_memory: false,
            follows_pointers: false,
            watches,
            findings: Findings::default(),
        }
    }

    /// Attaches the declarations about memory, which their owner keeps up to date.
    #[must_use]
    pub fn with_heap(self, heap: Arc<Heap>) -> Sanitizer {
        Sanitizer { heap, ..self }
    }

    /// Returns the findings so far.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Takes the findings so far.
    pub fn take_findings(&mut self) -> Findings {
        std::mem::take(&mut self.findings)
    }
}

impl Observer for Sanitizer {
    fn fork(&self) -> Option<Sanitizer> {
        Some(Sanitizer {
            launch: Arc::clone(&self.launch),
            heap: Arc::clone(&self.heap),
            code: self.code.fork(),
            looks_at_memory: self.looks_at_memory,
            follows_pointers: self.follows_pointers,
            ..Sanitizer::of(self.watches.iter().map(|watch| watch.fork()).collect())
        })
    }

    fn join(&mut self, worker: Sanitizer) {
        self.findings.join(worker.findings);
    }

    fn dispatch(&mut self, started: &DispatchStart<'_>) {
        self.launch = Arc::new(CheckedLaunch {
            kernel: started.kernel.to_owned(),
            base: started.base,
            block: started.launch.block,
            grid: started.launch.grid,
            lds: started.lds,
            scratch: started.scratch,
            kernarg: started.kernarg.clone(),
            sgprs: started.sgprs,
            vgprs: started.vgprs,
            memory: self.heap.known(),
        });
        self.watches.iter_mut().for_each(|watch| watch.dispatch());
        // Another code object may stand at the same address.
        self.code = Code::default();
    }

    fn group(&mut self, group: &Group) {
        self.group = *group;
        for watch in &mut self.watches {
            watch.group(group, &self.launch);
        }
    }

    fn before(&mut self, wave: &Wave, op: &Op, pc: u64) {
        let pc = pc.wrapping_sub(self.launch.base);
        self.code.learn(op, pc);
        if self.looks_at_memory && op.traffic.way != MemoryPath::None {
            let scratch = self.group.scratch + u64::from(wave.index) * self.group.scratch_stride;
            accesses(wave, op, scratch, &mut self.access);
        } else {
            self.access.clear();
        }
        self.each(wave, op, pc, |watch, here, findings| {
            watch.before(here, findings);
        });
    }

    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        if self.access.parts.is_empty() && !self.follows_pointers {
            return;
        }
        let pc = pc.wrapping_sub(self.launch.base);
        self.each(wave, op, pc, |watch, here, findings| {
            watch.after(here, findings);
        });
    }

    fn fault(&mut self, _: &Wave, _: Option<&Op>, _: u64, _: &Fault) {
        for watch in &mut self.watches {
            watch.stopped(&mut self.findings);
        }
    }
}

impl Sanitizer {
    /// Shows an instruction to every check.
    #[inline]
    fn each(
        &mut self,
        wave: &Wave,
        op: &Op,
        pc: u64,
        look: impl Fn(&mut dyn Watch, &CheckedInstruction<'_>, &mut Findings),
    ) {
        let Some(facts) = self.code.facts(pc) else {
            return;
        };
        let here = CheckedInstruction {
            launch: &self.launch,
            group: self.group.id,
            wave,
            op,
            code: &self.code,
            facts,
            pc,
            access: &self.access,
        };
        for watch in &mut self.watches {
            look(&mut **watch, &here, &mut self.findings);
        }
    }
}

/// Creates the check of a kind.
fn watch(check: Check) -> Box<dyn Watch> {
    match check {
        Check::Memory => Box::<Memory>::default(),
        Check::Init => Box::<Init>::default(),
        Check::Race => Box::<Race>::default(),
        Check::Sync => Box::<Sync>::default(),
        Check::Wait => Box::<Wait>::default(),
        Check::Hazard => Box::<Hazard>::default(),
    }
}
