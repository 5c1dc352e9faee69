//! Breakpoints and watchpoints, as the editor sets them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::arguments::{Arguments, Refusal};
use super::requests::address;
use super::server::Server;
use super::sources::same_file;
use super::subject::SubjectCode;
use super::values::parse_watch;
use crate::device::debug::{Breakpoint, Condition, Watchpoint};
use crate::text::{demangled, nearest};

/// Largest number of breakpoints of a request.
const MAX_BREAKPOINTS: usize = 4096;

/// The breakpoints of each request that replaces earlier ones.
#[derive(Default)]
pub(super) struct BreakpointSets {
    lines: BTreeMap<String, Vec<Breakpoint>>,
    functions: Vec<Breakpoint>,
    instructions: Vec<Breakpoint>,
    last: u64,
}

impl BreakpointSets {
    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Returns true if all these breakpoints are those of functions.
    pub(super) fn are_functions(&self, ids: &[u64]) -> bool {
        let has = |id: &u64| self.functions.iter().any(|at| at.id == *id);
        ids.iter().all(has)
    }

    fn all(&self) -> Vec<Breakpoint> {
        let lines = self.lines.values().flatten();
        let others = self.functions.iter().chain(&self.instructions);
        lines.chain(others).cloned().collect()
    }
}

/// A breakpoint's addresses, and the position that the editor is told of; or the reason why it stops nothing.
type ResolvedPlace = Result<(Vec<u64>, Value), Refusal>;

impl Server {
    /// Makes a breakpoint and its description. A breakpoint that cannot stop anything is told to be unverified.
    fn breakpoint(
        &mut self,
        place: ResolvedPlace,
        options: Arguments<'_>,
    ) -> (Option<Breakpoint>, Value) {
        let made = place.and_then(|(addresses, told)| {
            let condition = options
                .text("condition")?
                .filter(|text| !text.trim().is_empty());
            let condition = condition.map(Condition::parse).transpose();
            let skip = match options.text("hitCondition")?.map(str::trim) {
                None | Some("") => 1,
                Some(text) => text
                    .trim_start_matches(['>', '=', ' '])
                    .parse()
                    .map_err(|_| {
                        let text = text.escape_debug();
                        Refusal(format!(
                            "the hit condition `{text}` should be a number, as in 5"
                        ))
                    })?,
            };
            let breakpoint = Breakpoint {
                id: self.sets.number(),
                addresses,
                condition: condition.map_err(Refusal::new)?,
                skip,
                hits: 0,
            };
            Ok((breakpoint, told))
        });
        match made {
            Ok((breakpoint, mut told)) => {
                told["verified"] = true.into();
                told["id"] = breakpoint.id.into();
                (Some(breakpoint), told)
            }
            Err(Refusal(text)) => {
                let told = json!({
                    "verified": false, "id": self.sets.number(), "message": text, "reason": "failed"
                });
                (None, told)
            }
        }
    }

    /// Makes the breakpoints of a request, and the body of its response.
    fn breakpoints(
        &mut self,
        list: &[Value],
        resolve: impl Fn(&SubjectCode, Arguments<'_>) -> ResolvedPlace,
    ) -> Result<(Vec<Breakpoint>, Value), Refusal> {
        if list.len() > MAX_BREAKPOINTS {
            return Err(Refusal(format!("more than {MAX_BREAKPOINTS} breakpoints")));
        }
        let mut breakpoints = Vec::new();
        let mut told = Vec::new();
        for wanted in list {
            let options = Arguments(wanted);
            let place = match &self.code {
                Some(code) => resolve(code, options),
                None => Err(Refusal::new("`launch` comes before breakpoints")),
            };
            let (breakpoint, described) = self.breakpoint(place, options);
            breakpoints.extend(breakpoint);
            told.push(described);
        }
        Ok((breakpoints, json!({ "breakpoints": told })))
    }

    /// Sets the breakpoints of a source file.
    pub(super) fn set_breakpoints(&mut self, arguments: Arguments<'_>) -> Result<Value, Refusal> {
        let source = arguments.get("source");
        let path = source.and_then(|source| source["path"].as_str());
        let path = Arguments::needed("source.path", path)?.to_owned();
        let list = arguments.list("breakpoints")?;
        let (breakpoints, body) = self.breakpoints(list, |code, options| {
            let line = Arguments::needed("line", options.whole("line")?)?;
            let line =
                u32::try_from(line).map_err(|_| Refusal(format!("line {line} is no line")))?;
            line_place(code, &path, line)
        })?;
        self.sets.lines.insert(path, breakpoints);
        self.stops.breakpoints = self.sets.all();
        Ok(body)
    }

    /// Sets the breakpoints at functions.
    pub(super) fn set_function_breakpoints(
        &mut self,
        arguments: Arguments<'_>,
    ) -> Result<Value, Refusal> {
        let list = arguments.list("breakpoints")?;
        let (breakpoints, body) = self.breakpoints(list, |code, options| {
            function_place(code, Arguments::needed("name", options.text("name")?)?)
        })?;
        self.sets.functions = breakpoints;
        self.stops.breakpoints = self.sets.all();
        Ok(body)
    }

    /// Sets the breakpoints at instructions.
    pub(super) fn set_instruction_breakpoints(
        &mut self,
        arguments: Arguments<'_>,
    ) -> Result<Value, Refusal> {
        let list = arguments.list("breakpoints")?;
        let (breakpoints, body) = self.breakpoints(list, |_, options| {
            let address = address(options, "instructionReference")?;
            let told = json!({ "instructionReference": format!("{address:#x}") });
            Ok((vec![address], told))
        })?;
        self.sets.instructions = breakpoints;
        self.stops.breakpoints = self.sets.all();
        Ok(body)
    }

    /// Sets the watchpoints.
    pub(super) fn set_data_breakpoints(
        &mut self,
        arguments: Arguments<'_>,
    ) -> Result<Value, Refusal> {
        let list = arguments.list("breakpoints")?;
        if list.len() > MAX_BREAKPOINTS {
            return Err(Refusal(format!("more than {MAX_BREAKPOINTS} watchpoints")));
        }
        let mut watchpoints = Vec::new();
        let mut told = Vec::new();
        for wanted in list {
            let options = Arguments(wanted);
            let id = self.sets.number();
            let made = || {
                let watch = Arguments::needed("dataId", options.text("dataId")?)?;
                if let Some(access @ ("read" | "readWrite")) = options.text("accessType")? {
                    return Err(Refusal(format!(
                        "`{access}` is not possible: a watchpoint stops where a value changes"
                    )));
                }
                let (place, bytes, name) = parse_watch(watch)?;
                Ok(Watchpoint::new(id, &name, place, bytes))
            };
            match made() {
                Ok(watchpoint) => {
                    watchpoints.push(watchpoint);
                    told.push(json!({ "verified": true, "id": id }));
                }
                Err(Refusal(text)) => {
                    told.push(json!({ "verified": false, "id": id, "message": text }));
                }
            }
        }
        self.stops.watchpoints = watchpoints;
        Ok(json!({ "breakpoints": told }))
    }
}

/// Returns the addresses of a line, or of the first line with code behind it.
fn line_place(code: &SubjectCode, path: &str, line: u32) -> ResolvedPlace {
    let source = code.source.as_ref().ok_or_else(|| {
        Refusal::new("the code object has no debug information: build it with -g")
    })?;
    let file = same_file(source.files(), path).ok_or_else(|| {
        Refusal(format!(
            "no code of the code object comes from this file; its files are {}",
            source.files().join(", ")
        ))
    })?;
    let found = source.line_from(file, line);
    let found = found.ok_or_else(|| Refusal(format!("no code at line {line} or behind it")))?;
    Ok((source.addresses(file, found), json!({ "line": found })))
}

/// Returns the address behind the prologue of a function, by its name in the code object or in the source.
fn function_place(code: &SubjectCode, name: &str) -> ResolvedPlace {
    let object = &code.object;
    let kernel = object
        .kernel(name)
        .map(|kernel| (kernel.entry_address, kernel.code_size));
    let symbols = object.symbols.iter();
    let functions: Vec<_> = symbols
        .filter(|symbol| symbol.kind == gfx906::code_object::SymbolKind::Function)
        .map(|symbol| (demangled(&symbol.name), symbol))
        .collect();
    let plain = |full: &str| full.split('(').next().unwrap_or(full) == name;
    let named = functions
        .iter()
        .find(|(full, symbol)| symbol.name == name || full == name || plain(full));
    let function = named.map(|(_, symbol)| (symbol.address, symbol.size));
    let (entry, size) = kernel.or(function).ok_or_else(|| {
        let names = functions.iter().map(|(full, _)| full.as_str());
        let near = nearest(name, names, 1);
        let hint = near.first().map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
        let name = name.escape_debug();
        Refusal(format!(
            "the code object has no function `{name}`{hint}; functions that are inlined everywhere have breakpoints at their lines only"
        ))
    })?;
    let source = code.source.as_ref();
    let address = source.map_or(entry, |source| source.behind_prologue(entry, size));
    let line = source.and_then(|source| source.line_at(address));
    let mut told = json!({ "instructionReference": format!("{address:#x}") });
    if let Some((_, line)) = line {
        told["line"] = line.into();
    }
    Ok((vec![address], told))
}
