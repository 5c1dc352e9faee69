//! Work that is done in the background: lanes of tasks, and threads that do them.
//!
//! Nothing here knows of HIP: a task is a closure. There are as many threads as tasks run at the same time, so that a task may wait for
//! anything that does not stand behind it. Closures run and are dropped outside the lock.

mod lanes;
mod ticket;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lanes::{Lanes, Task, Work};
pub use ticket::Ticket;

/// A lane's name.
pub type LaneId = u64;
/// What a worker does.
pub type Job = Box<dyn FnOnce() + Send>;

/// The lane that is always there: it waits for all blocking lanes, and they wait for it.
pub const NULL: LaneId = 0;

/// How long a worker without work stays.
const IDLE: Duration = Duration::from_secs(2);

thread_local! {
    static WORKER: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread is a worker: it must not wait for tasks.
pub fn on_worker() -> bool {
    WORKER.get()
}

/// The lanes, and the threads that work at them.
pub struct Queue {
    state: Mutex<State>,
    /// There is work for a worker.
    work: Condvar,
    /// Something has ended, or a caller's turn has come.
    ended: Condvar,
}

struct State {
    lanes: Lanes,
    /// Workers that wait for work.
    idle: usize,
    /// Workers that have been started and have not looked for work yet.
    starting: usize,
    workers: usize,
    /// Threads that wait for an end.
    waiting: usize,
    /// Nothing begins any more.
    closed: bool,
}

/// A task to be submitted: what it waits for besides the tasks before it, and what is done, if anything.
#[derive(Default)]
pub struct Submission {
    /// What it waits for.
    pub after: Vec<Arc<Ticket>>,
    /// What is done.
    pub job: Option<Job>,
}

impl Submission {
    /// A closure for a worker.
    pub fn of(job: impl FnOnce() + Send + 'static) -> Submission {
        Submission {
            after: Vec::new(),
            job: Some(Box::new(job)),
        }
    }

    /// Nothing, once tickets have ended.
    pub fn after(after: Vec<Arc<Ticket>>) -> Submission {
        Submission { after, job: None }
    }
}

impl Queue {
    /// A queue without work.
    pub fn new() -> Queue {
        Queue {
            state: Mutex::new(State {
                lanes: Lanes::new(),
                idle: 0,
                starting: 0,
                workers: 0,
                waiting: 0,
                closed: false,
            }),
            work: Condvar::new(),
            ended: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new lane; a blocking one waits for the null lane, and that for it.
    pub fn add(&self, blocking: bool) -> LaneId {
        self.state().lanes.add(blocking)
    }

    /// Lets a lane go once its tasks have ended.
    pub fn retire(&self, lane: LaneId) {
        self.state().lanes.retire(lane);
    }

    /// Appends tasks to a lane, with nothing of other threads between them; the ticket of each, or none once the queue is closed.
    pub fn submit(&'static self, lane: LaneId, tasks: Vec<Submission>) -> Option<Vec<Arc<Ticket>>> {
        let tasks = tasks.into_iter().map(|submission| Task {
            ticket: Ticket::new(),
            after: submission.after,
            work: submission.job.map_or(Work::None, Work::Worker),
        });
        let tasks: Vec<Task> = tasks.collect();
        let tickets = tasks.iter().map(|task| task.ticket.clone()).collect();
        let mut state = self.state();
        if state.closed {
            drop(state);
            return None;
        }
        state.lanes.push(lane, tasks);
        self.wake(state, 0);
        Some(tickets)
    }

    /// Does something on the calling thread when its turn in a lane has come; nothing once the queue is closed.
    pub fn here<T>(
        &'static self,
        lane: LaneId,
        after: Vec<Arc<Ticket>>,
        f: impl FnOnce() -> T,
    ) -> Option<T> {
        let ticket = Ticket::new();
        let task = Task {
            ticket: ticket.clone(),
            after,
            work: Work::Caller,
        };
        let mut state = self.state();
        state.lanes.push(lane, vec![task]);
        self.wake(state, 0);
        let mut state = self.state();
        state.waiting += 1;
        while !state.lanes.is_called(&ticket) && !state.closed {
            state = self.sleep(state);
        }
        state.waiting -= 1;
        let closed = state.closed;
        drop(state);
        let _turn = Turn {
            queue: self,
            ticket,
        };
        (!closed).then(f)
    }

    fn sleep<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let woken = self.ended.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    /// What has to end before all that was submitted to a lane has.
    pub fn pending(&self, lane: LaneId) -> Vec<Arc<Ticket>> {
        self.state().lanes.pending(lane)
    }

    /// What has to end before there is nothing to do.
    pub fn all(&self) -> Vec<Arc<Ticket>> {
        self.state().lanes.all()
    }

    /// Waits until tickets have ended, or the queue is closed. Not for workers.
    pub fn wait(&self, tickets: &[Arc<Ticket>]) {
        let done = || tickets.iter().all(|ticket| ticket.is_done());
        if done() {
            return;
        }
        let mut state = self.state();
        state.waiting += 1;
        while !done() && !state.closed {
            state = self.sleep(state);
        }
        state.waiting -= 1;
    }

    /// Lets tasks end for so long, then lets none begin any more; whether there is nothing left to do.
    pub fn close(&self, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        let mut state = self.state();
        state.waiting += 1;
        while !on_worker() && !state.closed && !state.lanes.all().is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.ended.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting -= 1;
        state.closed = true;
        let done = state.lanes.all().is_empty();
        drop(state);
        self.ended.notify_all();
        self.work.notify_all();
        done
    }

    /// Sees to it that somebody does what may begin, besides `free` workers that will look themselves, and that whoever waits looks again.
    fn wake(&'static self, mut state: MutexGuard<'_, State>, free: usize) {
        if state.waiting > 0 {
            self.ended.notify_all();
        }
        if state.closed {
            return;
        }
        let ready = state.lanes.ready.len();
        let there = free + state.starting;
        (there..ready.min(there + state.idle)).for_each(|_| self.work.notify_one());
        for _ in there + state.idle..ready {
            let thread = std::thread::Builder::new().name("gfx906-stream".to_owned());
            if thread.spawn(|| self.serve()).is_ok() {
                state.workers += 1;
                state.starting += 1;
                continue;
            }
            // Without any worker the caller does the work.
            if state.workers == 0 {
                drop(state);
                self.work_off();
            }
            return;
        }
    }

    /// A worker's life.
    fn serve(&'static self) {
        WORKER.set(true);
        self.state().starting -= 1;
        loop {
            self.work_off();
            let mut state = self.state();
            if state.lanes.ready.is_empty() && !state.closed {
                state.idle += 1;
                let woken = self.work.wait_timeout(state, IDLE);
                let (woken, timeout) = woken.unwrap_or_else(PoisonError::into_inner);
                state = woken;
                state.idle -= 1;
                if !timeout.timed_out() {
                    continue;
                }
            }
            if state.lanes.ready.is_empty() || state.closed {
                state.workers -= 1;
                return;
            }
        }
    }

    /// Does tasks until none may begin.
    fn work_off(&'static self) {
        loop {
            let mut state = self.state();
            if state.closed {
                return;
            }
            let Some((lane, ticket, job)) = state.lanes.take() else {
                return;
            };
            drop(state);
            // A panic has been told by the panic hook; who waits for the task must not wait for ever.
            let _ = catch_unwind(AssertUnwindSafe(job));
            let mut state = self.state();
            state.lanes.ended(lane, &ticket);
            self.wake(state, 1);
        }
    }
}

/// The turn of a caller's task, which ends also where the task panics.
struct Turn {
    queue: &'static Queue,
    ticket: Arc<Ticket>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.lanes.returned(&self.ticket);
        self.queue.wake(state, 0);
    }
}

#[cfg(test)]
mod tests;
