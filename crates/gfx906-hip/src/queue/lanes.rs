//! Waiting tasks, and the rule of which may begin.
//!
//! A lane is a list of tasks, each of which begins when the task before it has ended. A task may also wait for tickets of other lanes. The
//! tickets are always older than the task, so tasks cannot wait in a cycle.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use super::{Job, LaneId, NULL, Ticket};

/// Executor of a task.
pub(super) enum TaskExecutor {
    /// No executor: the task ends as soon as it may begin.
    None,
    /// A worker.
    Worker(Job),
    /// The thread that submitted the task, which waits for its turn.
    Caller,
}

pub(super) struct Task {
    pub ticket: Arc<Ticket>,
    pub after: Vec<Arc<Ticket>>,
    pub work: TaskExecutor,
}

#[derive(Default)]
struct Lane {
    /// True if the lane waits for the null lane and the null lane for it.
    blocking: bool,
    /// True if no one submits to the lane any more. The lane is removed with its last task.
    retired: bool,
    tasks: VecDeque<Task>,
    /// True if the first task has been given to a worker or to its caller.
    busy: bool,
    /// End of the last submitted task.
    last: Option<Arc<Ticket>>,
}

/// Table of all lanes.
pub(super) struct Lanes {
    next: LaneId,
    lanes: BTreeMap<LaneId, Lane>,
    /// Lanes whose first task waits for a ticket.
    blocked: BTreeSet<LaneId>,
    /// Lanes whose first task is for a worker and may begin.
    pub ready: VecDeque<LaneId>,
    /// Tasks that may begin, or have begun, on their caller's thread.
    pub called: Vec<Arc<Ticket>>,
}

/// Returns the tickets that have not ended.
fn open<'a>(
    tickets: impl Iterator<Item = &'a Option<Arc<Ticket>>>,
) -> impl Iterator<Item = Arc<Ticket>> {
    tickets.flatten().filter(|t| !t.is_done()).cloned()
}

impl Lanes {
    pub fn new() -> Lanes {
        let null = Lane {
            blocking: true,
            ..Lane::default()
        };
        Lanes {
            next: NULL + 1,
            lanes: BTreeMap::from([(NULL, null)]),
            blocked: BTreeSet::new(),
            ready: VecDeque::new(),
            called: Vec::new(),
        }
    }

    pub fn add(&mut self, blocking: bool) -> LaneId {
        let id = self.next;
        self.next += 1;
        let lane = Lane {
            blocking,
            ..Lane::default()
        };
        self.lanes.insert(id, lane);
        id
    }

    /// Removes a lane after its tasks have ended.
    pub fn retire(&mut self, id: LaneId) {
        if let Some(lane) = self.lanes.get_mut(&id) {
            lane.retired = true;
            self.advance_all(id);
        }
    }

    /// Returns the dependencies of a task on other lanes: the null lane waits for the blocking lanes, and they for the null lane.
    fn others(&self, id: LaneId) -> Vec<Arc<Ticket>> {
        let blocking = self.lanes.get(&id).is_some_and(|lane| lane.blocking);
        let lanes = self.lanes.iter().filter(|(other, lane)| {
            **other != id && blocking && lane.blocking && (id == NULL || **other == NULL)
        });
        open(lanes.map(|(_, lane)| &lane.last)).collect()
    }

    /// Returns the tickets that must end before a lane has no work.
    pub fn pending(&self, id: LaneId) -> Vec<Arc<Ticket>> {
        let own = self.lanes.get(&id).map(|lane| &lane.last);
        let mut pending: Vec<_> = open(own.into_iter()).collect();
        if id == NULL {
            pending.extend(self.others(id));
        }
        pending
    }

    /// Returns the tickets that must end before no lane has work.
    pub fn pending_everywhere(&self) -> Vec<Arc<Ticket>> {
        open(self.lanes.values().map(|lane| &lane.last)).collect()
    }

    /// Appends tasks to a lane, or to the null lane if the lane is gone.
    pub fn push(&mut self, id: LaneId, mut tasks: Vec<Task>) {
        let id = if self.lanes.contains_key(&id) {
            id
        } else {
            NULL
        };
        let dependencies = self.others(id);
        if let Some(first) = tasks.first_mut() {
            first.after.extend(dependencies);
        }
        if let Some(lane) = self.lanes.get_mut(&id) {
            if let Some(last) = tasks.last() {
                lane.last = Some(last.ticket.clone());
            }
            lane.tasks.extend(tasks);
        }
        self.advance_all(id);
    }

    /// Begins the first task of a lane if it may begin, and tasks of other lanes that waited for it.
    fn advance_all(&mut self, id: LaneId) {
        if self.advance(id) {
            self.settle();
        }
    }

    /// Begins the tasks whose tickets have ended.
    fn settle(&mut self) {
        let mut ended = true;
        while ended {
            ended = false;
            for id in std::mem::take(&mut self.blocked) {
                ended |= self.advance(id);
            }
        }
    }

    /// Begins the first task of a lane if it may begin. Returns true if tasks ended.
    fn advance(&mut self, id: LaneId) -> bool {
        let mut ended = false;
        while let Some(lane) = self.lanes.get_mut(&id) {
            self.blocked.remove(&id);
            if lane.busy {
                break;
            }
            let Some(first) = lane.tasks.front_mut() else {
                if lane.retired {
                    self.lanes.remove(&id);
                }
                break;
            };
            first.after.retain(|ticket| !ticket.is_done());
            if !first.after.is_empty() {
                self.blocked.insert(id);
                break;
            }
            match first.work {
                TaskExecutor::None => {
                    first.ticket.end();
                    lane.tasks.pop_front();
                    ended = true;
                    continue;
                }
                TaskExecutor::Worker(_) => self.ready.push_back(id),
                TaskExecutor::Caller => self.called.push(first.ticket.clone()),
            }
            lane.busy = true;
            break;
        }
        ended
    }

    /// Takes the next task for a worker, with its lane.
    pub fn take(&mut self) -> Option<(LaneId, Arc<Ticket>, Job)> {
        let id = self.ready.pop_front()?;
        let task = self.lanes.get_mut(&id)?.tasks.pop_front()?;
        match task.work {
            TaskExecutor::Worker(job) => Some((id, task.ticket, job)),
            _ => None,
        }
    }

    /// Ends a worker's task.
    pub fn ended(&mut self, id: LaneId, ticket: &Ticket) {
        ticket.end();
        if let Some(lane) = self.lanes.get_mut(&id) {
            lane.busy = false;
        }
        self.advance(id);
        self.settle();
    }

    /// Returns true if a caller's task may begin.
    pub fn is_called(&self, ticket: &Arc<Ticket>) -> bool {
        self.called.iter().any(|called| Arc::ptr_eq(called, ticket))
    }

    /// Ends a caller's task.
    pub fn returned(&mut self, ticket: &Arc<Ticket>) {
        self.called.retain(|called| !Arc::ptr_eq(called, ticket));
        let id = self.lanes.iter().find_map(|(&id, lane)| {
            let first = lane.tasks.front()?;
            Arc::ptr_eq(&first.ticket, ticket).then_some(id)
        });
        if let Some(id) = id {
            if let Some(lane) = self.lanes.get_mut(&id) {
                lane.tasks.pop_front();
            }
            self.ended(id, ticket);
        }
    }
}
