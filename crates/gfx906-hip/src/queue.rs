//! Background work: lanes of tasks, and worker threads.
//!
//! This room knows nothing of HIP: a task is a closure. There are as many threads as tasks that run at the same time, so a task may wait
//! for anything except tasks behind itself. Closures run and are dropped outside of the lock.

mod lanes;
mod ticket;

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lanes::{Lanes, Task, TaskExecutor};
pub use ticket::Ticket;

/// Number of a lane.
pub type LaneId = u64;
/// Closure that a worker runs.
pub type Job = Box<dyn FnOnce() + Send>;

/// Null lane, which always exists. It waits for all blocking lanes, and they wait for it.
pub const NULL: LaneId = 0;

/// Time that an idle worker stays.
const IDLE: Duration = Duration::from_secs(2);

thread_local! {
    static WORKER: Cell<bool> = const { Cell::new(false) };
}

/// Returns true on a worker thread, which must not wait for tasks.
pub fn on_worker() -> bool {
    WORKER.get()
}

/// Lanes, and the threads that do their tasks.
pub struct Queue {
    state: Mutex<QueueState>,
    /// Signals work for a worker.
    work: Condvar,
    /// Signals the end of a task, or a caller's turn.
    ended: Condvar,
}

struct QueueState {
    lanes: Lanes,
    /// Number of workers that wait for work.
    idle: usize,
    /// Number of workers that have been started and have not looked for work yet.
    starting: usize,
    workers: usize,
    /// Number of threads that wait for the end of tasks.
    waiting: usize,
    /// True if no task may begin any more.
    closed: bool,
}

/// Task to submit: its dependencies besides the tasks before it, and its closure, if any.
#[derive(Default)]
pub struct Submission {
    /// Dependencies.
    pub after: Vec<Arc<Ticket>>,
    /// Closure.
    pub job: Option<Job>,
}

impl Submission {
    /// Returns a task for a worker.
    pub fn from_job(job: impl FnOnce() + Send + 'static) -> Submission {
        Submission {
            after: Vec::new(),
            job: Some(Box::new(job)),
        }
    }

    /// Returns a task without a closure, which ends when its dependencies have ended.
    pub fn wait_for(after: Vec<Arc<Ticket>>) -> Submission {
        Submission { after, job: None }
    }
}

impl Queue {
    /// Returns a queue without work.
    pub fn new() -> Queue {
        Queue {
            state: Mutex::new(QueueState {
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

    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a lane. A blocking lane waits for the null lane, and the null lane for it.
    pub fn add(&self, blocking: bool) -> LaneId {
        self.state().lanes.add(blocking)
    }

    /// Removes a lane after its tasks have ended.
    pub fn retire(&self, lane: LaneId) {
        self.state().lanes.retire(lane);
    }

    /// Appends tasks to a lane, with no task of another thread between them. Returns their tickets, or none after the queue is closed.
    pub fn submit(&'static self, lane: LaneId, tasks: Vec<Submission>) -> Option<Vec<Arc<Ticket>>> {
        let tasks = tasks.into_iter().map(|submission| Task {
            ticket: Ticket::new(),
            after: submission.after,
            work: submission
                .job
                .map_or(TaskExecutor::None, TaskExecutor::Worker),
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

    /// Runs a closure on the calling thread in its turn of a lane. Returns none after the queue is closed.
    pub fn run_in_turn<T>(
        &'static self,
        lane: LaneId,
        after: Vec<Arc<Ticket>>,
        f: impl FnOnce() -> T,
    ) -> Option<T> {
        let ticket = Ticket::new();
        let task = Task {
            ticket: ticket.clone(),
            after,
            work: TaskExecutor::Caller,
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

    fn sleep<'a>(&self, state: MutexGuard<'a, QueueState>) -> MutexGuard<'a, QueueState> {
        let woken = self.ended.wait(state);
        woken.unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the tickets that must end before a lane has no work.
    pub fn pending(&self, lane: LaneId) -> Vec<Arc<Ticket>> {
        self.state().lanes.pending(lane)
    }

    /// Returns the tickets that must end before no lane has work.
    pub fn pending_everywhere(&self) -> Vec<Arc<Ticket>> {
        self.state().lanes.pending_everywhere()
    }

    /// Waits until tickets have ended or the queue is closed. Workers must not call this.
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

    /// Waits for tasks for a time, then closes the queue. Returns true if no work is left.
    pub fn close(&self, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        let mut state = self.state();
        state.waiting += 1;
        while !on_worker() && !state.closed && !state.lanes.pending_everywhere().is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.ended.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.waiting -= 1;
        state.closed = true;
        let done = state.lanes.pending_everywhere().is_empty();
        drop(state);
        self.ended.notify_all();
        self.work.notify_all();
        done
    }

    /// Starts or wakes workers for the tasks that may begin, besides `free` workers that are about to look for work, and wakes waiting
    /// threads.
    fn wake(&'static self, mut state: MutexGuard<'_, QueueState>, free: usize) {
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
            // If no worker could be started, the caller does the work.
            if state.workers == 0 {
                drop(state);
                self.work_off();
            }
            return;
        }
    }

    /// Serves the queue on a worker thread.
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

    /// Runs tasks until none may begin.
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
            // The panic hook has reported a panic. A thread that waits for the task must not wait forever.
            let _ = catch_unwind(AssertUnwindSafe(job));
            let mut state = self.state();
            state.lanes.ended(lane, &ticket);
            self.wake(state, 1);
        }
    }
}

/// Turn of a caller's task. It ends even if the task panics.
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
