//! Short assembled programs as data: `tests/programs/*.toml` has the state of a wave before and after each program.
//!
//! A wave starts with all lanes enabled, v0 = the lane's number, s[0:1] = the address of 4096 bytes of memory, s[4:7] = a buffer resource
//! over them (f32 elements), 1024 bytes of LDS, and the mode for which kernels are compiled. The entries of `in` are set, and the entries
//! of `out` are compared. An integer or an f32 stands for all lanes, a list for the first lanes (in `in` it repeats), and a formula like
//! `"lane*4+1"` is evaluated per lane; a pair of registers, as in `v[2:3]`, holds 64 bits.

mod golden;
mod state;

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Value;

use self::state::Machine;
use super::env::Env;
use super::group::{self, Budget, Meter};
use super::level::Level;
use super::memory::AddressSpace;
use super::program::SegmentCode;
use crate::machine::Nobody;

const CODE: u64 = 0x1_0000;
const S_ENDPGM: u32 = 0xbf81_0000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    program: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// The rule of the ISA that the program tests.
    #[expect(dead_code, reason = "for who reads the file")]
    why: Option<String>,
    /// Assembly text from which `scripts/assemble-tests.sh` makes the words.
    #[expect(dead_code, reason = "the words are what runs")]
    code: String,
    words: String,
    /// Number of VGPRs of the kernel (default 256).
    vgprs: Option<u16>,
    #[serde(rename = "in", default)]
    before: BTreeMap<String, Value>,
    #[serde(rename = "out", default)]
    after: BTreeMap<String, Value>,
    /// Part of the trap's text, if the program traps.
    trap: Option<String>,
}

fn run(file: &str, case: &Case, level: Level) {
    let title = format!("{file}: {} ({level:?})", case.name);
    let words = case
        .words
        .split_whitespace()
        .map(|w| u32::from_str_radix(w, 16).expect("hex"));
    let code = words.chain([S_ENDPGM]).flat_map(u32::to_le_bytes).collect();
    let programs = [SegmentCode::new(CODE, code, level)];
    let Machine { wave, memory, lds } = Machine::new(case);
    let mut space = AddressSpace::default();
    space.insert(memory.clone());
    let mut env = Env {
        lds,
        ..Env::new(&space)
    };
    let budget = Budget::steps(10_000);
    let mut waves = [wave];
    let result = group::run(
        &mut waves,
        &mut env,
        &programs,
        0,
        &mut Meter::new(&budget),
        &mut Nobody,
    );
    let trap = result.err().map(|failure| failure.fault.kind.to_string());
    match (&trap, &case.trap) {
        (Some(text), Some(part)) => assert!(text.contains(part), "{title}: {text}"),
        (None, None) => {}
        _ => panic!("{title}: ends with {trap:?}, not {:?}", case.trap),
    }
    let [wave] = waves;
    let machine = Machine {
        wave,
        memory,
        lds: env.lds,
    };
    for (name, value) in &case.after {
        machine.check(&title, name, value);
    }
}

#[test]
fn programs_do_what_their_files_say() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs");
    let (mut count, mut failed) = (0, Vec::new());
    for entry in std::fs::read_dir(directory).expect("the programs' directory") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a file of programs");
        let name = path.file_name().expect("a name").to_string_lossy();
        let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for case in &file.program {
            for level in [Level::Baseline, Level::V3, Level::V4] {
                let run = || run(&name, case, level);
                // Each failing program prints its own message, and the others still run.
                if level <= Level::host() && std::panic::catch_unwind(run).is_err() {
                    failed.push(format!("{name}: {}", case.name));
                }
            }
            count += 1;
        }
    }
    assert!(count > 0, "no program in {directory}");
    assert!(
        failed.is_empty(),
        "{} of {count} programs fail: {failed:#?}",
        failed.len()
    );
}
