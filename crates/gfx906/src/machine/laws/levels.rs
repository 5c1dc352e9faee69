//! Levels: code for any host, for AVX2 and for AVX-512 computes the same bits. Builds of unit tests have only one level without the feature `every-level`.

use super::super::level::Level;
use super::Law;
use super::dice::Dice;
use super::draw::Pool;
use super::lanes::index;
use super::state::Bench;
use super::subject::subjects;
use super::tally::Tally;

#[test]
#[cfg_attr(
    any(debug_assertions, not(feature = "every-level")),
    ignore = "the build has the baseline alone: --release --features every-level"
)]
fn feature_levels_give_the_same_bits() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Levels);
    let levels: Vec<Level> = [Level::V3, Level::V4]
        .into_iter()
        .filter(|level| *level <= Level::host())
        .collect();
    for subject in subjects() {
        for round in 0.. {
            if tally.enough(&subject, round, 40) {
                break;
            }
            let mut dice = Dice::new(&subject.name(), round, 4);
            let mut drawn = pool.draw(&subject, &mut dice);
            if dice.percent(5) {
                index(&mut drawn.state, &mut dice);
            }
            let expected = bench.run_at(&drawn.state, &drawn.words, Level::Baseline);
            for &level in &levels {
                let state = bench.run_at(&drawn.state, &drawn.words, level);
                // The levels may leave different states when a wave stops, but the reason must be the same.
                if expected.stop.is_some() && state.stop == expected.stop {
                    tally.stopped(&subject);
                    continue;
                }
                let breach = state.difference(&expected);
                let told = |text| format!("{} at {level:?}: {text}", drawn.draft.text());
                tally.case(&subject, breach.map(told));
            }
        }
    }
    if levels.is_empty() {
        // A host with only the baseline has nothing to compare.
        return;
    }
    tally.verdict();
}
