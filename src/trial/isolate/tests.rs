//! Processes that end as they should not, and trials that come through one unchanged.

use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use super::*;
use crate::binding::{Binding, ContractTensors, describe, parse};
use crate::contract::ExternalTensors;
use crate::device::emulator::Emulator;
use crate::device::{Device, DeviceId};
use crate::program::Program;
use crate::registry::Registry;
use crate::tensor::Data;
use crate::trial::{Bound, Dump, Launching, PlantedKernel};

/// A test.
const REGISTRY: &str = r#"
schema = 1
partial = true
[[phase]]
number = 1
title = "One"
[[phase.test]]
id = "mul"
contract = "mul"
shape = { n = 300 }
outputs.out = { tolerance = 1e-6, ceiling = 1e-6, reason = "-" }
planted = "all"
"#;

/// A binding of its contract, and planted bugs that replace its kernel, exchange its grid, and change its one launch.
const BINDING: &str = r#"
schema = 1
[[binding]]
contract = "mul"
symbol = "kernel_mul"
grid = ["ceil(n / 256)"]
block = [256]
args = ["a", "b", "out", "i32 n"]
planted = [
    { name = "other", replace = { kernel_mul = "kernel_add" } },
    { name = "swap", swap_grid = "kernel_mul" },
    { name = "half", args = ["a", "b", "out", "i32 n / 2"] },
]
"#;

struct Bench {
    registry: Registry,
    program: Program,
    binding: Binding,
    described: ContractTensors,
}

impl Bench {
    fn new() -> Bench {
        let registry = Registry::parse("x", REGISTRY, None).expect("a good registry");
        let mut bindings = parse("x.bind.toml", BINDING).expect("a good binding");
        let test = registry.tests().next().expect("a test");
        let described = describe(test.function, &[&test.cases[0].values], &[]);
        Bench {
            described: described.expect("tensors"),
            registry,
            program: Program::built_in().expect("built in"),
            binding: bindings.remove(0),
        }
    }

    /// Makes a plan with a planted bug of the binding.
    fn planted(&self, bug: usize) -> Plan<'_> {
        let planted = PlantedKernel {
            bug: &self.binding.planted[bug],
            program: &self.program,
        };
        Plan {
            bound: Bound {
                binding: &self.binding,
                described: Some(&self.described),
                planted: Some(planted),
            },
            ..self.plan()
        }
    }

    fn plan(&self) -> Plan<'_> {
        let test = self.registry.tests().next().expect("a test");
        let bound = Bound::built_in(test.function).expect("a binding");
        let place = (1, test, &test.cases[0]);
        Plan {
            flags: " --kernels 'my file'",
            ..Plan::new(
                &Emulator::ACROSS_LINES,
                (&self.program, bound),
                place,
                u64::MAX,
            )
        }
    }

    /// Runs the plan in a shell that does this.
    fn shell(&self, script: &str) -> FinishedTrial {
        isolated(&self.plan(), script)
    }
}

fn isolated(plan: &Plan<'_>, script: &str) -> FinishedTrial {
    let isolation = Isolation {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        place: DeviceId::Emulator,
        limit: Duration::from_secs(if script.contains("sleep") { 1 } else { 60 }),
    };
    beside(plan, &isolation).0
}

/// Runs the trial, and returns it with the output of its process. The output would otherwise be in this test's log.
fn beside(plan: &Plan<'_>, isolation: &Isolation) -> (FinishedTrial, Vec<u8>) {
    let mut printed = Vec::new();
    let finished = run_beside(plan, isolation, &mut printed);
    (finished, printed)
}

fn error(finished: &FinishedTrial) -> &str {
    assert_eq!(finished.report.verdict, Verdict::Error);
    finished.report.error.as_deref().expect("an error")
}

#[test]
fn a_signal_is_named_with_what_the_process_said_last() {
    let bench = Bench::new();
    for (signal, name) in [
        ("KILL", "SIGKILL"),
        ("SEGV", "SIGSEGV"),
        ("ABRT", "SIGABRT"),
    ] {
        let script = format!("echo 'Memory access fault by GPU node-1' >&2; kill -{signal} $$");
        let finished = bench.shell(&script);
        assert_eq!(
            error(&finished),
            format!(
                "the process of the test was ended by {name} before it had reported\n\
                 Memory access fault by GPU node-1"
            )
        );
        assert_eq!(finished.failure, Some(DeviceErrorKind::Fault));
        assert_eq!(finished.report.id, "mul");
    }
    assert_eq!(signal_name(64), "signal 64");
}

#[test]
fn a_process_that_never_ends_is_a_hang() {
    let bench = Bench::new();
    // A grandchild outlives the process and holds its streams open.
    let finished = bench.shell("echo busy >&2; sleep 30 & sleep 30");
    assert_eq!(
        error(&finished),
        "the test did not end within 1 s and was stopped: `--timeout` sets the limit\nbusy"
    );
    assert_eq!(finished.failure, Some(DeviceErrorKind::Hang));
    assert!(finished.report.seconds < 20.0);
}

#[test]
fn other_ends_without_a_report_are_errors() {
    let bench = Bench::new();
    let told = |script: &str| error(&bench.shell(script)).to_string();
    assert_eq!(
        told("echo 'error: no card' >&2; exit 3"),
        "the process of the test ended with exit code 3 before it had reported\nerror: no card"
    );
    let silent = "the process of the test ended without a report";
    assert_eq!(told("exit 0"), silent);
    assert_eq!(told("echo garbage; printf '\\377\\000'"), silent);
    assert_eq!(
        told("echo 'deltanet-check/trial/1 {\"Finished\":{}}'; echo 'deltanet-check/trial/1 '"),
        silent
    );
    let isolation = Isolation {
        program: "/nowhere/at all".into(),
        args: Vec::new(),
        place: DeviceId::Emulator,
        limit: Duration::from_secs(1),
    };
    let lost = beside(&bench.plan(), &isolation).0;
    assert!(
        error(&lost).starts_with("cannot start a process for the test: "),
        "{}",
        error(&lost)
    );
}

#[test]
fn of_a_flood_of_errors_the_last_lines_are_kept() {
    let bench = Bench::new();
    let finished = bench.shell("seq 1 200000 >&2; exit 1");
    let lines: Vec<&str> = error(&finished).lines().collect();
    assert_eq!(lines.len(), 1 + MAX_LINES);
    assert_eq!(lines.last(), Some(&"200000"));
}

/// Returns the answer of this plan's process, as a shell command.
fn answer(plan: &Plan<'_>) -> String {
    let request = request::write(plan, DeviceId::Emulator).expect("written");
    let work = work::read(Cursor::new(request)).expect("read");
    let finished = work.plan(&Emulator::ACROSS_LINES).run();
    let line = serde_json::json!({ "Finished": finished }).to_string();
    format!("cat > /dev/null <<'END'\nEND\ncat <<'END'\nnoise deltanet-check/trial/1 {line}\nEND\n")
}

#[test]
fn a_report_comes_back_as_it_was() {
    let bench = Bench::new();
    let mut plan = bench.plan();
    plan.repeat = 2;
    let here = plan.run();
    let there = isolated(&plan, &answer(&plan));
    assert_eq!(
        here.report.verdict,
        Verdict::Pass,
        "{:?}",
        here.report.error
    );
    let bare = |finished: &FinishedTrial| {
        let mut report = finished.report.clone();
        report.seconds = 0.0;
        report.launches[0].seconds = 0.0;
        report
    };
    assert_eq!(bare(&there), bare(&here));
    assert_eq!((there.failure, there.plant_used), (None, false));
    // The answer is the same, but the process then ends badly.
    let crashed = isolated(&plan, &format!("{}kill -SEGV $$", answer(&plan)));
    assert_eq!(
        error(&crashed),
        "the process of the test was ended by SIGSEGV after it had reported"
    );
    assert_eq!(crashed.report.outputs, here.report.outputs);
    // The answer to another question.
    plan.seed = 1;
    let alien = isolated(&plan, &answer(&bench.plan()));
    assert_eq!(
        error(&alien),
        "the process of the test ended without a report"
    );
}

#[test]
fn what_kernels_print_is_told_apart() {
    let output = b"one\ntwo deltanet-check/trial/1 {\"Launch\":{\"kernel\":\"k\",\"grid\":[1,2,3],\"block\":[4,5,6]}}\n\
                   three deltanet-check/trial/1 {}\nfour";
    let told = reply::read(output);
    assert_eq!(
        told.other,
        b"one\ntwo three deltanet-check/trial/1 {}\nfour"
    );
    assert_eq!(told.launches.len(), 1);
    assert_eq!(
        (told.launches[0].grid, told.launches[0].block),
        ([1, 2, 3], [4, 5, 6])
    );
    assert!(told.finished.is_none());
}

#[test]
fn launches_before_a_crash_are_reported_and_use_the_planted_bug() {
    let bench = Bench::new();
    let crash = |plant: usize, kernel: &str| {
        let plan = bench.planted(plant);
        let script = format!(
            "echo 'deltanet-check/trial/1 {{\"Launch\":{{\"kernel\":\"{kernel}\",\"grid\":[2,1,1],\"block\":[256,1,1]}}}}'; kill -9 $$"
        );
        let finished = isolated(&plan, &script);
        assert_eq!(finished.report.launches[0].kernel, kernel);
        assert_eq!(finished.report.launches[0].grid, [2, 1, 1]);
        finished.plant_used
    };
    assert!(crash(0, "kernel_add") && crash(1, "kernel_mul"));
    assert!(crash(2, "kernel_mul"), "what one launch is changed to");
    assert!(!crash(0, "kernel_mul") && !crash(1, "kernel_add"));
}

#[test]
fn a_request_holds_everything_of_a_plan() {
    let bench = Bench::new();
    let odd = f32::from_bits(0x7fc0_1234);
    let given = ExternalTensors {
        inputs: [
            ("a".into(), vec![odd; 300].into()),
            ("b".into(), vec![-0.0_f32; 300].into()),
            ("c".into(), Data::f64(vec![1e300; 3])),
        ]
        .into(),
        expected: [("out".into(), vec![f32::INFINITY; 300])].into(),
        scale: Some(0.1),
        bounds: Some(vec![0, 3, 3, 5]),
    };
    let mut plan = bench.planted(1);
    plan.given = Some(&given);
    plan.dump = Some(Dump::Safetensors(Path::new("a place")));
    let request = request::write(&plan, DeviceId::Hip(3)).expect("written");
    let work = work::read(Cursor::new(&request)).expect("read");
    assert_eq!(work.place(), DeviceId::Hip(3));
    let again = work.plan(&Emulator::ACROSS_LINES);
    assert_eq!(again.case.values, plan.case.values);
    assert_eq!(
        (
            again.threads,
            again.limits,
            again.seed,
            again.repeat,
            again.flags
        ),
        (
            plan.threads,
            plan.limits,
            plan.seed,
            plan.repeat,
            plan.flags
        )
    );
    assert_eq!(again.program.report, plan.program.report);
    let planted = again.bound.planted.expect("it is planted");
    assert_eq!(planted.program.bytes, bench.program.bytes);
    assert_eq!(planted.bug.name, "swap");
    assert!(again.bound.described.is_some(), "it is no built-in binding");
    let tensors = again.given.expect("given");
    let bits = |name: &str, at: usize| {
        let floats = tensors.inputs[name].floats().expect("of f32");
        floats[at].to_bits()
    };
    assert_eq!(bits("a", 299), odd.to_bits());
    assert_eq!(bits("b", 0), 0x8000_0000);
    assert_eq!(tensors.inputs["c"], given.inputs["c"]);
    assert_eq!(
        (&tensors.expected, tensors.scale, &tensors.bounds),
        (&given.expected, given.scale, &given.bounds)
    );
    assert!(matches!(again.dump, Some(Dump::Safetensors(path)) if path == Path::new("a place")));
    plan.launching = Launching::Disabled;
    plan.dump = Some(Dump::Npy(Path::new("d")));
    let request = request::write(&plan, DeviceId::Emulator).expect("written");
    let work = work::read(Cursor::new(request)).expect("read");
    let again = work.plan(&Emulator::ACROSS_LINES);
    assert!(matches!(again.launching, Launching::Disabled));
    assert!(matches!(again.dump, Some(Dump::Npy(_))));
    assert_eq!(
        Emulator::ACROSS_LINES.describe().kind,
        again.device.describe().kind
    );
}

#[test]
fn what_is_no_request_is_refused_in_a_line() {
    let bench = Bench::new();
    let whole = request::write(&bench.plan(), DeviceId::Emulator).expect("written");
    let line = whole
        .iter()
        .position(|&byte| byte == b'\n')
        .expect("a line");
    let mut texts = vec![Vec::new(), b"hello\n".to_vec(), vec![0xff; 1000]];
    texts.extend(
        [0, 1, line, line + 1, line + 50, whole.len() - 1].map(|end| whole[..end].to_vec()),
    );
    let first = String::from_utf8(whole[..line].to_vec()).expect("text");
    let mut huge = first.replace(' ', " 9999999999999").into_bytes();
    huge.push(b'\n');
    texts.push(huge);
    // JSON that is some, and no test.
    let magic = first.split(' ').next().expect("a word");
    texts.push(format!("{magic} 2 0\n{{}}").into_bytes());
    for text in texts {
        let Err(error) = work::read(Cursor::new(&text)) else {
            panic!("{:?}", String::from_utf8_lossy(&text));
        };
        let message = error.to_string();
        assert!(!message.contains('\n'), "{message}");
        assert!(message.contains("--test ID"), "{message}");
    }
}

/// A planted bug of a built-in binding is found again by its place.
#[test]
fn a_planted_bug_of_a_built_in_binding_goes_along() {
    let bench = Bench::new();
    let wrong = Program::planted().expect("built in");
    let mut plan = bench.plan();
    let bug = &plan.bound.binding.planted[0];
    plan.bound.planted = Some(PlantedKernel {
        bug,
        program: &wrong,
    });
    let finished = isolated(&plan, &answer(&plan));
    assert_eq!(finished.report.verdict, Verdict::Fail);
    assert_eq!(finished.report.launches[0].kernel, "planted_mul_adds");
    assert!(finished.plant_used);
}
