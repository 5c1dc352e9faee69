//! The requests of an editor.

use gfx906::machine::StepperState;
use serde_json::{Value, json};

use super::arguments::{Arguments, Refusal};
use super::disassembly;
use super::server::{Resume, Server};
use super::subject::Subject;
use super::values;
use crate::device::debug::{StepKind, Timeline, WaveId};

/// Largest number of bytes that a request reads.
const MAX_READ: usize = 1 << 20;

/// Returns the capabilities of this command beside the protocol's core.
fn capabilities() -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsInstructionBreakpoints": true,
        "supportsDataBreakpoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsSteppingGranularity": true,
        "supportsDisassembleRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsExceptionInfoRequest": true,
        "supportsTerminateRequest": true,
        "exceptionBreakpointFilters": [
            { "filter": "trap", "label": "Traps", "default": true,
              "description": "Stop where a wave traps" },
            { "filter": "end", "label": "End of a launch", "default": false,
              "description": "Stop behind the last instruction of each launch" },
        ],
    })
}

impl Server {
    /// Answers a request with the body of its response. `timeline` is none before the first launch and after the last one.
    pub(super) fn request(
        &mut self,
        timeline: Option<&mut Timeline>,
        command: &str,
        arguments: Arguments<'_>,
    ) -> Result<Value, Refusal> {
        match command {
            "initialize" => Ok(capabilities()),
            "launch" => self.launch(arguments),
            "attach" => Err(Refusal::new(
                "`attach` is not possible: use a configuration with `\"request\": \"launch\"`",
            )),
            "configurationDone" => {
                if self.subject.is_none() && !self.configured {
                    return Err(Refusal::new("`launch` comes before `configurationDone`"));
                }
                self.configured = true;
                Ok(json!({}))
            }
            "setBreakpoints" => self.set_breakpoints(arguments),
            "setFunctionBreakpoints" => self.set_function_breakpoints(arguments),
            "setInstructionBreakpoints" => self.set_instruction_breakpoints(arguments),
            "setExceptionBreakpoints" => {
                let filters = arguments.list("filters")?;
                let has = |name: &str| filters.iter().any(|filter| filter == name);
                (self.stop_at_trap, self.stop_at_end) = (has("trap"), has("end"));
                Ok(json!({}))
            }
            "setDataBreakpoints" => self.set_data_breakpoints(arguments),
            "disconnect" | "terminate" => {
                self.over = true;
                Ok(json!({}))
            }
            "source" => {
                let source = arguments
                    .get("source")
                    .and_then(|source| source["path"].as_str());
                let path = Arguments::needed("source.path", source)?;
                Ok(json!({ "content": self.folders.read(path)?, "mimeType": "text/x-c" }))
            }
            "threads" => {
                Ok(json!({ "threads": timeline.map_or(Vec::new(), |at| values::threads(at)) }))
            }
            "pause" => Ok(json!({})),
            _ => match timeline {
                Some(timeline) => self.running_request(timeline, command, arguments),
                None if RUNNING.contains(&command) => Err(Refusal(format!(
                    "`{command}` needs a launch that runs: none has begun, or all have ended"
                ))),
                None => Err(unknown(command)),
            },
        }
    }

    fn launch(&mut self, arguments: Arguments<'_>) -> Result<Value, Refusal> {
        if self.configured || self.subject.is_some() {
            return Err(Refusal::new("a session has one `launch`"));
        }
        let (subject, code) = Subject::read(&self.args, arguments)?;
        self.stop_on_entry = arguments.flag("stopOnEntry")?;
        let folder = match arguments.get("sourceDir") {
            Some(_) => arguments.text("sourceDir")?,
            None => None,
        };
        if let Some(folder) = folder {
            self.folders.add(folder.as_ref());
        }
        if let Some(folder) = &code.folder {
            self.folders.add(folder);
        }
        self.subject = Some(subject);
        self.code = Some(code);
        Ok(json!({}))
    }

    /// Answers a request that needs a launch.
    fn running_request(
        &mut self,
        timeline: &mut Timeline,
        command: &str,
        arguments: Arguments<'_>,
    ) -> Result<Value, Refusal> {
        match command {
            "continue" => {
                self.stops.begin_step(timeline, None);
                self.resume = Some(Resume::Forward);
                Ok(json!({ "allThreadsContinued": true }))
            }
            "reverseContinue" => {
                self.resume = Some(Resume::Backward);
                Ok(json!({}))
            }
            "next" => self.step(timeline, arguments, StepKind::Over),
            "stepIn" => self.step(timeline, arguments, StepKind::In),
            "stepOut" => self.step(timeline, arguments, StepKind::Out),
            "stepBack" => {
                let wave = self.wave(timeline, arguments)?;
                let kind = granularity(arguments, StepKind::Over)?;
                self.resume = Some(Resume::StepBack(wave, kind));
                Ok(json!({}))
            }
            "stackTrace" => {
                let wave = self.wave(timeline, arguments)?;
                let start = arguments.count("startFrame")?.unwrap_or(0);
                let levels = arguments.count("levels")?.filter(|&levels| levels > 0);
                let frames = self.handles.stack(timeline, wave, &self.folders);
                let total = frames.len();
                let frames = frames.into_iter().skip(start);
                let frames: Vec<Value> = frames.take(levels.unwrap_or(total)).collect();
                Ok(json!({ "stackFrames": frames, "totalFrames": total }))
            }
            "scopes" => {
                let frame = Arguments::needed("frameId", arguments.count("frameId")?)?;
                let (wave, frame) = self.handles.frame(frame)?;
                Ok(json!({ "scopes": self.handles.scopes(timeline, wave, frame) }))
            }
            "variables" => {
                let reference = arguments.count("variablesReference")?;
                let reference = Arguments::needed("variablesReference", reference)?;
                let start = arguments.count("start")?.unwrap_or(0);
                let count = arguments.count("count")?.filter(|&count| count > 0);
                let variables = self.handles.variables(timeline, reference, start, count)?;
                Ok(json!({ "variables": variables }))
            }
            "evaluate" => {
                let text = Arguments::needed("expression", arguments.text("expression")?)?;
                let frame = self.frame_or_stopped(arguments)?;
                self.handles.evaluate(timeline, frame, text)
            }
            "dataBreakpointInfo" => {
                let frame = self.frame_or_stopped(arguments)?;
                self.handles.watchable(timeline, frame, arguments)
            }
            "exceptionInfo" => match timeline.state() {
                StepperState::Trapped(trap) => Ok(json!({
                    "exceptionId": trap.kind.to_string(),
                    "description": trap.to_string(),
                    "breakMode": "always",
                })),
                _ => Err(Refusal::new("no wave has trapped at this moment")),
            },
            "disassemble" => disassembly::disassemble(timeline, arguments, &self.folders),
            "readMemory" => read_memory(timeline, arguments),
            _ => Err(unknown(command)),
        }
    }

    fn step(
        &mut self,
        timeline: &Timeline,
        arguments: Arguments<'_>,
        kind: StepKind,
    ) -> Result<Value, Refusal> {
        let wave = self.wave(timeline, arguments)?;
        let kind = granularity(arguments, kind)?;
        self.stops.begin_step(timeline, Some((wave, kind)));
        self.resume = Some(Resume::Forward);
        Ok(json!({}))
    }

    /// Returns the wave that a request names by its thread.
    fn wave(&self, timeline: &Timeline, arguments: Arguments<'_>) -> Result<WaveId, Refusal> {
        let thread = Arguments::needed("threadId", arguments.whole("threadId")?)?;
        values::wave_of_thread(timeline, thread)
    }

    /// Returns the frame that a request names, or the innermost frame of the wave that stopped last.
    fn frame_or_stopped(
        &self,
        arguments: Arguments<'_>,
    ) -> Result<Option<(WaveId, usize)>, Refusal> {
        match arguments.count("frameId")? {
            Some(frame) => self.handles.frame(frame).map(Some),
            None => Ok(self.stopped.map(|wave| (wave, 0))),
        }
    }
}

/// The requests that need a launch.
const RUNNING: [&str; 15] = [
    "continue",
    "reverseContinue",
    "next",
    "stepIn",
    "stepOut",
    "stepBack",
    "stackTrace",
    "scopes",
    "variables",
    "evaluate",
    "dataBreakpointInfo",
    "exceptionInfo",
    "disassemble",
    "readMemory",
    "pause",
];

fn unknown(command: &str) -> Refusal {
    Refusal(format!(
        "`{}` is no request that this command answers",
        command.escape_debug()
    ))
}

fn granularity(arguments: Arguments<'_>, kind: StepKind) -> Result<StepKind, Refusal> {
    Ok(match arguments.text("granularity")? {
        Some("instruction") => StepKind::Instruction,
        _ => kind,
    })
}

/// Reads an address as the protocol writes it, with an offset.
pub(super) fn address(arguments: Arguments<'_>, name: &str) -> Result<u64, Refusal> {
    let text = Arguments::needed(name, arguments.text(name)?)?;
    let digits = text.strip_prefix("0x");
    let parsed = digits.and_then(|digits| u64::from_str_radix(digits, 16).ok());
    let address = parsed.ok_or_else(|| {
        Refusal(format!(
            "`{name}` should be an address as in 0x1000, is `{}`",
            text.escape_debug()
        ))
    })?;
    let offset = arguments.whole("offset")?.unwrap_or(0);
    address.checked_add_signed(offset).ok_or_else(|| {
        Refusal(format!(
            "`offset` {offset} leaves the 64 bits of an address"
        ))
    })
}

fn read_memory(timeline: &Timeline, arguments: Arguments<'_>) -> Result<Value, Refusal> {
    let address = address(arguments, "memoryReference")?;
    let count = Arguments::needed("count", arguments.count("count")?)?;
    let wanted = count.min(MAX_READ);
    let none = || Refusal::new("no launch runs");
    let stepper = timeline.stepper().ok_or_else(none)?;
    let readable = usize::try_from(stepper.readable(address)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; wanted.min(readable)];
    if !bytes.is_empty() && !stepper.read(address, &mut bytes) {
        bytes.clear();
    }
    let mut body = json!({ "address": format!("{address:#x}"), "data": base64(&bytes) });
    if bytes.len() < count {
        body["unreadableBytes"] = (count - bytes.len()).into();
    }
    Ok(body)
}

/// Encodes bytes as the protocol wants them.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let mut all = [0; 4];
        all[1..=chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes(all);
        for digit in 0..4 {
            let value = bits >> (18 - 6 * digit) & 63;
            let is_padding = digit > chunk.len();
            text.push(if is_padding {
                '='
            } else {
                char::from(DIGITS[value as usize])
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_as_everybody_does() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg=="),
            (b"fo", "Zm8="),
            (b"foo", "Zm9v"),
            (b"foob", "Zm9vYg=="),
            (&[0xff, 0xfe], "//4="),
        ] {
            assert_eq!(base64(bytes), text);
        }
    }
}
