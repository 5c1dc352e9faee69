//! The machine against random programs, which the fuzz target runs too: they really run, and every run of one is the same.

#[path = "../../../fuzz/src/checked.rs"]
mod checked;
#[path = "../../../fuzz/src/execute.rs"]
mod execute;
#[path = "../../../fuzz/src/programs/mod.rs"]
mod programs;

use checked::FindingCounts;
use execute::Census;
use gfx906::machine::Level;
use gfx906::observe::sanitize::Check;
use programs::{Choices, Machine, generate};

/// Programs of the test; in debug builds, where there is one level, fewer.
const PROGRAMS: u64 = if cfg!(debug_assertions) { 3_000 } else { 6_000 };

/// The frame's prologue was taken to be four bytes longer than it is: the byte there ended every program before its first instruction.
#[test]
fn programs_run_reach_the_table_and_are_the_same_in_every_run() {
    let mut machine = Machine::new();
    let mut census = Census::default();
    for seed in 0..PROGRAMS {
        let program = generate(&mut Choices::from_seed(seed));
        if let Err(difference) = execute::compare(&mut machine, &program, &mut census) {
            panic!("program {seed}: {difference}");
        }
    }
    println!("{census}");
    let share = |n: u64| n * 100 / PROGRAMS;
    for (what, count, least) in [
        ("ended", census.ended, 50),
        ("trapped", census.trapped, 10),
        ("used up the budget", census.hung, 1),
        ("branched forward", census.forward, 25),
        ("branched backward", census.backward, 15),
        ("touched global memory", census.global, 80),
        ("touched LDS", census.lds, 60),
        ("touched scratch", census.scratch, 35),
        ("had atomics", census.atomics, 60),
    ] {
        let percent = share(count);
        assert!(
            percent >= least,
            "{percent} % of the programs {what}, not {least} %"
        );
    }
    let (reached, all) = census.rows.reached();
    assert!(
        10 * reached >= 9 * all,
        "{reached} of {all} rows ran; not {:?}",
        census.rows.missed()
    );
}

#[test]
fn the_sanitizer_changes_nothing_and_says_the_same_again() {
    const PROGRAMS: u64 = if cfg!(debug_assertions) { 300 } else { 2_000 };
    let (mut machine, mut found) = (Machine::new(), FindingCounts::default());
    for seed in 0..PROGRAMS {
        let program = generate(&mut Choices::from_seed(seed));
        let mut one = FindingCounts::default();
        if let Err(difference) = checked::run(&mut machine, &program, &mut one) {
            panic!("program {seed}: {difference}");
        }
        found.add(&one);
    }
    println!("{found}");
    for (check, count) in Check::ALL.into_iter().zip(found.by_check) {
        // Programs of one wave and few barriers give `race` and `sync` the least to say.
        assert!(count > PROGRAMS / 200, "{check} in {count} programs only");
    }
}

/// Checks that any bytes, as a fuzzer produces them, run as a program.
#[test]
fn any_bytes_are_a_program() {
    let mut census = Census::default();
    let mut choices = Choices::from_seed(99);
    for length in 0..200 {
        let bytes: Vec<u8> = (0..length).map(|_| choices.below(256) as u8).collect();
        execute::run(&bytes, &mut census);
    }
    assert_eq!(census.programs, 200);
    assert!(census.ended > 40 && census.trapped > 5, "{census}");
}

#[test]
fn a_lower_level_may_be_asked_for() {
    let mut machine = Machine::new();
    machine.load(&generate(&mut Choices::from_seed(1)));
    let run = |level| machine.run(64, level, 1, &mut programs::Tally::default());
    assert_eq!(run(Level::Baseline), run(Level::V4));
}
