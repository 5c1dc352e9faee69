//! The harness against devices that misbehave: none of them may pass, none may end the run.

use gfx906::code_object::Symbol;

use super::*;
use crate::device::{
    Device, DeviceBuffer, DeviceError, DeviceErrorKind, Launch, Limits, NOTHING, SetupError, Watch,
    check_watch,
};
use crate::program::BUILT_IN;
use crate::registry::Registry;
use crate::report::model::{DeviceReport, Problem, Verdict};
use crate::tensor::guards::Guards;

/// The effect of a launch on a device of host memory.
#[derive(Clone, Copy)]
enum FakeBehaviour {
    /// The right result; only `kernel_mul` is implemented.
    Multiply,
    Nothing,
    Fault,
    Panic,
    /// Multiplies, and adds the number of the run to the last element.
    Drift,
    /// Multiplies, and writes a byte below the output.
    Underrun,
    /// Multiplies, and changes an input.
    Clobber,
    /// Multiplies, and writes a byte below the output in every run but the first.
    LateUnderrun,
    /// Copies bytes from the first buffer to the third. The last argument is their number.
    Copy,
}

struct Fake {
    does: FakeBehaviour,
    runs: std::sync::atomic::AtomicU32,
}

struct Memory {
    does: FakeBehaviour,
    run: u32,
    bytes: Vec<u8>,
}

impl Device for Fake {
    fn describe(&self) -> DeviceReport {
        DeviceReport {
            kind: "fake".into(),
            description: "host memory".into(),
            card: None,
        }
    }

    fn open(&self, _: usize, _: Limits, _: &Watch) -> Result<Box<dyn Session>, DeviceError> {
        let run = self.runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        Ok(Box::new(Memory {
            does: self.does,
            run,
            bytes: Vec::new(),
        }))
    }
}

impl Memory {
    fn float(&self, at: usize) -> f32 {
        f32::from_le_bytes(self.bytes[at..at + 4].try_into().expect("four bytes"))
    }

    fn copy(&mut self, kernarg: &[u8]) {
        let word = |at: usize| {
            let bytes = kernarg[at..at + 8].try_into().expect("eight bytes");
            u64::from_le_bytes(bytes) as usize
        };
        let n = u32::from_le_bytes(kernarg[24..28].try_into().expect("four bytes")) as usize;
        self.bytes.copy_within(word(0)..word(0) + n, word(16));
    }

    fn multiply(&mut self, kernarg: &[u8], more: f32) {
        let word = |at: usize| {
            u64::from_le_bytes(kernarg[at..at + 8].try_into().expect("eight bytes")) as usize
        };
        let (a, b, out) = (word(0), word(8), word(16));
        let n = u32::from_le_bytes(kernarg[24..28].try_into().expect("four bytes")) as usize;
        for i in 0..n {
            let last = if i + 1 == n { more } else { 0.0 };
            let value = self.float(a + 4 * i) * self.float(b + 4 * i) + last;
            self.bytes[out + 4 * i..][..4].copy_from_slice(&value.to_le_bytes());
        }
        match self.does {
            FakeBehaviour::LateUnderrun if self.run > 0 => self.bytes[out - 1] ^= 1,
            FakeBehaviour::Underrun => self.bytes[out - 1] ^= 1,
            FakeBehaviour::Clobber => self.bytes[b + 5] ^= 1,
            _ => {}
        }
    }
}

impl Session for Memory {
    fn load(&mut self, _: &Program) -> Result<usize, DeviceError> {
        Ok(0)
    }

    fn variable(&mut self, _: usize, _: &Symbol) -> Result<u64, DeviceError> {
        Err(DeviceError::invalid("it has no variables"))
    }

    fn alloc(&mut self, _: &str, bytes: u64) -> Result<DeviceBuffer, DeviceError> {
        let guards = Guards::FULL;
        let at = self.bytes.len() + guards.before;
        self.bytes.resize(at + bytes as usize + guards.after, 0);
        Ok(DeviceBuffer {
            address: at as u64,
            guards,
            zeroed: true,
        })
    }

    fn upload(&mut self, address: u64, data: &[u8]) -> Result<(), DeviceError> {
        self.bytes[address as usize..][..data.len()].copy_from_slice(data);
        Ok(())
    }

    fn download(&mut self, address: u64, data: &mut [u8]) -> Result<(), DeviceError> {
        let from = &self.bytes[address as usize..][..data.len()];
        data.copy_from_slice(from);
        Ok(())
    }

    fn launch(
        &mut self,
        _: usize,
        launch: &Launch<'_>,
    ) -> Result<crate::device::LaunchResult, DeviceError> {
        match self.does {
            FakeBehaviour::Nothing => {}
            FakeBehaviour::Fault => {
                return Err(DeviceError::of(DeviceErrorKind::Fault, "it faulted"));
            }
            FakeBehaviour::Panic => panic!("the device is broken"),
            FakeBehaviour::Copy => self.copy(launch.kernarg),
            FakeBehaviour::Drift => self.multiply(launch.kernarg, self.run as f32),
            FakeBehaviour::Multiply
            | FakeBehaviour::Underrun
            | FakeBehaviour::LateUnderrun
            | FakeBehaviour::Clobber => {
                self.multiply(launch.kernarg, 0.0);
            }
        }
        Ok(crate::device::LaunchResult::default())
    }

    fn sync(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

/// Runs the test `mul` on a device that does so, `repeat` times.
fn run(does: FakeBehaviour, tolerance: &str, repeat: u16) -> FinishedTrial {
    let text = format!(
        "schema = 1\npartial = true\n[[phase]]\nnumber = 1\ntitle = \"One\"\n[[phase.test]]\nid = \"mul\"\n\
         contract = \"mul\"\nshape = {{ n = 300 }}\n\
         outputs.out = {{ tolerance = {tolerance}, ceiling = 100, reason = \"-\" }}\n\
         planted = \"all\"\n"
    );
    let registry = Registry::parse("x", &text, None).expect("a good registry");
    let test = registry.tests().next().expect("a test");
    let device = Fake {
        does,
        runs: 0.into(),
    };
    let bound = Bound::built_in(test.function).expect("a binding");
    let plan = Plan {
        repeat,
        ..Plan::new(&device, (&BUILT_IN, bound), (1, test, &test.cases[0]), 3)
    };
    plan.run()
}

#[test]
fn an_honest_device_passes_every_time() {
    let done = run(FakeBehaviour::Multiply, "0", 3);
    assert_eq!(done.report.verdict, Verdict::Pass, "{:?}", done.report);
    assert_eq!(done.report.outputs[0].golden.max_abs, 0.0);
    assert_eq!(done.report.rerun, "deltanet-check --test mul --seed 3");
}

#[test]
fn an_idle_device_leaves_poison() {
    let done = run(FakeBehaviour::Nothing, "0", 1);
    assert_eq!(done.report.verdict, Verdict::Fail);
    let Some(Problem::PoisonLeft { count, owner, .. }) = &done.report.outputs[0].problem else {
        panic!("{:?}", done.report.outputs);
    };
    assert_eq!((*count, owner.map(|owner| owner.launch)), (300, Some(0)));
}

#[test]
fn a_fault_and_a_panic_are_errors_of_their_trial() {
    let fault = run(FakeBehaviour::Fault, "0", 1);
    assert_eq!(
        (fault.report.verdict, fault.failure),
        (Verdict::Error, Some(DeviceErrorKind::Fault))
    );
    assert_eq!(fault.report.error.as_deref(), Some("it faulted"));
    assert_eq!(
        fault.report.launches.len(),
        1,
        "the launch that faulted is in the report"
    );
    let panic = run(FakeBehaviour::Panic, "0", 1);
    assert_eq!(panic.report.verdict, Verdict::Error);
    assert!(
        panic
            .report
            .error
            .is_some_and(|error| error.contains("the device is broken"))
    );
}

#[test]
fn guards_and_inputs_are_looked_at_although_the_output_is_right() {
    let under = run(FakeBehaviour::Underrun, "0", 1).report;
    assert_eq!(under.verdict, Verdict::Fail);
    assert!(
        matches!(
            under.problem,
            Some(Problem::GuardOverwritten {
                offset: -1,
                count: 1,
                ..
            })
        ),
        "{under:?}"
    );
    assert_eq!(under.outputs[0].verdict, Verdict::Pass);
    let clobbered = run(FakeBehaviour::Clobber, "0", 1).report;
    assert_eq!(clobbered.verdict, Verdict::Fail);
    assert!(
        matches!(&clobbered.problem, Some(Problem::InputChanged { input, count: 1, .. }) if input == "b")
    );
}

#[test]
fn guards_and_inputs_are_looked_at_in_every_run() {
    assert_eq!(
        run(FakeBehaviour::LateUnderrun, "0", 1).report.verdict,
        Verdict::Pass
    );
    let report = run(FakeBehaviour::LateUnderrun, "0", 2).report;
    assert_eq!(report.verdict, Verdict::Fail);
    assert!(
        matches!(report.problem, Some(Problem::GuardOverwritten { .. })),
        "{:?}",
        report.problem
    );
}

#[test]
fn runs_that_differ_fail_although_each_is_within_tolerance() {
    let once = run(FakeBehaviour::Drift, "0.5", 1).report;
    assert_eq!(
        once.verdict,
        Verdict::Pass,
        "the first run adds nothing: {once:?}"
    );
    let twice = run(FakeBehaviour::Drift, "0.5", 2).report;
    assert_eq!(twice.verdict, Verdict::Fail);
    assert!(
        matches!(&twice.problem, Some(Problem::NotRepeatable { run: 2, count: 1, index, .. }) if index == &[299])
    );
}

#[test]
fn a_tolerance_that_lets_zeros_through_is_an_error() {
    let loose = run(FakeBehaviour::Multiply, "50", 1).report;
    assert_eq!(loose.verdict, Verdict::Error);
    let error = loose.error.expect("an explanation");
    assert!(
        error.contains("the tolerance of output `out` says nothing: all zeros would pass"),
        "{error}"
    );
}

#[test]
fn a_device_that_cannot_observe_refuses_to() {
    let device = Fake {
        does: FakeBehaviour::Nothing,
        runs: 0.into(),
    };
    assert!(check_watch(&device, &NOTHING).is_ok());
    let watch = Watch {
        counters: true,
        ..Watch::default()
    };
    let error = check_watch(&device, &watch).expect_err("it cannot");
    assert!(matches!(error, SetupError::Flag(_)));
    assert_eq!(
        error.to_string(),
        "`--counters` needs the emulator, and this is host memory: add `--device emulator`"
    );
}

mod relations;
mod rows;
mod types;

/// Few elements that prove nothing must not hide what the sanitizer, a law or another run has found.
#[test]
fn a_trial_that_proves_nothing_fails_by_what_else_is_found() {
    let mut report = run(FakeBehaviour::Multiply, "0", 1).report;
    for (before, after) in [
        (Verdict::Pass, Verdict::Fail),
        (Verdict::Skip, Verdict::Fail),
        (Verdict::Fail, Verdict::Fail),
        (Verdict::Error, Verdict::Error),
    ] {
        report.verdict = before;
        report.error = Some("its reason".into());
        super::run::fail(&mut report);
        assert_eq!(report.verdict, after);
        assert_eq!(report.error.is_none(), before == Verdict::Skip);
    }
}
