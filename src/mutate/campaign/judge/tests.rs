use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;

use super::super::super::report::Counts;
use super::super::{News, Options};
use super::*;
use crate::device::{Device, DeviceError, Limits, Session, emulator};
use crate::report::model::DeviceReport;
use crate::run::{Selection, Setup, Sources};

/// A device that opens `good` sessions on the emulator, and fails with an error of the host from then on.
struct Failing {
    emulator: Box<dyn Device>,
    opened: AtomicUsize,
    good: usize,
    kind: DeviceErrorKind,
}

impl Device for Failing {
    fn describe(&self) -> DeviceReport {
        self.emulator.describe()
    }

    fn open(
        &self,
        threads: usize,
        limits: Limits,
        watch: &Watch,
    ) -> Result<Box<dyn Session>, DeviceError> {
        if self.opened.fetch_add(1, Ordering::Relaxed) < self.good {
            return self.emulator.open(threads, limits, watch);
        }
        Err(DeviceError::of(self.kind, "no luck\nin full"))
    }

    fn observes(&self) -> bool {
        true
    }
}

/// Runs a campaign on a device that fails with this kind of error after the honest kernels and one mutant have run. Returns the number of
/// killed mutants and of all.
fn campaign(kind: DeviceErrorKind) -> Result<(usize, usize), RunError> {
    let data = |name: &str| {
        PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("tests/data")
            .join(name)
    };
    let (kernels, bind) = (data("lines.co"), [data("lines.toml")]);
    let sources = Sources {
        registry: None,
        kernels: Some(&kernels),
        bind: &bind,
        contract: &[],
    };
    let setup = Setup::new(sources, 0).expect("a good setup");
    let runnable = setup.runnable(Selection {
        phase: &[],
        test: &["neg".into()],
        kernel: &[],
        require_all: false,
    });
    let (selected, ways) = runnable.expect("tests that run");
    let device = Failing {
        emulator: Box::new(emulator::Emulator::PLAIN),
        opened: AtomicUsize::new(0),
        good: selected.len(),
        kind,
    };
    let options = Options {
        operators: vec![Operator::Sign, Operator::Register],
        per_kernel: 6,
        seed: 0,
        jobs: 2,
        limits: Limits::default(),
        part: None,
        kernels: None,
        doubt: false,
        sanitize: None,
        words: Default::default(),
    };
    let (mut drawn, mut mutants) = (0, Vec::new());
    let campaign = Campaign {
        setup: &setup,
        device: &device,
        selected: &selected,
        ways: &ways,
        options: &options,
    };
    campaign.run(|news| match news {
        News::Drawn(report) => drawn = report.drawn,
        News::Judged(_, mutant) => mutants.push(*mutant),
    })?;
    assert_eq!(drawn, mutants.len());
    Ok((Counts::of(mutants.iter()).killed, mutants.len()))
}

#[test]
fn trouble_of_the_host_ends_the_campaign_and_kills_no_mutant() {
    for kind in [
        DeviceErrorKind::Memory,
        DeviceErrorKind::Harness,
        DeviceErrorKind::Process,
    ] {
        let error = campaign(kind).expect_err("the host is to blame");
        let told = error.to_string();
        assert!(
            told.starts_with("the mutant negate_with_lines+0x"),
            "{told}"
        );
        assert!(
            told.ends_with("could not be judged: no luck; mend that and run the campaign again"),
            "{told}"
        );
        assert_eq!(told.lines().count(), 1);
    }
}

#[test]
fn a_kernel_that_faults_or_hangs_is_noticed() {
    for kind in [
        DeviceErrorKind::Fault,
        DeviceErrorKind::Hang,
        DeviceErrorKind::Invalid,
        DeviceErrorKind::Arguments,
    ] {
        let (killed, all) = campaign(kind).expect("the kernel is to blame");
        assert_eq!((killed, all), (6, 6), "{kind:?}");
    }
}
