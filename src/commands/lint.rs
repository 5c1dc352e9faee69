//! `lint`: missing waits and wait states, on every path through the code.

use std::fmt::Write as _;

use gfx906::code_object::CodeObject;
use gfx906::isa::{self, Inst};
use gfx906::observe::sanitize::lint::{self, Mistake};
use gfx906::observe::sanitize::{Checks, Site};
use serde_json::{Value, json};

use super::functions::{Function, functions};
use super::load_with_lines;
use crate::args::{Format, LintArgs};
use crate::exit::{Exit, Stop};
use crate::text::{escaped, print, shortened, shown};

/// Lanes of a wave.
const WAVE: u32 = 64;

/// Runs the command.
///
/// # Errors
/// The file cannot be read, is not a gfx906 code object, or has no such kernel.
pub fn run(args: &LintArgs) -> Result<Exit, Stop> {
    let checks: Checks = args.check.iter().map(|check| check.check()).collect();
    let (object, lines) = load_with_lines(&args.file)?;
    let functions = functions(&object, args.kernel.as_deref(), &args.file)?;
    let found = functions.iter().flat_map(|f| mistakes(&object, f, checks));
    let mut found: Vec<Mistake> = found.collect();
    if let Some(lines) = &lines {
        found.iter_mut().for_each(|mistake| mistake.look_up(lines));
    }
    let name = shown(&args.file);
    let count = functions.len();
    match args.format {
        Format::Table => print(&as_table(&name, checks, count, &found))?,
        Format::Json => print(&format!("{:#}\n", as_json(&name, checks, count, &found)))?,
    }
    Ok(match found.is_empty() {
        true => Exit::Passed,
        false => Exit::Failed,
    })
}

fn mistakes(object: &CodeObject, function: &Function, checks: Checks) -> Vec<Mistake> {
    let bytes = object.image.bytes(function.address, function.size);
    let code = instructions(function.address, bytes.unwrap_or_default());
    let mut kernels = object.kernels.iter();
    let kernel = kernels.find(|kernel| kernel.entry_address == function.address);
    let function = lint::Function {
        name: &function.name,
        code: &code,
        entry: function.address,
        alone: kernel.is_some_and(|kernel| kernel.max_flat_work_group_size <= WAVE),
    };
    lint::lint(&function, checks)
}

/// Decodes the instructions of code, and leaves out words that are no instruction.
fn instructions(address: u64, bytes: &[u8]) -> Vec<(u64, Inst)> {
    let mut code = Vec::new();
    let mut offset = 0;
    while offset < bytes.len() {
        let Ok(inst) = isa::decode(&bytes[offset..]) else {
            offset += 4;
            continue;
        };
        code.push((address + offset as u64, inst));
        offset += inst.size();
    }
    code
}

fn as_table(name: &str, checks: Checks, functions: usize, found: &[Mistake]) -> String {
    let mut out = String::new();
    for mistake in found {
        let mistake = Mistake {
            function: shortened(&mistake.function),
            ..mistake.clone()
        };
        // Names of functions and files are foreign text.
        for line in mistake.to_string().lines() {
            let _ = writeln!(out, "{}", escaped(line));
        }
        out.push('\n');
    }
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let _ = writeln!(
        out,
        "{name}: {} in {functions} function{} ({checks})",
        match found.len() {
            0 => "nothing".to_owned(),
            count => format!("{count} finding{}", plural(count)),
        },
        plural(functions),
    );
    out
}

fn as_json(name: &str, checks: Checks, functions: usize, found: &[Mistake]) -> Value {
    let site = |site: &Site| {
        let mut value = json!({"pc": site.pc, "text": site.text});
        if let Some(source) = &site.source {
            value["source"] = json!(source);
        }
        value
    };
    let findings = found.iter().map(|mistake| {
        json!({
            "check": mistake.check.name(),
            "kind": mistake.kind,
            "function": mistake.function,
            "at": site(&mistake.at),
            "what": mistake.what,
            "other": mistake.other.as_ref().map(|other| {
                json!({"did": other.did, "at": other.site.as_ref().map(site)})
            }),
            "cure": mistake.cure,
        })
    });
    json!({
        "schema": "deltanet-check/lint/1",
        "file": name,
        "checks": checks.iter().map(|check| check.name()).collect::<Vec<_>>(),
        "functions": functions,
        "findings": findings.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use gfx906::observe::sanitize::{Check, Other};

    use super::*;

    #[test]
    fn findings_have_source_lines_on_both_sides() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lines.co");
        let (object, lines) = load_with_lines(Path::new(path)).expect("it is there");
        let lines = lines.expect("line tables");
        let entry = object.kernel("hidden").expect("a kernel").entry_address;
        let site = || Site::new(entry, "an instruction".into());
        let mut mistake = Mistake {
            check: Check::Wait,
            kind: "a rule",
            function: "hidden".into(),
            at: site(),
            what: "something is wrong".into(),
            other: Some(Other {
                did: "wrote v3".into(),
                site: Some(site()),
                group: None,
                wave: None,
            }),
            cure: "a cure".into(),
        };
        mistake.look_up(&lines);
        let checks = Checks::from_iter([Check::Wait]);
        let text = as_table("lines.co", checks, 1, std::slice::from_ref(&mistake));
        assert_eq!(text.matches("lines.hip:13)").count(), 2, "{text}");
        let value = as_json("lines.co", checks, 1, &[mistake]);
        let source = value["findings"][0]["other"]["at"]["source"].as_str();
        assert!(
            source.is_some_and(|line| line.ends_with("lines.hip:13")),
            "{value:#}"
        );
    }
}
