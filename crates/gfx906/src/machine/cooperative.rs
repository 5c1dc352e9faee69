//! Cooperative launches: all groups of a grid are resident, each with its own waves, LDS and scratch, and take turns.
//!
//! A group that waits for another in a loop on memory reaches the end of its rounds and is queued behind the others. A group that waits at
//! the grid's barrier is set aside until the barrier is passed. No group belongs to a worker, so a single worker brings all of them to
//! their end.

use std::collections::VecDeque;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::budget::{Budget, Meter};
use super::dispatch::{Dispatch, Work};
use super::env::Env;
use super::group::{self, Failure, GroupStop, Progress};
use super::gws::Gws;
use super::launch::{Counters, LaunchError};
use super::lds::Lds;
use super::memory::AddressSpace;
use super::observer::{Group, Observer};
use super::time::Time;
use super::trap::{Fault, TrapKind};
use super::wave::Wave;

/// Rounds of turns of a group before another group continues.
const ROUNDS: u64 = 8;
/// Size in bytes of the instruction that waits at the grid's barrier.
const BARRIER_BYTES: u64 = 8;
/// Pause of a worker without work before it looks again.
const PAUSE: Duration = Duration::from_micros(20);

/// A resident group.
struct Resident<O> {
    /// Position in the order in which groups begin.
    place: u64,
    /// Number of the group.
    group: u64,
    scratch: u64,
    waves: Vec<Wave>,
    lds: Lds,
    progress: Progress,
    begun: bool,
    /// Observer of this group alone, if the observer can be forked.
    observer: Option<O>,
}

/// Groups that no worker runs at the moment.
struct Floor<O> {
    ready: VecDeque<Box<Resident<O>>>,
    /// Groups that wait at the grid's barrier, each with the number of completed barriers that it must see exceeded.
    waiting: Vec<(Box<Resident<O>>, u64)>,
    running: usize,
    ended: u64,
    /// Observers of groups that have ended.
    seen: Vec<O>,
}

/// State that the workers of a cooperative dispatch share.
struct Stage<'a, O> {
    floor: Mutex<Floor<O>>,
    gws: Gws,
    space: &'a AddressSpace,
    work: &'a Work,
}

/// Next action of a worker.
enum NextAction<O> {
    Run(Box<Resident<O>>),
    Wait,
    Leave,
}

impl<O> Stage<'_, O> {
    fn floor(&self) -> MutexGuard<'_, Floor<O>> {
        self.floor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> NextAction<O> {
        if self.work.failed() {
            return NextAction::Leave;
        }
        let mut floor = self.floor();
        let released = self.gws.released();
        let free = |waiting: &mut (Box<Resident<O>>, u64)| waiting.1 != released;
        let freed: Vec<_> = floor.waiting.extract_if(.., free).collect();
        floor
            .ready
            .extend(freed.into_iter().map(|(group, _)| group));
        if let Some(resident) = floor.ready.pop_front() {
            floor.running += 1;
            return NextAction::Run(resident);
        }
        if floor.running > 0 {
            return NextAction::Wait;
        }
        // No running group is left to release the waiting ones.
        if let Some((resident, _)) = floor.waiting.first() {
            let wave = resident.progress.waiting();
            let ended = floor.ended;
            let failure = Failure {
                fault: Fault::new(TrapKind::GridDeadlock { ended }),
                wave,
                pc: resident.waves[wave].pc.wrapping_sub(BARRIER_BYTES),
                spin: None,
            };
            self.work.fail(resident.place, failure);
        }
        NextAction::Leave
    }

    /// Takes back a group that has not failed.
    fn take_back(&self, resident: Box<Resident<O>>, reached: GroupStop) {
        let mut floor = self.floor();
        floor.running -= 1;
        match reached {
            GroupStop::Rounds => floor.ready.push_back(resident),
            GroupStop::Grid(passed) => floor.waiting.push((resident, passed)),
            GroupStop::End => {
                floor.ended += 1;
                floor.seen.extend(resident.observer);
            }
        }
    }
}

impl Dispatch<'_> {
    /// Runs a dispatch whose groups are all resident.
    pub(super) fn run_cooperative<O: Observer>(
        &self,
        mut space: AddressSpace,
        budget: Budget,
        threads: usize,
        observer: &mut O,
    ) -> Result<Counters, LaunchError> {
        let step = (self.waves as u64 * self.scratch_stride()).next_multiple_of(1 << 20);
        let mut ready = VecDeque::new();
        for place in 0..self.groups {
            let groups = self.groups as usize;
            ready.push_back(Box::new(Resident {
                place,
                group: budget.schedule().group(place, self.groups),
                scratch: self.allocate_scratch(&mut space, place as usize, groups, step)?,
                waves: (0..self.waves).map(|_| Wave::new()).collect(),
                lds: Lds::default(),
                progress: Progress::new(),
                begun: false,
                observer: O::fork(observer),
            }));
        }
        // Each worker counts its own instructions. If kernels read that count as time, it would go backwards when a group moves to another
        // worker, so one worker runs them all.
        let apart = ready.iter().all(|resident| resident.observer.is_some());
        let counts = matches!(self.manner.time, Time::Instructions);
        let workers = if apart && !counts { threads } else { 1 };
        let work = Work::new(budget);
        let stage = Stage {
            floor: Mutex::new(Floor {
                ready,
                waiting: Vec::new(),
                running: 0,
                ended: 0,
                seen: Vec::new(),
            }),
            gws: Gws::new(self.groups),
            space: &space,
            work: &work,
        };
        if workers > 1 {
            rayon::scope(|scope| {
                for _ in 0..workers.min(self.groups as usize) {
                    let stage = &stage;
                    scope.spawn(move |_| self.attend(stage, None));
                }
            });
        } else {
            self.attend(&stage, Some(observer));
        }
        let floor = stage.floor.into_inner();
        let seen = floor.unwrap_or_else(PoisonError::into_inner).seen;
        seen.into_iter().for_each(|o| observer.join(o));
        self.ended(&space, work)
    }

    /// Runs groups until none is left. `only` is the observer of groups that have none of their own.
    fn attend<O: Observer>(&self, stage: &Stage<'_, O>, mut only: Option<&mut O>) {
        let work = stage.work;
        let mut env = Env {
            time: self.manner.time,
            grid: Some(&stage.gws),
            ..Env::new(stage.space)
        };
        let mut meter = Meter::new(&work.budget);
        loop {
            let mut resident = match stage.next() {
                NextAction::Run(resident) => resident,
                NextAction::Wait => {
                    std::thread::sleep(PAUSE);
                    continue;
                }
                NextAction::Leave => break,
            };
            let mut own = resident.observer.take();
            let again = own.is_none();
            let Some(observer) = own.as_mut().or(only.as_deref_mut()) else {
                break;
            };
            let mut done = self.go_on(&mut resident, &mut env, &mut meter, observer, again);
            if let Err(failure) = &mut done {
                std::mem::swap(&mut env.lds, &mut resident.lds);
                let waves = &mut resident.waves;
                let place = (resident.group, resident.scratch);
                self.look_at_hang(failure, waves, &mut env, place, &mut resident.progress);
                std::mem::swap(&mut env.lds, &mut resident.lds);
                let programs = &self.module.programs;
                let op = programs.iter().find_map(|p| p.fetch(failure.pc));
                observer.fault(
                    &resident.waves[failure.wave],
                    op,
                    failure.pc,
                    &failure.fault,
                );
            }
            resident.observer = own;
            match done {
                Ok(reached) => stage.take_back(resident, reached),
                Err(failure) => {
                    work.fail(resident.place, failure);
                    stage.take_back(resident, GroupStop::End);
                    break;
                }
            }
        }
        work.instructions.fetch_add(env.clock, Relaxed);
        meter.close(env.clock);
    }

    /// Runs a group for the number of rounds of one turn. An observer that sees several groups is told that this group continues.
    fn go_on<'e, O: Observer>(
        &self,
        resident: &mut Resident<O>,
        env: &mut Env<'e>,
        meter: &mut Meter<'_>,
        observer: &mut O,
        again: bool,
    ) -> Result<GroupStop, Failure> {
        let id = self.id(resident.group);
        std::mem::swap(&mut env.lds, &mut resident.lds);
        if again || !resident.begun {
            observer.group(&Group {
                id,
                waves: self.waves,
                scratch: resident.scratch,
                scratch_stride: self.scratch_stride(),
            });
        }
        if !std::mem::replace(&mut resident.begun, true) {
            self.set_up(&mut resident.waves, env, id, resident.scratch);
        }
        let reached = group::advance(
            &mut resident.waves,
            env,
            &self.module.programs,
            resident.group,
            meter,
            observer,
            &mut resident.progress,
            ROUNDS,
        );
        std::mem::swap(&mut env.lds, &mut resident.lds);
        reached
    }
}
