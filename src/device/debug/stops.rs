//! Breakpoints, watchpoints and steps: how far a timeline runs, forwards and backwards.

use std::collections::HashMap;

use gfx906::machine::StepperState;

use super::expression::Condition;
use super::places::{Place, WaveId};
use super::timeline::{ExecutedInstruction, Moment, Timeline};

/// Instructions between two questions whether somebody wants to stop.
const PATIENCE: u64 = 1 << 14;

/// A breakpoint.
#[derive(Clone, Debug)]
pub struct Breakpoint {
    /// Its number.
    pub id: u64,
    /// Link addresses at which it stops waves, before their instruction.
    pub addresses: Vec<u64>,
    /// The condition under which it stops.
    pub condition: Option<Condition>,
    /// Number of the first stop that counts, from 1. Earlier ones are passed over.
    pub skip: u64,
    /// Number of times that it was reached, without those passed in reverse.
    pub hits: u64,
}

/// A watchpoint: stops behind an instruction that changes a value.
#[derive(Clone, Debug)]
pub struct Watchpoint {
    /// Its number.
    pub id: u64,
    /// Name of the value.
    pub name: String,
    /// The place of the value.
    pub place: Place,
    /// Size of the value in bytes.
    pub bytes: usize,
    seen: Option<Vec<u8>>,
}

impl Watchpoint {
    /// Makes a watchpoint.
    pub fn new(id: u64, name: &str, place: Place, bytes: usize) -> Watchpoint {
        Watchpoint {
            id,
            name: name.to_owned(),
            place,
            bytes,
            seen: None,
        }
    }
}

/// A kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Goes to the next line, over functions that are called or inlined.
    Over,
    /// Goes to the next line, in any function.
    In,
    /// Goes to the function that called, or into which the function is inlined.
    Out,
    /// Goes on by one instruction.
    Instruction,
}

/// The reason of a stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Breakpoints stop the next wave.
    Breakpoint(Vec<u64>),
    /// A wave has changed the values of watchpoints.
    Change {
        /// The wave.
        wave: WaveId,
        /// The watchpoints.
        ids: Vec<u64>,
    },
    /// A step of this wave is done.
    Step(WaveId),
    /// A wave has trapped.
    Trap,
    /// The newest launch has ended.
    End,
    /// The beginning of the first launch is reached backwards.
    Beginning,
    /// Somebody wanted to stop.
    Pause,
}

/// The places at which a timeline stops.
#[derive(Debug, Default)]
pub struct Stops {
    /// The breakpoints.
    pub breakpoints: Vec<Breakpoint>,
    /// The watchpoints.
    pub watchpoints: Vec<Watchpoint>,
    /// The step that is on its way.
    plan: Option<Plan>,
}

/// A step of a wave on its way.
#[derive(Debug)]
struct Plan {
    wave: WaveId,
    kind: StepKind,
    line: Option<(usize, u32)>,
    depth: usize,
    /// Calls less returns since the step began.
    calls: i64,
}

impl Plan {
    fn new(timeline: &Timeline, wave: WaveId, kind: StepKind) -> Plan {
        let address = timeline.address(wave).unwrap_or_default();
        let code = timeline.code();
        let has_source = code.is_some_and(|code| code.source().is_some());
        Plan {
            wave,
            kind: if has_source {
                kind
            } else {
                StepKind::Instruction
            },
            line: code.and_then(|code| code.line_at(address)),
            depth: code.map_or(1, |code| code.depth(address)),
            calls: 0,
        }
    }

    /// Returns true if the step is done after an instruction.
    fn is_done(&mut self, timeline: &Timeline, executed: &ExecutedInstruction) -> bool {
        if timeline.is_over(self.wave) {
            return true;
        }
        if executed.wave != self.wave {
            return false;
        }
        let (Some(code), Some(address)) = (timeline.code(), timeline.address(self.wave)) else {
            return true;
        };
        if self.kind == StepKind::Instruction {
            return true;
        }
        self.calls += calls(timeline, executed.address, address);
        if self.calls < 0 {
            return true;
        }
        let line = code.line_at(address);
        match self.kind {
            StepKind::Instruction => true,
            StepKind::In => line.is_some() && (self.calls > 0 || line != self.line),
            _ if self.calls > 0 => false,
            StepKind::Over => {
                let changed = line.is_some() && line != self.line;
                changed && code.depth(address) <= self.depth
            }
            StepKind::Out => code.depth(address) < self.depth,
        }
    }
}

/// Returns 1 if an instruction was a call, and -1 if it was a return.
fn calls(timeline: &Timeline, address: u64, next: u64) -> i64 {
    let Some((stepper, code)) = timeline.stepper().zip(timeline.code()) else {
        return 0;
    };
    let op = stepper.op(stepper.base().wrapping_add(address));
    match op.map(|op| op.inst.row.mnemonic) {
        Some("s_swappc_b64" | "s_call_b64") => 1,
        Some("s_setpc_b64") if code.function(address) != code.function(next) => -1,
        _ => 0,
    }
}

impl Stops {
    /// Returns the breakpoints by address.
    fn index(&self) -> HashMap<u64, Vec<usize>> {
        let mut index = HashMap::<u64, Vec<usize>>::new();
        for (number, breakpoint) in self.breakpoints.iter().enumerate() {
            for &address in &breakpoint.addresses {
                index.entry(address).or_default().push(number);
            }
        }
        index
    }

    /// Returns the breakpoints that stop the next wave. `counts` is true if hits are counted.
    fn hit(
        &mut self,
        index: &HashMap<u64, Vec<usize>>,
        timeline: &Timeline,
        counts: bool,
    ) -> Vec<u64> {
        let Some(wave) = timeline.next_wave() else {
            return Vec::new();
        };
        let address = timeline.address(wave);
        let Some(numbers) = address.and_then(|address| index.get(&address)) else {
            return Vec::new();
        };
        let mut ids = Vec::new();
        for &number in numbers {
            let breakpoint = &mut self.breakpoints[number];
            let holds = |condition: &Condition| condition.holds(timeline, wave);
            if !breakpoint.condition.as_ref().is_none_or(holds) {
                continue;
            }
            breakpoint.hits += u64::from(counts);
            if !counts || breakpoint.hits >= breakpoint.skip {
                ids.push(breakpoint.id);
            }
        }
        ids
    }

    /// Notes the present values of the watchpoints.
    fn look(&mut self, timeline: &Timeline) {
        for watchpoint in &mut self.watchpoints {
            watchpoint.seen = watchpoint.place.read(timeline, watchpoint.bytes);
        }
    }

    /// Returns the watchpoints whose values have changed since the last call.
    fn changes(&mut self, timeline: &Timeline) -> Vec<u64> {
        let mut ids = Vec::new();
        for watchpoint in &mut self.watchpoints {
            let value = watchpoint.place.read(timeline, watchpoint.bytes);
            if value != watchpoint.seen {
                // A place that comes into being or goes, such as the LDS of another group, is no change.
                if value.is_some() && watchpoint.seen.is_some() {
                    ids.push(watchpoint.id);
                }
                watchpoint.seen = value;
            }
        }
        ids
    }

    /// Begins a step of a wave, which [`Stops::forward`] ends, or none.
    pub fn begin_step(&mut self, timeline: &Timeline, step: Option<(WaveId, StepKind)>) {
        self.plan = step.map(|(wave, kind)| Plan::new(timeline, wave, kind));
    }

    /// Returns true if a step is on its way.
    pub fn is_stepping(&self) -> bool {
        self.plan.is_some()
    }

    /// Returns the stop of the next wave at a breakpoint, without running anything.
    pub fn here(&mut self, timeline: &Timeline) -> Option<Stop> {
        let index = self.index();
        let ids = self.hit(&index, timeline, true);
        (!ids.is_empty()).then_some(Stop::Breakpoint(ids))
    }

    /// Runs forwards to the next stop. `pause` is asked now and then whether somebody wants to stop.
    pub fn forward(&mut self, timeline: &mut Timeline, pause: &mut dyn FnMut() -> bool) -> Stop {
        let stop = self.run(timeline, pause);
        // A step that reaches the end of a launch ends in the next one.
        if !matches!(stop, Stop::Pause | Stop::End) {
            self.plan = None;
        }
        stop
    }

    fn run(&mut self, timeline: &mut Timeline, pause: &mut dyn FnMut() -> bool) -> Stop {
        let index = self.index();
        self.look(timeline);
        let mut patience = PATIENCE;
        loop {
            let Some(executed) = timeline.step() else {
                return match timeline.state() {
                    StepperState::Trapped(_) => Stop::Trap,
                    _ => Stop::End,
                };
            };
            if !self.watchpoints.is_empty() {
                let ids = self.changes(timeline);
                if !ids.is_empty() {
                    let wave = executed.wave;
                    return Stop::Change { wave, ids };
                }
            }
            match timeline.state() {
                StepperState::Trapped(_) => return Stop::Trap,
                StepperState::Ended => return Stop::End,
                StepperState::Ready { .. } => {}
            }
            if !index.is_empty() {
                let ids = self.hit(&index, timeline, true);
                if !ids.is_empty() {
                    return Stop::Breakpoint(ids);
                }
            }
            if let Some(plan) = &mut self.plan
                && plan.is_done(timeline, &executed)
            {
                return Stop::Step(plan.wave);
            }
            patience -= 1;
            if patience == 0 {
                patience = PATIENCE;
                if pause() {
                    return Stop::Pause;
                }
            }
        }
    }

    /// Runs backwards to the latest breakpoint or change before the present moment, or to the beginning.
    pub fn backward(&mut self, timeline: &mut Timeline, pause: &mut dyn FnMut() -> bool) -> Stop {
        let index = self.index();
        let now = timeline.now();
        let mut found = None;
        let accepts = |timeline: &Timeline, executed: Option<ExecutedInstruction>| {
            if executed.is_none() {
                self.look(timeline);
            }
            let changed = self.changes(timeline);
            if let Some(executed) = executed.filter(|_| !changed.is_empty()) {
                let wave = executed.wave;
                found = Some(Stop::Change { wave, ids: changed });
                return true;
            }
            let ids = self.hit(&index, timeline, false);
            if ids.is_empty() {
                return false;
            }
            found = Some(Stop::Breakpoint(ids));
            true
        };
        let reached = search(timeline, now, pause, accepts, |_, _| 0);
        match reached {
            Search::Found => found.unwrap_or(Stop::Beginning),
            Search::Beginning => Stop::Beginning,
            Search::Paused => Stop::Pause,
        }
    }

    /// Goes back to the beginning of a wave's line, or to the line before it, or by one instruction of the wave. [`StepKind::In`] also stops
    /// in functions that have returned, and in inlined functions.
    pub fn step_back(
        &mut self,
        timeline: &mut Timeline,
        wave: WaveId,
        kind: StepKind,
        pause: &mut dyn FnMut() -> bool,
    ) -> Stop {
        let now = timeline.now();
        let has_source = timeline.code().is_some_and(|code| code.source().is_some());
        let by_instruction = kind == StepKind::Instruction || !has_source;
        let place = |timeline: &Timeline| {
            let (code, address) = timeline.code().zip(timeline.address(wave))?;
            Some((code.function(address), code.depth(address)))
        };
        let from = place(timeline);
        let is_inner = |timeline: &Timeline| match (from, place(timeline)) {
            (Some((from, depth)), Some((function, inner))) => from == function && inner > depth,
            _ => false,
        };
        let accepts = |timeline: &Timeline, _| {
            let is_next = timeline.next_wave() == Some(wave);
            if by_instruction {
                return is_next;
            }
            let line = |address: Option<u64>| timeline.code()?.line_at(address?);
            let here = line(timeline.address(wave));
            let begins = is_next && here.is_some() && here != line(timeline.last_address(wave));
            begins && (kind == StepKind::In || !is_inner(timeline))
        };
        let called = |timeline: &Timeline, executed: ExecutedInstruction| {
            if by_instruction || kind == StepKind::In || executed.wave != wave {
                return 0;
            }
            let next = timeline.address(wave);
            next.map_or(0, |next| calls(timeline, executed.address, next))
        };
        let reached = search(timeline, now, pause, accepts, called);
        match reached {
            Search::Found => Stop::Step(wave),
            Search::Beginning => Stop::Beginning,
            Search::Paused => Stop::Pause,
        }
    }
}

/// The end of a search backwards.
enum Search {
    Found,
    Beginning,
    Paused,
}

/// Goes to the latest moment before `now` that a function accepts. The function sees the moments of a stretch one after another, each with the
/// instruction that led to it, except the first moment of a stretch. `called` returns 1 for an instruction that calls a function, and -1 for one
/// that returns: the search does not end in a function that has returned.
fn search(
    timeline: &mut Timeline,
    now: Moment,
    pause: &mut dyn FnMut() -> bool,
    mut accepts: impl FnMut(&Timeline, Option<ExecutedInstruction>) -> bool,
    called: impl Fn(&Timeline, ExecutedInstruction) -> i64,
) -> Search {
    let mut end = now;
    // Returns of later stretches whose calls lie before them.
    let mut returns = 0;
    loop {
        let Some(start) = timeline.saved_before(end) else {
            timeline.go_to(Moment::default());
            return Search::Beginning;
        };
        timeline.restore(start);
        let (mut found, mut executed, mut patience) = (None, None, PATIENCE);
        // The moments found before each call that has not returned.
        let mut callers: Vec<Option<Moment>> = Vec::new();
        let mut earlier = 0;
        // Later stretches have not seen the change that led to their first moment.
        while timeline.now() < end || (timeline.now() == end && end != now) {
            if accepts(timeline, executed) {
                found = Some(timeline.now());
            }
            executed = timeline.step();
            let Some(executed) = executed else {
                break;
            };
            match called(timeline, executed) {
                1 => callers.push(found),
                -1 => {
                    let caller = callers.pop();
                    earlier += i32::from(caller.is_none());
                    found = caller.flatten();
                }
                _ => {}
            }
            patience -= 1;
            if patience == 0 {
                patience = PATIENCE;
                if pause() {
                    return Search::Paused;
                }
            }
        }
        for _ in 0..returns {
            let caller = callers.pop();
            earlier += i32::from(caller.is_none());
            found = caller.flatten();
        }
        returns = earlier;
        if let Some(found) = found {
            timeline.go_to(found);
            return Search::Found;
        }
        end = start;
    }
}
