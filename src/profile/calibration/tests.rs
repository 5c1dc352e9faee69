//! Each microbenchmark does as often what its name says as its figure counts, by the costs on the emulator.

use std::sync::Arc;

use gfx906::observe::Costs;
use gfx906::observe::costs::{Class, Latencies};

use super::*;
use crate::device::{Device, Ledger, Limits, Watch, emulator::Emulator};
use crate::profile::constants::CUS;

/// Latencies in cycles, each unlike the others.
const LATENCIES: Latencies = Latencies {
    vector: [1, 1000],
    scalar: [1, 2000],
    lds: [1, 3000],
};

/// The differences that more steps make, by step.
struct Step {
    probe: Probe,
    costs: [Costs; 2],
    steps: [u32; 2],
}

impl Step {
    fn of(&self, count: impl Fn(&Costs) -> u64) -> f64 {
        let [less, more] = [&self.costs[0], &self.costs[1]].map(&count);
        (more - less) as f64 / f64::from(self.steps[1] - self.steps[0])
    }

    fn waves(&self) -> f64 {
        f64::from(self.probe.groups * self.probe.block / 64)
    }

    /// Wave instructions of a class, by wave.
    fn instructions(&self, class: Class) -> f64 {
        self.of(|costs| costs.instructions(class)) / self.waves()
    }

    /// Lines that vector memory instructions ask for.
    fn lines(&self) -> f64 {
        self.of(|costs| costs.groups().iter().map(|group| group.lines).sum())
    }

    /// Waits in a row of the first work-group: for vector memory, for scalar memory, for LDS.
    fn waits(&self) -> [f64; 3] {
        let latencies = [LATENCIES.vector, LATENCIES.scalar, LATENCIES.lds];
        let waited = |at: usize| self.of(|costs| costs.groups()[0].chain[1].waited[at]);
        [0, 1, 2].map(|at| (waited(at) / latencies[at][1] as f64).round())
    }
}

/// Runs a microbenchmark at two numbers of steps.
fn step(bench: &mut Bench<'_>, ledger: &Ledger, probe: &Probe) -> Step {
    // A chase in a table of zeros stays at its first address, and has as many loads.
    let steps = [1, 3];
    for steps in steps {
        bench.launch(probe, steps).expect("a launch");
    }
    let costs = ledger.take().into_iter().map(|launch| launch.costs);
    let costs: Vec<Costs> = costs.collect();
    let costs = costs.try_into().ok().expect("two launches");
    Step {
        probe: *probe,
        costs,
        steps,
    }
}

#[test]
fn each_step_has_what_its_figure_counts() {
    let ledger = Arc::new(Ledger::new(LATENCIES));
    let watch = Watch::costs(&ledger);
    let session = Emulator::ACROSS_LINES.open(0, Limits::default(), &watch);
    let mut session = session.expect("a session");
    let program = Program::calibration().expect("kernels");
    let mut bench = Bench::new(&mut *session, &program).expect("memory");
    for probe in [&CLOCK].into_iter().chain(PROBES) {
        assert_counts(&step(&mut bench, &ledger, probe));
    }
}

/// The instructions, the waits in a row and the lines are those that the figure counts.
fn assert_counts(step: &Step) {
    let probe = step.probe;
    let name = probe.name;
    let (class, waits) = match probe.kernel {
        "calibrate_fma" | "calibrate_dpp" => (Class::Valu, [0.0; 3]),
        "calibrate_scalar" => (Class::Salu, [0.0; 3]),
        "calibrate_barrier" => (Class::Barrier, [0.0; 3]),
        "calibrate_chase_vector" => (Class::Vmem, [16.0, 0.0, 0.0]),
        "calibrate_chase_scalar" => (Class::Smem, [0.0, 16.0, 0.0]),
        "calibrate_chase_lds" => (Class::Lds, [0.0, 0.0, 16.0]),
        "calibrate_lines" | "calibrate_halves" => (Class::Vmem, [1.0, 0.0, 0.0]),
        _ => return assert_traffic(step),
    };
    // The loop has two scalar instructions of its own.
    let own = if class == Class::Salu { 2.0 } else { 0.0 };
    assert_eq!(step.instructions(class), 16.0 + own, "{name}");
    assert_eq!(step.waits(), waits, "{name}");
    let lines_of_wave = match probe.kernel {
        "calibrate_lines" => 16.0 * 64.0,
        "calibrate_halves" => 16.0 * 2.0,
        "calibrate_chase_vector" => 16.0,
        _ => 0.0,
    };
    assert_eq!(step.lines() / step.waves(), lines_of_wave, "{name}");
    let things = match probe.quantity {
        Quantity::Cycles(things) => things,
        Quantity::UnitCycles(things) => things * CUS as f64 / step.waves(),
        Quantity::Rate(_) => f64::NAN,
    };
    let counted = match probe.kernel {
        "calibrate_lines" => lines_of_wave,
        _ => 16.0,
    };
    assert_eq!(things, counted, "{name}");
}

/// Reads and writes move the bytes that the rate counts.
fn assert_traffic(step: &Step) {
    let Quantity::Rate(bytes) = step.probe.quantity else {
        panic!("{}: no rate", step.probe.name);
    };
    let (read, written) = (
        step.of(|costs| costs.bytes().read),
        step.of(|costs| costs.bytes().written),
    );
    let name = step.probe.name;
    let expected = match step.probe.kernel {
        "calibrate_read" => {
            // What is read again is counted once: here are the bytes of all instructions.
            assert_eq!(step.lines() * 64.0, bytes, "{name}");
            return;
        }
        "calibrate_write" => [0.0, bytes],
        "calibrate_copy" => [bytes / 2.0; 2],
        other => panic!("{other} has no counts"),
    };
    assert_eq!([read, written], expected, "{name}");
}

#[test]
fn the_longest_launch_stays_within_the_memory() {
    for probe in PROBES {
        let Quantity::Rate(bytes) = probe.quantity else {
            continue;
        };
        assert!(
            bytes * 3.0 * f64::from(probe.steps) <= MEMORY as f64,
            "{}",
            probe.name
        );
        assert!(probe.steps > 8, "{}", probe.name);
    }
}

#[test]
fn a_chase_visits_every_piece_once() {
    for probe in PROBES {
        let Some(chase) = probe.chase else { continue };
        let table = chase.table();
        let (mut at, mut visits) = (0, 0);
        loop {
            visits += 1;
            let next = table[at..at + 4].try_into().expect("four bytes");
            at = u32::from_le_bytes(next) as usize;
            if at == 0 {
                break;
            }
        }
        assert_eq!(visits, chase.bytes / chase.piece, "{}", probe.name);
    }
}

#[test]
fn a_file_of_the_figures_is_a_card() {
    let mut calibration = Calibration::default();
    calibration.add("slow", 500.0, "GB/s", Some(ConstantName::Read));
    calibration.add("fast", 812.345, "GB/s", Some(ConstantName::Read));
    calibration.add("none", f64::NAN, "us", Some(ConstantName::Event));
    calibration.add("other", 7.0, "cycles", None);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("card.toml");
    let text = calibration.card_text("A \"card\"\nof mine");
    std::fs::write(&path, &text).expect("written");
    let card = Card::from_file(&path).expect(&text);
    assert_eq!(card.value(ConstantName::Read), 812.3);
    let (event, built_in) = (ConstantName::Event, Card::built_in());
    assert_eq!(card.value(event), built_in.value(event));
    let table = calibration.text();
    assert!(table.contains("not measured"), "{table}");
}
