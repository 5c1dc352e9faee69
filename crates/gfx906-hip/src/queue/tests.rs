//! Tests of order, waiting, callers' turns and closing, without a device.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};

use super::*;

fn queue() -> &'static Queue {
    Box::leak(Box::new(Queue::new()))
}

/// Returns a task that ends when a message is sent to it.
fn gate() -> (Sender<()>, Submission) {
    let (open, wait): (_, Receiver<()>) = channel();
    let job = move || {
        let _ = wait.recv();
    };
    (open, Submission::from_job(job))
}

fn one(queue: &'static Queue, lane: LaneId, task: Submission) -> Arc<Ticket> {
    queue
        .submit(lane, vec![task])
        .expect("it is open")
        .remove(0)
}

#[test]
fn tasks_of_a_lane_run_one_after_the_other() {
    let queue = queue();
    let lane = queue.add(true);
    let seen = Arc::new(Mutex::new(Vec::new()));
    for n in 0..200 {
        let seen = seen.clone();
        let job = move || seen.lock().expect("no panic").push(n);
        one(queue, lane, Submission::from_job(job));
    }
    queue.wait(&queue.pending(lane));
    assert_eq!(
        *seen.lock().expect("no panic"),
        (0..200).collect::<Vec<_>>()
    );
}

#[test]
fn a_task_may_wait_for_one_of_another_lane() {
    let queue = queue();
    let (a, b) = (queue.add(true), queue.add(true));
    let (open, gate) = gate();
    let first = one(queue, a, gate);
    let done = one(queue, a, Submission::default());
    // The other lane runs meanwhile, up to the waiting task.
    queue.wait(&[one(queue, b, Submission::from_job(|| ()))]);
    let second = one(queue, b, Submission::wait_for(vec![done.clone()]));
    assert!(!first.is_done() && !done.is_done() && !second.is_done());
    open.send(()).expect("it waits");
    queue.wait(std::slice::from_ref(&second));
    assert!(first.ended() <= done.ended() && done.ended() <= second.ended());
}

#[test]
fn the_null_lane_waits_for_blocking_lanes_and_they_for_it() {
    let queue = queue();
    let (blocking, free) = (queue.add(true), queue.add(false));
    let (open, task) = gate();
    one(queue, blocking, task);
    let null = one(queue, NULL, Submission::default());
    let behind = one(queue, queue.add(true), Submission::default());
    assert!(!null.is_done() && !behind.is_done());
    assert_eq!(queue.pending(NULL).len(), 3);
    assert!(one(queue, free, Submission::default()).is_done());
    open.send(()).expect("it waits");
    queue.wait(&[behind]);
    assert!(null.is_done());
    // It does not wait for the other lanes.
    let (open, task) = gate();
    one(queue, free, task);
    assert!(one(queue, NULL, Submission::default()).is_done());
    assert!(queue.pending(NULL).is_empty() && queue.pending_everywhere().len() == 1);
    open.send(()).expect("it waits");
    queue.wait(&queue.pending_everywhere());
}

#[test]
fn a_caller_takes_its_turn() {
    let queue = queue();
    let lane = queue.add(true);
    let (open, task) = gate();
    one(queue, lane, task);
    let opened = Arc::new(AtomicBool::new(false));
    let flag = opened.clone();
    let opener = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        flag.store(true, SeqCst);
        open.send(()).expect("it waits");
    });
    let seen = queue.run_in_turn(lane, Vec::new(), || opened.load(SeqCst));
    assert_eq!(seen, Some(true));
    opener.join().expect("no panic");
    // A panic does not block the lane.
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        queue.run_in_turn(lane, Vec::new(), || panic!("on purpose"))
    }));
    assert!(panicked.is_err());
    let behind = one(queue, lane, Submission::from_job(|| panic!("on purpose")));
    queue.wait(&[behind, one(queue, lane, Submission::default())]);
}

#[test]
fn tasks_that_wait_for_each_other_all_run() {
    let queue = queue();
    let barrier = Arc::new(std::sync::Barrier::new(20));
    for _ in 0..20 {
        let barrier = barrier.clone();
        let job = move || {
            barrier.wait();
        };
        one(queue, queue.add(false), Submission::from_job(job));
    }
    queue.wait(&queue.pending_everywhere());
}

#[test]
fn a_lane_that_is_let_go_ends_its_tasks() {
    let queue = queue();
    let lane = queue.add(true);
    let (open, task) = gate();
    let first = one(queue, lane, task);
    let last = one(queue, lane, Submission::from_job(|| ()));
    queue.retire(lane);
    assert!(!first.is_done());
    open.send(()).expect("it waits");
    queue.wait(&queue.pending_everywhere());
    assert!(last.is_done());
    // Work after the close is not lost.
    queue.wait(&[one(queue, lane, Submission::from_job(|| ()))]);
}

#[test]
fn closing_waits_for_a_while_and_lets_nothing_begin() {
    let queue = queue();
    let lane = queue.add(true);
    assert!(self::queue().close(Duration::ZERO));
    let (_open, task) = gate();
    one(queue, lane, task);
    let ran = Arc::new(AtomicBool::new(false));
    let flag = ran.clone();
    let behind = one(
        queue,
        lane,
        Submission::from_job(move || flag.store(true, SeqCst)),
    );
    assert!(!queue.close(Duration::from_millis(30)));
    // No thread waits for a task that will never begin.
    queue.wait(&[behind]);
    assert_eq!(queue.run_in_turn(lane, Vec::new(), || ()), None);
    assert!(queue.submit(NULL, vec![Submission::default()]).is_none());
    assert!(!ran.load(SeqCst));
}

#[test]
fn many_threads_submit_at_once() {
    let queue = queue();
    let count = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let count = count.clone();
            scope.spawn(move || {
                let lane = queue.add(thread % 2 == 0);
                let mut tickets = Vec::new();
                for n in 0..300 {
                    let on = if n % 7 == 0 { NULL } else { lane };
                    let count = count.clone();
                    let job = move || {
                        count.fetch_add(1, SeqCst);
                    };
                    let after = tickets.last().cloned().into_iter().collect();
                    let task = Submission {
                        after,
                        ..Submission::from_job(job)
                    };
                    tickets.push(one(queue, on, task));
                    if n % 50 == 0 {
                        let done = queue.run_in_turn(on, Vec::new(), || count_done(&tickets));
                        assert!(done.is_some_and(|done| done <= tickets.len()));
                    }
                }
                queue.wait(&tickets);
                queue.retire(lane);
            });
        }
    });
    assert_eq!(count.load(SeqCst), 1200);
    assert!(queue.pending_everywhere().is_empty());
}

fn count_done(tickets: &[Arc<Ticket>]) -> usize {
    tickets.iter().filter(|ticket| ticket.is_done()).count()
}
