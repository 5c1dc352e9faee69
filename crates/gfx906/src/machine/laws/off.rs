//! Off: a disabled lane changes nothing and has no effect. The values of its registers make no difference to any other lane, to scalar
//! registers or to memory, and the registers keep them.

use super::Law;
use super::dice::Dice;
use super::draw::{LawCase, Pool};
use super::lanes::index;
use super::state::Bench;
use super::subject::{Subject, subjects};
use super::tally::Tally;

#[test]
fn lanes_that_are_off_do_nothing() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Off);
    for subject in subjects().filter(|s| Law::Off.applies(s)) {
        for round in 0.. {
            if tally.enough(&subject, round, 24) {
                break;
            }
            let mut dice = Dice::new(&subject.name(), round, 3);
            let mut drawn = pool.draw(&subject, &mut dice);
            if dice.percent(10) {
                index(&mut drawn.state, &mut dice);
            }
            check(&subject, &drawn, &mut dice, &mut bench, &mut tally);
        }
    }
    tally.verdict();
}

fn check(
    subject: &Subject,
    drawn: &LawCase,
    dice: &mut Dice,
    bench: &mut Bench,
    tally: &mut Tally,
) {
    let LawCase {
        draft,
        words,
        state,
    } = drawn;
    let exec = state.exec();
    let off = || (0..64).filter(move |l| exec >> l & 1 == 0);
    let mut other = state.clone();
    // The window has the registers of operands, and those that an index reaches.
    for register in &mut other.v[..48] {
        off().for_each(|l| register[l] = dice.next() as u32);
    }
    let first = bench.run(state, words);
    let second = bench.run(&other, words);
    if first.stop.is_some() && first.stop == second.stop {
        return tally.stopped(subject);
    }
    let mut expected = first;
    for (after, before) in expected.v.iter_mut().zip(&other.v) {
        off().for_each(|l| after[l] = before[l]);
    }
    let breach = second.difference(&expected);
    tally.case(
        subject,
        breach.map(|text| format!("{} under {exec:#x}: {text}", draft.text())),
    );
}
