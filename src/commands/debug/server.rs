//! The session with an editor: which launch runs how far, and what the editor is told.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, TryRecvError};

use gfx906::machine::StepperState;
use serde_json::{Value, json};

use super::arguments::{Arguments, Refusal};
use super::breakpoints::BreakpointSets;
use super::sources::SourceFolders;
use super::subject::{Outcome, Subject, SubjectCode};
use super::values::Handles;
use super::wire::{self, WireError};
use crate::args::DebugArgs;
use crate::device::debug::{Driver, StepKind, Stop, Stops, Timeline, WaveId};
use crate::device::{DeviceError, DeviceErrorKind, DeviceResult};
use crate::exit;

/// A way in which the launch goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resume {
    /// Forwards to the next stop, or to the end of a step that has begun.
    Forward,
    /// Backwards to the stop before.
    Backward,
    /// Backwards by a step of a wave.
    StepBack(WaveId, StepKind),
}

/// The session with an editor.
pub(super) struct Server {
    pub(super) args: DebugArgs,
    input: Receiver<Result<Option<Value>, WireError>>,
    inbox: VecDeque<Value>,
    /// The error that ended the input.
    broken: Option<WireError>,
    /// True if no more input comes, or the editor has ended the session.
    pub(super) over: bool,
    sequence: u64,
    pub(super) subject: Option<Subject>,
    pub(super) code: Option<SubjectCode>,
    pub(super) configured: bool,
    pub(super) folders: SourceFolders,
    pub(super) sets: BreakpointSets,
    pub(super) stops: Stops,
    pub(super) handles: Handles,
    pub(super) stop_on_entry: bool,
    /// True if the session stops at traps.
    pub(super) stop_at_trap: bool,
    /// True if the session stops at the end of each launch.
    pub(super) stop_at_end: bool,
    started: bool,
    pub(super) resume: Option<Resume>,
    /// The wave that the editor was told of at the last stop.
    pub(super) stopped: Option<WaveId>,
}

impl Server {
    /// Makes a session on standard input and output.
    pub(super) fn new(args: &DebugArgs) -> Server {
        let mut folders = SourceFolders::default();
        args.source_dir
            .iter()
            .for_each(|folder| folders.add(folder));
        Server {
            args: args.clone(),
            input: wire::messages(),
            inbox: VecDeque::new(),
            broken: None,
            over: false,
            sequence: 0,
            subject: None,
            code: None,
            configured: false,
            folders,
            sets: BreakpointSets::default(),
            stops: Stops::default(),
            handles: Handles::default(),
            stop_on_entry: false,
            stop_at_trap: true,
            stop_at_end: false,
            started: false,
            resume: None,
            stopped: None,
        }
    }

    /// Answers requests until the editor wants the launches to run. Returns none if the editor ends the session before.
    ///
    /// # Errors
    /// The input is not the protocol.
    pub(super) fn configure(&mut self) -> Result<Option<Subject>, exit::Stop> {
        while !self.configured {
            let Some(message) = self.next() else {
                return self
                    .broken
                    .take()
                    .map_or(Ok(None), |e| Err(exit::Stop::setup(e)));
            };
            self.answer(None, &message);
        }
        Ok(self.subject.take())
    }

    /// Tells the editor how the launches ended, and waits until it ends the session.
    ///
    /// # Errors
    /// The input is not the protocol.
    pub(super) fn finish(&mut self, outcome: anyhow::Result<Outcome>) -> Result<(), exit::Stop> {
        if !self.over {
            let passed = match outcome {
                Ok(outcome) => {
                    self.event(
                        "output",
                        json!({ "category": "stdout", "output": outcome.text }),
                    );
                    outcome.passed
                }
                Err(error) => {
                    let text = format!("{error:#}\n");
                    self.event("output", json!({ "category": "stderr", "output": text }));
                    false
                }
            };
            let code = if passed { 0 } else { 1 };
            self.event("exited", json!({ "exitCode": code }));
            self.event("terminated", json!({}));
            while let Some(message) = self.next() {
                self.answer(None, &message);
            }
        }
        self.broken
            .take()
            .map_or(Ok(()), |e| Err(exit::Stop::setup(e)))
    }

    /// Waits for a message. Returns none if the session is over.
    fn next(&mut self) -> Option<Value> {
        if let Some(message) = self.inbox.pop_front() {
            return Some(message);
        }
        if self.over {
            return None;
        }
        match self.input.recv() {
            Ok(Ok(Some(message))) => Some(message),
            Ok(Err(error)) => {
                self.broken = Some(error);
                self.over = true;
                None
            }
            Ok(Ok(None)) | Err(_) => {
                self.over = true;
                None
            }
        }
    }

    /// Answers a request. Other messages are passed over.
    fn answer(&mut self, timeline: Option<&mut Timeline>, message: &Value) {
        if message["type"] != "request" {
            return;
        }
        let command = message["command"].as_str().unwrap_or_default();
        let nothing = json!({});
        let arguments = match &message["arguments"] {
            Value::Null => &nothing,
            arguments => arguments,
        };
        let result = self.request(timeline, command, Arguments(arguments));
        let mut response = json!({
            "type": "response",
            "request_seq": message["seq"],
            "command": command,
            "success": result.is_ok(),
        });
        let done = result.is_ok();
        match result {
            Ok(body) => response["body"] = body,
            Err(Refusal(text)) => {
                response["message"] = text.clone().into();
                response["body"] =
                    json!({ "error": { "id": 1, "format": text, "showUser": true } });
            }
        }
        self.send(response);
        if done && command == "launch" {
            self.event("initialized", json!({}));
        }
    }

    fn send(&mut self, mut message: Value) {
        self.sequence += 1;
        message["seq"] = self.sequence.into();
        if wire::write(&mut io::stdout().lock(), &message).is_err() {
            // Nobody reads any more.
            self.over = true;
        }
    }

    /// Tells the editor of an event.
    pub(super) fn event(&mut self, event: &str, body: Value) {
        self.send(json!({ "type": "event", "event": event, "body": body }));
    }

    /// Runs the timeline until a stop or a message.
    fn go_on(&mut self, timeline: &mut Timeline, resume: Resume) -> Stop {
        let Server {
            input,
            inbox,
            broken,
            over,
            stops,
            ..
        } = self;
        // Every message interrupts a run forwards, which goes on afterwards. A run backwards would have to begin again.
        let forward = resume == Resume::Forward;
        let mut pause = || {
            loop {
                match input.try_recv() {
                    Ok(Ok(Some(message))) => inbox.push_back(message),
                    Ok(Err(error)) => (*broken, *over) = (Some(error), true),
                    Ok(Ok(None)) | Err(TryRecvError::Disconnected) => *over = true,
                    Err(TryRecvError::Empty) => break,
                }
                if *over {
                    break;
                }
            }
            let ends = |message: &Value| {
                let command = message["command"].as_str();
                matches!(command, Some("pause" | "disconnect" | "terminate"))
            };
            *over || (forward && !inbox.is_empty()) || inbox.iter().any(ends)
        };
        match resume {
            Resume::Forward => stops.forward(timeline, &mut pause),
            Resume::Backward => stops.backward(timeline, &mut pause),
            Resume::StepBack(wave, kind) => stops.step_back(timeline, wave, kind, &mut pause),
        }
    }

    /// Tells the editor of a stop.
    fn stopped(&mut self, timeline: &Timeline, stop: &Stop) {
        self.handles.forget();
        let next = timeline.next_wave();
        let first = next.unwrap_or_else(|| timeline.wave(0));
        let mut wave = first;
        let mut body = json!({ "allThreadsStopped": true });
        let reason = match stop {
            Stop::Breakpoint(ids) => {
                body["hitBreakpointIds"] = json!(ids);
                if self.sets.are_functions(ids) {
                    "function breakpoint"
                } else {
                    "breakpoint"
                }
            }
            Stop::Change { wave: by, ids } => {
                wave = if timeline.has(*by) { *by } else { first };
                body["hitBreakpointIds"] = json!(ids);
                let changed: Vec<String> = self
                    .stops
                    .watchpoints
                    .iter()
                    .filter(|watchpoint| ids.contains(&watchpoint.id))
                    .map(|watchpoint| watchpoint.name.clone())
                    .collect();
                body["text"] = format!("{} has changed", changed.join(", ")).into();
                "data breakpoint"
            }
            Stop::Step(by) => {
                wave = if timeline.has(*by) { *by } else { first };
                "step"
            }
            Stop::Trap => {
                if let StepperState::Trapped(trap) = timeline.state() {
                    wave = timeline.wave(trap.wave as usize);
                    body["text"] = trap.to_string().into();
                    body["description"] = trap.kind.to_string().into();
                }
                "exception"
            }
            Stop::End => {
                body["description"] = "the launch has ended".into();
                "end"
            }
            Stop::Beginning => {
                body["description"] = "the beginning of the first launch".into();
                "entry"
            }
            Stop::Pause => "pause",
        };
        body["reason"] = reason.into();
        body["threadId"] = super::values::thread(wave).into();
        self.stopped = Some(wave);
        self.event("stopped", body);
    }

    /// Answers the messages that interrupted a run. Unless one of them is a pause, the run goes on.
    fn attend(&mut self, timeline: &mut Timeline) -> DeviceResult {
        while let Some(message) = self.inbox.pop_front() {
            self.answer(Some(timeline), &message);
            if self.over {
                return Err(Server::left());
            }
            if message["command"] == "pause" {
                self.resume = None;
                self.stopped(timeline, &Stop::Pause);
            }
        }
        Ok(())
    }

    /// The error by which a session that the editor has ended ends the launches.
    fn left() -> DeviceError {
        DeviceError::of(DeviceErrorKind::Invalid, "the debug session has ended")
    }
}

impl Driver for Server {
    fn drive(&mut self, timeline: &mut Timeline) -> DeviceResult {
        let kernel = timeline.stepper().map_or("", |stepper| stepper.kernel());
        let text = format!("launch {}: {kernel}\n", timeline.now().launch);
        self.event("output", json!({ "category": "console", "output": text }));
        let first = !std::mem::replace(&mut self.started, true);
        let stepping = self.stops.is_stepping();
        self.stops.begin_step(timeline, None);
        self.resume = None;
        if first && self.stop_on_entry {
            self.stopped(timeline, &Stop::Beginning);
        } else if let Some(stop) = self.stops.here(timeline) {
            self.stopped(timeline, &stop);
        } else if stepping {
            self.stopped(timeline, &Stop::Step(timeline.wave(0)));
        } else {
            self.resume = Some(Resume::Forward);
        }
        loop {
            if let Some(resume) = self.resume {
                // The editor knows of the end or the trap, and wants to go on.
                if resume == Resume::Forward && timeline.next_wave().is_none() {
                    return Ok(());
                }
                let stop = self.go_on(timeline, resume);
                if self.over {
                    return Err(Server::left());
                }
                match stop {
                    Stop::End if !self.stop_at_end => return Ok(()),
                    Stop::Trap if !self.stop_at_trap => return Ok(()),
                    Stop::Pause if !self.inbox.is_empty() => self.attend(timeline)?,
                    stop => {
                        self.resume = None;
                        self.stopped(timeline, &stop);
                    }
                }
                continue;
            }
            let Some(message) = self.next() else {
                return Err(Server::left());
            };
            self.answer(Some(timeline), &message);
            if self.over {
                return Err(Server::left());
            }
        }
    }

    fn skipped(&mut self, kernel: &str, reason: &str) {
        let text = format!("{kernel} runs without the debugger: {reason}\n");
        self.event("output", json!({ "category": "console", "output": text }));
    }
}
