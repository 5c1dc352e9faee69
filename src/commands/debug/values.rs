//! Threads, frames, scopes and values, as the protocol has them.

use gfx906::machine::{LANES, WaveStatus};
use serde_json::{Value, json};

use super::arguments::{Arguments, Refusal};
use super::sources::SourceFolders;
use crate::device::debug::{Item, Node, Place, Timeline, WaveId, evaluate, items, length};
use crate::text::demangled;

/// Number of parts that a request gets which names no number.
const MAX_PARTS: usize = 1000;
/// Largest number of values and frames with numbers at one stop.
const MAX_HANDLES: usize = 1 << 20;
/// Waves of a group, and groups of a launch, in the number of a thread.
const WAVES: i64 = 16;
const GROUPS: i64 = 1 << 36;

/// Returns the number of a wave's thread.
pub(super) fn thread(wave: WaveId) -> i64 {
    let group = wave.launch as i64 % 8192 * GROUPS + wave.place as i64 % GROUPS;
    group * WAVES + wave.wave as i64 + 1
}

/// Returns the wave of a thread. It must belong to the current group.
pub(super) fn wave_of_thread(timeline: &Timeline, number: i64) -> Result<WaveId, Refusal> {
    let waves = timeline
        .stepper()
        .map_or(0, |stepper| stepper.waves().len());
    let mut all = (0..waves).map(|wave| timeline.wave(wave));
    all.find(|wave| thread(*wave) == number).ok_or_else(|| {
        Refusal(format!(
            "no thread {number}: threads are the waves of the work-group that runs"
        ))
    })
}

/// Returns the waves of the current group.
pub(super) fn threads(timeline: &Timeline) -> Vec<Value> {
    let Some(stepper) = timeline.stepper() else {
        return Vec::new();
    };
    let ([x, y, z], block) = (stepper.group(), stepper.block());
    let items: u64 = block.into_iter().map(u64::from).product();
    let waves = 0..stepper.waves().len();
    waves
        .map(|wave| {
            let first = (wave * LANES) as u64;
            let last = (first + LANES as u64).min(items).saturating_sub(1);
            let status = match stepper.status(wave) {
                WaveStatus::Running => "",
                WaveStatus::AtBarrier => ", at a barrier",
                WaveStatus::Ended => ", ended",
            };
            let name = format!("group ({x},{y},{z}) wave {wave}, items {first}-{last}{status}");
            json!({ "id": thread(timeline.wave(wave)), "name": name })
        })
        .collect()
}

/// Numbers of values with parts, and of frames, at one stop.
#[derive(Default)]
pub(super) struct Handles {
    nodes: Vec<Node>,
    frames: Vec<(WaveId, usize)>,
}

impl Handles {
    /// Forgets the numbers of the stop before.
    pub(super) fn forget(&mut self) {
        *self = Handles::default();
    }

    fn node(&mut self, node: &Node) -> usize {
        // Editors ask again and again for the same values.
        match self.nodes.iter().rposition(|known| known == node) {
            Some(at) => at + 1,
            None if self.nodes.len() < MAX_HANDLES => {
                self.nodes.push(node.clone());
                self.nodes.len()
            }
            None => 0,
        }
    }

    /// Returns the wave and the frame of a number.
    pub(super) fn frame(&self, number: usize) -> Result<(WaveId, usize), Refusal> {
        let found = number.checked_sub(1).and_then(|at| self.frames.get(at));
        let gone = || Refusal(format!("no frame {number} at this stop"));
        found.copied().ok_or_else(gone)
    }

    /// Returns the frames of a wave: the function it is in, and those that this one is inlined into.
    pub(super) fn stack(
        &mut self,
        timeline: &Timeline,
        wave: WaveId,
        folders: &SourceFolders,
    ) -> Vec<Value> {
        let Some((code, address)) = timeline.code().zip(timeline.address(wave)) else {
            return Vec::new();
        };
        let symbol = code.object.function_at(address);
        let symbol = symbol.map_or("?".to_owned(), |(symbol, _)| demangled(&symbol.name));
        let mut frames = code
            .source()
            .map_or(Vec::new(), |source| source.frames(address));
        if frames.is_empty() {
            frames.push(gfx906::code_object::SourceFrame {
                function: None,
                position: None,
            });
        }
        let frames = frames.into_iter().enumerate();
        frames
            .map(|(depth, frame)| {
                let known = self.frames.iter().position(|at| *at == (wave, depth));
                let id = known.unwrap_or_else(|| {
                    self.frames.push((wave, depth));
                    self.frames.len() - 1
                });
                let mut told = json!({
                    "id": id + 1,
                    "name": frame.function.as_deref().map_or(symbol.clone(), demangled),
                    "line": 0,
                    "column": 0,
                    "instructionPointerReference": format!("{address:#x}"),
                });
                if let Some(position) = frame.position {
                    told["line"] = position.line.into();
                    told["column"] = position.column.into();
                    told["source"] = source(&position.file, folders);
                }
                told
            })
            .collect()
    }

    /// Returns the scopes of a frame.
    pub(super) fn scopes(&mut self, timeline: &Timeline, wave: WaveId, frame: usize) -> Vec<Value> {
        let scopes = [
            ("Locals", Node::Locals(wave, frame), Some("locals")),
            ("Arguments", Node::Arguments, Some("arguments")),
            ("Tensors", Node::Tensors, None),
            ("Special registers", Node::Special(wave), Some("registers")),
            ("SGPRs", Node::Sgprs(wave), Some("registers")),
            ("VGPRs", Node::Vgprs(wave), Some("registers")),
            ("LDS", Node::Lds, None),
        ];
        let scopes = scopes.into_iter();
        scopes
            .map(|(name, node, hint)| {
                let mut scope = json!({
                    "name": name,
                    "variablesReference": self.node(&node),
                    "expensive": false,
                });
                let parts = length(timeline, &node);
                let indexed = matches!(node, Node::Lds);
                scope[if indexed {
                    "indexedVariables"
                } else {
                    "namedVariables"
                }] = parts.into();
                if let Some(hint) = hint {
                    scope["presentationHint"] = hint.into();
                }
                scope
            })
            .collect()
    }

    fn find(&self, reference: usize) -> Result<&Node, Refusal> {
        let found = reference.checked_sub(1).and_then(|at| self.nodes.get(at));
        found.ok_or_else(|| Refusal(format!("no value {reference} at this stop")))
    }

    /// Returns the parts of a value.
    pub(super) fn variables(
        &mut self,
        timeline: &Timeline,
        reference: usize,
        start: usize,
        count: Option<usize>,
    ) -> Result<Vec<Value>, Refusal> {
        let node = self.find(reference)?.clone();
        let found = items(
            timeline,
            &node,
            start,
            count.unwrap_or(MAX_PARTS).min(MAX_HANDLES),
        );
        let shown = start.saturating_add(found.len());
        let mut variables: Vec<Value> = found
            .iter()
            .map(|item| {
                let mut told = self.value(item, "value");
                told["name"] = item.name.clone().into();
                if !item.expression.is_empty() {
                    told["evaluateName"] = item.expression.clone().into();
                }
                told
            })
            .collect();
        let all = length(timeline, &node);
        if count.is_none() && shown < all {
            let text = format!("{} more", all - shown);
            variables.push(json!({ "name": "…", "value": text, "variablesReference": 0 }));
        }
        Ok(variables)
    }

    /// Returns a value, whose text stands under `key`.
    fn value(&mut self, item: &Item, key: &str) -> Value {
        let mut told = json!({ key: item.text, "type": item.type_name });
        told["variablesReference"] = item.node.as_ref().map_or(0, |node| self.node(node)).into();
        if item.node.is_some() {
            told["indexedVariables"] = item.parts.into();
        }
        if let Some((Place::Memory(address), _)) = item.place {
            told["memoryReference"] = format!("{address:#x}").into();
        }
        told
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(
        &mut self,
        timeline: &Timeline,
        frame: Option<(WaveId, usize)>,
        text: &str,
    ) -> Result<Value, Refusal> {
        let item = evaluate(timeline, frame, text).map_err(Refusal::new)?;
        Ok(self.value(&item, "result"))
    }

    /// Says whether a value can be watched.
    pub(super) fn watchable(
        &self,
        timeline: &Timeline,
        frame: Option<(WaveId, usize)>,
        arguments: Arguments<'_>,
    ) -> Result<Value, Refusal> {
        let name = Arguments::needed("name", arguments.text("name")?)?;
        let none = |why: &str| Ok(json!({ "dataId": null, "description": why }));
        let reference = arguments.count("variablesReference")?.filter(|&at| at > 0);
        let item = match reference {
            Some(reference) => {
                let node = self.find(reference)?;
                part(timeline, node, name)
            }
            None => match evaluate(timeline, frame, name) {
                Ok(item) => Some(item),
                Err(error) => return none(&error.to_string()),
            },
        };
        let Some(item) = item else {
            return none("there is no such value");
        };
        let Some((place, bytes)) = item.place else {
            return none("only elements of tensors, dwords of LDS and registers can be watched");
        };
        Ok(json!({
            "dataId": watch_text(place, bytes, &item.expression),
            "description": format!("{} changes", item.expression),
            "accessTypes": ["write"],
            "canPersist": false,
        }))
    }
}

/// Returns the part of a value with a name.
fn part(timeline: &Timeline, node: &Node, name: &str) -> Option<Item> {
    let index = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let index: Option<usize> = index.and_then(|index| index.parse().ok());
    let by_index = index.and_then(|index| {
        let index = match node {
            Node::Lds => index / 4,
            _ => index,
        };
        items(timeline, node, index, 1).into_iter().next()
    });
    by_index.or_else(|| {
        let mut all = items(timeline, node, 0, MAX_PARTS).into_iter();
        all.find(|item| item.name == name)
    })
}

/// Returns the source of a frame. A file that this machine lacks keeps the path of the debug information.
pub(super) fn source(file: &str, folders: &SourceFolders) -> Value {
    let name = std::path::Path::new(file).file_name();
    let name = name.map_or(file.into(), |name| name.to_string_lossy());
    match folders.find(file) {
        Some(path) => json!({ "name": name, "path": path.to_string_lossy() }),
        None => json!({
            "name": name, "path": file, "presentationHint": "deemphasize",
            "origin": "not found: name its folder with --source-dir",
        }),
    }
}

/// Writes a place to watch as text, which the editor keeps.
fn watch_text(place: Place, bytes: usize, name: &str) -> String {
    let of = |wave: WaveId| format!("{} {} {}", wave.launch, wave.place, wave.wave);
    let place = match place {
        Place::Memory(address) => format!("memory {address}"),
        Place::Lds(at) => format!("lds {at}"),
        Place::Sgpr { wave, register } => format!("sgpr {} {register}", of(wave)),
        Place::Vgpr {
            wave,
            register,
            lane,
        } => format!("vgpr {} {register} {lane}", of(wave)),
    };
    format!("{place} {bytes} {name}")
}

/// Reads the text of [`watch_text`].
pub(super) fn parse_watch(text: &str) -> Result<(Place, usize, String), Refusal> {
    let read = || {
        let (kind, rest) = text.split_once(' ')?;
        let count = match kind {
            "memory" | "lds" => 1,
            "sgpr" => 4,
            "vgpr" => 5,
            _ => return None,
        };
        let mut words = rest.splitn(count + 2, ' ');
        let mut numbers = Vec::new();
        for _ in 0..=count {
            numbers.push(words.next()?.parse::<u64>().ok()?);
        }
        let name = words.next()?.to_owned();
        let bytes = usize::try_from(numbers.pop()?).ok()?;
        let wave = || {
            Some(WaveId {
                launch: usize::try_from(numbers[0]).ok()?,
                place: numbers[1],
                wave: usize::try_from(numbers[2]).ok()?,
            })
        };
        let place = match kind {
            "memory" => Place::Memory(numbers[0]),
            "lds" => Place::Lds(u32::try_from(numbers[0]).ok()?),
            "sgpr" => Place::Sgpr {
                wave: wave()?,
                register: u16::try_from(numbers[3]).ok()?,
            },
            _ => Place::Vgpr {
                wave: wave()?,
                register: u16::try_from(numbers[3]).ok()?,
                lane: usize::try_from(numbers[4]).ok()?,
            },
        };
        (1..=4096).contains(&bytes).then_some((place, bytes, name))
    };
    read().ok_or_else(|| {
        let text = text.escape_debug();
        Refusal(format!("`{text}` is no `dataId` of `dataBreakpointInfo`"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_watch_are_read_as_they_are_written() {
        let wave = WaveId {
            launch: 1,
            place: 70,
            wave: 3,
        };
        let register = 9;
        for place in [
            Place::Memory(1 << 40),
            Place::Lds(64),
            Place::Sgpr { wave, register },
            Place::Vgpr {
                wave,
                register,
                lane: 63,
            },
        ] {
            let text = watch_text(place, 4, "o[0,5 ]");
            assert_eq!(parse_watch(&text), Ok((place, 4, "o[0,5 ]".to_owned())));
        }
        for text in [
            "",
            "memory",
            "memory x 4 a",
            "memory 1 0 a",
            "memory 1 4",
            "tape 1 4 a",
            "vgpr 1 2 3 4 a",
        ] {
            assert!(parse_watch(text).is_err(), "{text}");
        }
    }
}
