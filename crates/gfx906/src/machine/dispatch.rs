//! Dispatches: the set-up by the packet processor, and the distribution of work-groups.
//!
//! A worker runs one group after another. A group that takes long may wait for another that has not begun. If the card would hold both, it is set
//! aside and takes turns with the others from then on.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::env::Env;
use super::group::{self, Budget, Failure, GroupStop, LONG, Meter, Progress};
use super::hang;
use super::kernarg::{self, RuntimeStructures};
use super::launch::{Counters, Launch, LaunchError, Manner};
use super::lds::Lds;
use super::memory::{AddressSpace, Region};
use super::observer::{DispatchStart, Group, Observer};
use super::op::Op;
use super::poison::Poison;
use super::program::Module;
use super::registers::LANES;
use super::trap::{Trap, TrapKind};
use super::wave::Wave;
use crate::code_object::{COMPUTE_UNITS, Kernel, LaunchShape, MAX_SCRATCH, groups_at_a_time};

/// Guest address of the runtime's structures during a dispatch.
const RUNTIME_BASE: u64 = 0x7e00_0000_0000;
/// Address space for a worker's scratch: 16 waves of 8 MiB each, and their gaps.
pub(super) const SCRATCH_STEP: u64 = 1 << 30;
/// Unmapped bytes behind each wave's scratch.
const SCRATCH_GAP: u64 = 1 << 16;

/// Waves that a thread keeps: those of the largest group.
const MOST_WAVES: usize = 16;

/// Rounds of turns of a group once others have been set aside.
const SHORT: u64 = 16;

thread_local! {
    /// Waves of this thread's earlier dispatches, kept because the registers of a wave take 64 KiB.
    static WAVES: RefCell<Vec<Wave>> = const { RefCell::new(Vec::new()) };
}

/// Returns true if the host gives this process more threads. Under memory shortage it may not, and the caller's own thread then runs all
/// groups.
fn has_threads() -> bool {
    static POOL: OnceLock<bool> = OnceLock::new();
    *POOL.get_or_init(|| {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        if !crate::allocation::has_room_for_threads(threads) {
            return false;
        }
        let pool = rayon::ThreadPoolBuilder::new().start_handler(|_| WAVES.with(|_| ()));
        match pool.build_global() {
            Ok(()) => {
                // A thread allocates while it starts. Nobody else may use up the address space before all have started.
                rayon::broadcast(|_| ());
                true
            }
            // The error "already initialised" has no source; the error of a thread that could not be started has one.
            Err(error) => std::error::Error::source(&error).is_none(),
        }
    })
}

/// Starts the threads that dispatches share, unless they run already, and prepares the calling thread. A dispatch does this itself. A
/// program with threads of its own and little memory calls this function before its threads use memory.
pub fn start_threads() {
    has_threads();
    // The first use of a thread-local variable registers it with the C library, which ends the process when memory is short. This use
    // happens while memory is available.
    WAVES.with(|_| ());
}

/// Takes the waves of a group from the thread's pool.
fn take_waves(count: usize) -> Vec<Wave> {
    WAVES.with_borrow_mut(|pool| {
        let rest = pool.len().saturating_sub(count);
        let mut waves = pool.split_off(rest);
        waves.resize_with(count, Wave::new);
        waves
    })
}

/// A dispatch that is ready to run.
pub(super) struct Dispatch<'a> {
    /// The loaded code.
    pub(super) module: &'a Module,
    /// The kernel.
    pub(super) kernel: &'a Kernel,
    /// Launch that is executed.
    pub(super) launch: &'a Launch<'a>,
    /// Structures that the kernel receives.
    pub(super) handed: RuntimeStructures,
    /// Bytes of LDS of a group.
    pub(super) lds: u32,
    /// Bytes of scratch of a work-item.
    pub(super) scratch: u32,
    /// Waves of a group.
    pub(super) waves: usize,
    /// Groups.
    pub(super) groups: u64,
    /// Settings of the GPU for this launch.
    pub(super) manner: Manner,
}

/// A group that is set aside.
struct GroupAside<O> {
    /// Position in the order in which groups begin.
    place: u64,
    waves: Vec<Wave>,
    lds: Lds,
    progress: Progress,
    /// Observer of this group.
    observer: O,
}

/// Runs a kernel.
pub fn run<O: Observer>(
    mut space: AddressSpace,
    module: &Module,
    name: &str,
    launch: &Launch<'_>,
    manner: Manner,
    observer: &mut O,
) -> Result<Counters, LaunchError> {
    let dispatch = Dispatch::new(&mut space, module, name, launch, manner)?;
    let patience = manner.patience.map(|patience| (patience, name.to_owned()));
    dispatch.run(space, Budget::new(launch.limits, patience), observer)
}

fn unknown_kernel(module: &Module, name: &str) -> LaunchError {
    let names: Vec<&str> = module.kernels.iter().map(|k| k.name.as_str()).collect();
    LaunchError::Invalid(format!(
        "no kernel `{name}` in the code object: it has {}",
        names.join(", ")
    ))
}

impl<'a> Dispatch<'a> {
    /// Checks a launch, and places the structures that its kernel receives into the address space.
    pub(super) fn new(
        space: &mut AddressSpace,
        module: &'a Module,
        name: &str,
        launch: &'a Launch<'a>,
        manner: Manner,
    ) -> Result<Dispatch<'a>, LaunchError> {
        let kernel = module
            .kernel(name)
            .ok_or_else(|| unknown_kernel(module, name))?;
        let shape = LaunchShape {
            grid: launch.grid,
            block: launch.block,
            dynamic_lds: launch.dynamic_lds.into(),
        };
        let extent = shape
            .check(kernel)
            .map_err(|error| LaunchError::Invalid(error.to_string()))?;
        let scratch = if kernel.uses_dynamic_stack || kernel.descriptor.uses_dynamic_stack() {
            MAX_SCRATCH
        } else {
            kernel.private_segment_size
        };
        let handed = kernarg::hand_over(
            space,
            RUNTIME_BASE,
            module,
            kernel,
            launch,
            extent.lds,
            manner.cooperative.then_some(&extent),
        )?;
        Ok(Dispatch {
            module,
            kernel,
            launch,
            handed,
            lds: extent.lds,
            scratch,
            waves: (extent.work_items as usize).div_ceil(LANES),
            groups: extent.groups,
            manner,
        })
    }

    fn run<O: Observer>(
        &self,
        mut space: AddressSpace,
        budget: Budget,
        observer: &mut O,
    ) -> Result<Counters, LaunchError> {
        let threads = match self.launch.threads {
            _ if !has_threads() => 1,
            0 => rayon::current_num_threads(),
            n => n,
        };
        observer.dispatch(&self.started());
        if self.manner.cooperative {
            return self.run_cooperative(space, budget, threads, observer);
        }
        let wanted = (threads as u64).min(self.groups).max(1) as usize;
        let observers: Option<Vec<O>> = if wanted > 1 {
            (0..wanted).map(|_| O::fork(observer)).collect()
        } else {
            None
        };
        let workers = observers.as_ref().map_or(1, Vec::len);
        let room = self.room() / workers;
        let scratch: Result<Vec<u64>, LaunchError> = (0..workers)
            .map(|n| self.allocate_scratch(&mut space, n, workers, SCRATCH_STEP))
            .collect();
        let scratch = scratch?;
        let work = Work::new(budget);
        if let Some(mut observers) = observers {
            rayon::scope(|scope| {
                for (&base, observer) in scratch.iter().zip(&mut observers) {
                    let (space, work) = (&space, &work);
                    scope.spawn(move |_| self.work(space, base, work, observer, room));
                }
            });
            observers.into_iter().for_each(|o| observer.join(o));
        } else {
            self.work(&space, scratch[0], &work, observer, room);
        }
        self.ended(&space, work)
    }

    /// Returns the result of a dispatch after all workers have ended.
    pub(super) fn ended(&self, space: &AddressSpace, work: Work) -> Result<Counters, LaunchError> {
        let failure = work
            .failure
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((place, failure)) = failure {
            let group = self.launch.limits.schedule.group(place, self.groups);
            return Err(LaunchError::Trap(Box::new(
                self.explain(space, group, failure),
            )));
        }
        Ok(Counters {
            instructions: work.instructions.into_inner(),
            waves: self.groups * self.waves as u64,
            work_groups: self.groups,
            seconds: work.budget.elapsed(),
        })
    }

    /// Returns the number of groups that the card holds at a time; none if they have scratch, of which each worker has that of one group.
    fn room(&self) -> usize {
        if self.scratch > 0 {
            return 0;
        }
        let items = self.launch.block.iter().product();
        let dynamic = (self.lds as usize).saturating_sub(self.kernel.lds_size as usize);
        (COMPUTE_UNITS * groups_at_a_time(self.kernel, items, dynamic)) as usize
    }

    fn started(&self) -> DispatchStart<'_> {
        let d = &self.kernel.descriptor;
        let kernarg = self.handed.kernarg;
        DispatchStart {
            kernel: &self.kernel.name,
            base: self.module.base,
            launch: self.launch,
            lds: self.lds,
            scratch: self.scratch,
            kernarg: kernarg..kernarg + u64::from(self.kernel.kernarg_size),
            sgprs: self.sgprs(),
            vgprs: d.work_item_id_vgprs() as u16,
        }
    }

    /// Allocates scratch for the waves of a worker or of a resident group, and returns its base address.
    pub(super) fn allocate_scratch(
        &self,
        space: &mut AddressSpace,
        worker: usize,
        workers: usize,
        step: u64,
    ) -> Result<u64, LaunchError> {
        let base = RUNTIME_BASE + SCRATCH_STEP + step * worker as u64;
        let bytes = u64::from(self.scratch) * LANES as u64;
        for wave in (0..self.waves as u64).filter(|_| bytes != 0) {
            let name = format!("scratch of wave {wave}");
            let at = base + wave * self.scratch_stride();
            let region = Region::poisoned(&name, at, bytes, Poison::Scratch.word());
            let region = region.ok_or_else(|| self.no_scratch(workers))?;
            space.insert(Arc::new(region));
        }
        Ok(base)
    }

    fn no_scratch(&self, workers: usize) -> LaunchError {
        let (name, each, waves) = (&self.kernel.name, self.scratch, self.waves);
        let all = u64::from(each) * (LANES * waves * workers) as u64;
        LaunchError::NoMemory(format!(
            "kernel `{name}`: the host has no memory for {all} bytes of scratch: {each} a work-item, {waves} waves a group, \
             {workers} groups at a time; run fewer at a time"
        ))
    }

    /// Poisons the scratch of each wave of a group.
    pub(super) fn renew_scratch(&self, space: &AddressSpace, base: u64) {
        for wave in 0..self.waves as u64 {
            if let Some(region) = space.starting_at(base + wave * self.scratch_stride()) {
                region.renew();
            }
        }
    }

    pub(super) fn scratch_stride(&self) -> u64 {
        (self.scratch as u64 * LANES as u64).next_multiple_of(1024) + SCRATCH_GAP
    }

    /// Takes groups until none is left. A group that fails stops the groups behind it, so that the failure of the first group is reported, and
    /// those that are set aside. At most `room` groups have begun and not ended, and at least one.
    fn work<O: Observer>(
        &self,
        space: &AddressSpace,
        scratch: u64,
        work: &Work,
        observer: &mut O,
        room: usize,
    ) {
        let mut waves = take_waves(self.waves);
        let mut env = Env {
            time: self.manner.time,
            ..Env::new(space)
        };
        let mut meter = Meter::new(&work.budget);
        let mut aside: VecDeque<GroupAside<O>> = VecDeque::new();
        let mut more = true;
        loop {
            let has_room = aside.len() < room.max(1);
            let begun = (more && has_room)
                .then(|| self.begin(work, scratch, (&mut waves, &mut env), observer))
                .flatten();
            more &= begun.is_some() || !has_room;
            let resumed = begun.is_none();
            let (place, mut progress) = match begun {
                Some(begun) => begun,
                None => {
                    let Some(mut group) = aside.pop_front() else {
                        break;
                    };
                    if work.failed() {
                        observer.join(group.observer);
                        continue;
                    }
                    std::mem::swap(&mut waves, &mut group.waves);
                    std::mem::swap(&mut env.lds, &mut group.lds);
                    // What this worker has seen of other groups joins what is seen of this one.
                    let others = std::mem::replace(observer, group.observer);
                    observer.join(others);
                    WAVES.with_borrow_mut(|pool| pool.append(&mut group.waves));
                    (group.place, group.progress)
                }
            };
            let group = work.budget.schedule().group(place, self.groups);
            let mut rounds = match (more || !aside.is_empty()) && room > 1 {
                false => u64::MAX,
                true if resumed || !aside.is_empty() => SHORT,
                true => LONG,
            };
            let done = loop {
                let done = group::advance(
                    &mut waves,
                    &mut env,
                    &self.module.programs,
                    group,
                    &mut meter,
                    observer,
                    &mut progress,
                    rounds,
                );
                if matches!(done, Ok(GroupStop::Rounds)) {
                    let Some(fresh) = O::fork(observer) else {
                        // The observer must see each group in one piece.
                        rounds = u64::MAX;
                        continue;
                    };
                    aside.push_back(GroupAside {
                        place,
                        waves: std::mem::replace(&mut waves, take_waves(self.waves)),
                        lds: std::mem::take(&mut env.lds),
                        progress,
                        observer: std::mem::replace(observer, fresh),
                    });
                    break None;
                }
                break Some((done, progress));
            };
            let Some((Err(mut failure), mut progress)) = done else {
                continue;
            };
            let at = (group, scratch);
            self.look_at_hang(&mut failure, &mut waves, &mut env, at, &mut progress);
            if let Some(spin) = &mut failure.spin {
                spin.later = self.groups.saturating_sub(work.next.load(Relaxed));
            }
            let mut programs = self.module.programs.iter();
            let op = programs.find_map(|p| p.fetch(failure.pc));
            observer.fault(&waves[failure.wave], op, failure.pc, &failure.fault);
            work.fail(place, failure);
            break;
        }
        for group in aside {
            observer.join(group.observer);
        }
        WAVES.with_borrow_mut(|pool| {
            pool.append(&mut waves);
            // Groups that were set aside had waves of their own.
            pool.truncate(MOST_WAVES);
        });
        work.instructions.fetch_add(env.clock, Relaxed);
        meter.close(env.clock);
    }

    /// Begins the next group. Returns its place in the order of groups; none if there is none left, or if one before it has failed.
    fn begin<O: Observer>(
        &self,
        work: &Work,
        scratch: u64,
        (waves, env): (&mut [Wave], &mut Env<'_>),
        observer: &mut O,
    ) -> Option<(u64, Progress)> {
        let place = work.next.fetch_add(1, Relaxed);
        if place >= self.groups || work.failed_before(place) {
            return None;
        }
        let group = work.budget.schedule().group(place, self.groups);
        self.renew_scratch(env.memory, scratch);
        self.set_up(waves, env, self.id(group), scratch);
        observer.group(&self.group(group, scratch));
        Some((place, Progress::new()))
    }

    fn group(&self, group: u64, scratch: u64) -> Group {
        Group {
            id: self.id(group),
            waves: self.waves,
            scratch,
            scratch_stride: self.scratch_stride(),
        }
    }

    /// Adds to a failure what its group waits for, if its budget is used up.
    pub(super) fn look_at_hang(
        &self,
        failure: &mut Failure,
        waves: &mut [Wave],
        env: &mut Env<'_>,
        (group, scratch): (u64, u64),
        progress: &mut Progress,
    ) {
        if matches!(failure.fault.kind, TrapKind::Hang { .. }) {
            let items = self.launch.block.iter().map(|&side| u64::from(side));
            let spin = hang::watch(
                waves,
                env,
                &self.module.programs,
                group,
                progress,
                self.launch.limits,
                (
                    self.group(group, scratch),
                    items.product(),
                    self.module.base,
                ),
            );
            failure.spin = Some(Box::new(spin));
        }
    }

    pub(super) fn id(&self, group: u64) -> [u32; 3] {
        let [x, y, _] = self.launch.grid.map(u64::from);
        [
            (group % x) as u32,
            (group / x % y) as u32,
            (group / x / y) as u32,
        ]
    }

    pub(super) fn explain(&self, space: &AddressSpace, group: u64, failure: Failure) -> Trap {
        let Failure {
            fault,
            wave,
            pc,
            spin,
        } = failure;
        let op = self.module.programs.iter().find_map(|p| p.fetch(pc));
        let instruction = op.map_or_else(|| "no instruction".to_owned(), Op::text);
        let [bx, by, _] = self.launch.block;
        let in_memory = matches!(
            fault.kind,
            TrapKind::MemoryFault { .. } | TrapKind::Misaligned { .. }
        );
        let in_lds = matches!(fault.kind, TrapKind::LdsOutOfRange { .. });
        Trap {
            kind: fault.kind,
            kernel: self.kernel.name.clone(),
            pc: pc.wrapping_sub(self.module.base),
            instruction,
            source: None,
            work_group: self.id(group),
            wave: wave as u32,
            lane: fault.lane,
            work_item: fault.lane.map(|lane| {
                let item = wave as u32 * LANES as u32 + lane;
                [item % bx, item / bx % by, item / bx / by]
            }),
            address: fault.address,
            nearest: fault
                .address
                .filter(|_| in_memory)
                .and_then(|a| space.nearest(a)),
            argument: None,
            wrapped: fault
                .address
                .filter(|_| in_memory)
                .and_then(|a| space.wrapped(a)),
            freed: None,
            dynamic_lds: in_lds.then_some(self.launch.dynamic_lds),
            spin,
        }
    }
}

/// State that the workers of a dispatch share.
pub(super) struct Work {
    next: AtomicU64,
    /// Failure of the first failing group in the order in which they begin, and the group's position.
    failure: Mutex<Option<(u64, Failure)>>,
    pub(super) instructions: AtomicU64,
    pub(super) budget: Budget,
}

impl Work {
    pub(super) fn new(budget: Budget) -> Work {
        Work {
            next: AtomicU64::new(0),
            failure: Mutex::new(None),
            instructions: AtomicU64::new(0),
            budget,
        }
    }

    pub(super) fn failed(&self) -> bool {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.is_some()
    }

    fn failed_before(&self, place: u64) -> bool {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().is_some_and(|(failed, _)| *failed < place)
    }

    pub(super) fn fail(&self, place: u64, failure: Failure) {
        let mut first = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|(failed, _)| place < *failed) {
            *first = Some((place, failure));
        }
    }
}
