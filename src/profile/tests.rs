//! Profiles of tests' cases, as a test of a kernel's bars would take them.

use std::sync::LazyLock;

use super::{
    Assumptions, Card, CaseProfile, ConstantName, Measurement, Timing, profile_case, rows_text,
};
use crate::device::Spec;
use crate::run::{Selection, Setup, Sources};
use crate::trial::Plan;

/// The model's assumptions by default.
static ASSUMED: LazyLock<Assumptions> = LazyLock::new(|| Assumptions {
    card: Card::built_in(),
    timing: Timing::Stream,
    hot: false,
});

/// Profiles the case of an id on `threads` host threads.
fn profiled(id: &str, threads: usize) -> CaseProfile {
    let setup = Setup::new(Sources::default(), 0).expect("the built-in kernels");
    let test = [id.to_owned()];
    let wanted = Selection {
        test: &test,
        ..Selection::default()
    };
    let (selected, ways) = setup.runnable(wanted).expect("a case");
    let device = Spec::EMULATOR.open().expect("the emulator");
    let plan = Plan {
        threads,
        ..setup.plan(&*device, &selected[0], ways[0], 0)
    };
    profile_case(&ASSUMED, &plan).expect("it passes")
}

const RECURRENT: &str = "recurrent:B=1,T=2,H=4,HV=8,K=128,V=128,*";

#[test]
fn figures_of_a_launch_agree_with_each_other() {
    let profiled = profiled(RECURRENT, 1);
    let [launch] = &profiled.launches[..] else {
        panic!("{} launches", profiled.launches.len());
    };
    let of = |class: &str| launch.instructions[class];
    let rates = [of("valu"), of("valu_half_rate"), of("valu_quarter_rate")];
    assert_eq!(launch.valu_instructions, rates.iter().sum::<u64>());
    assert_eq!(
        launch.valu_cycles,
        4 * rates[0] + 8 * rates[1] + 16 * rates[2]
    );
    let sites = &launch.memory_instructions;
    assert_eq!(
        launch.lds_cycles,
        sites.iter().map(|one| one.lds_cycles).sum::<u64>()
    );
    assert_eq!(launch.lines, sites.iter().map(|one| one.lines).sum::<u64>());
    // Eight heads' states of 128 x 128 f32 are written, and as many rows of outputs.
    assert_eq!(
        launch.unique_bytes.written,
        8 * 128 * 128 * 4 + 2 * 8 * 128 * 4
    );
    assert!(launch.lds_cycles >= launch.lds_cycles_ideal && launch.lds_cycles_ideal > 0);
    let model = &launch.model;
    assert!(model.floor <= model.bound && model.bound <= model.kernel);
    assert_eq!(model.kernel + model.terms.overhead, model.seconds);
    assert_eq!(profiled.seconds, model.seconds);
    // The counts of the longest work-group and the latencies give the chain's time, as scripts/fit-model.py computes it.
    let (chain, card) = (&launch.chain, &ASSUMED.card);
    let waited = chain.waits.vector * card.value(ConstantName::VectorLatency)
        + chain.waits.scalar * card.value(ConstantName::ScalarLatency)
        + chain.waits.lds * card.value(ConstantName::LdsLatency);
    let issued = chain.issue.vector + chain.issue.scalar + chain.issue.memory;
    let seconds = card.seconds(chain.rounds * (issued as f64 + waited));
    assert!((seconds / model.terms.chain - 1.0).abs() < 1e-9);
}

/// `bench --row` prints the columns of the measurements in the repository.
#[test]
fn rows_have_the_columns_of_the_file() {
    let profiled = profiled(RECURRENT, 1);
    let launch = profiled.launches[0].clone();
    let measured = Measurement::new(profiled.id, vec![3e-6, 1e-6, 2e-6], launch);
    assert_eq!((measured.least, measured.median), (1e-6, 2e-6));
    let text = rows_text(&ASSUMED, &[measured]);
    let file = include_str!("../../docs/data/mi50-measured.tsv");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert_eq!(file.lines().next(), Some(lines[0]));
    let cells: Vec<&str> = lines[1].split('\t').collect();
    assert_eq!(cells.len(), lines[0].split('\t').count());
    assert_eq!(&cells[4..7], ["1725", "2.00", "stream"]);
}

/// The profile must not depend on the threads that run the groups, nor on the order in which groups end.
#[test]
fn a_profile_is_the_same_on_any_number_of_threads() {
    assert_eq!(profiled(RECURRENT, 1), profiled(RECURRENT, 4));
}
