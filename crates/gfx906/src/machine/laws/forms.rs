//! Forms: the VOP3 form, SDWA that selects whole registers, and DPP that stays in its lane compute the same as the short form.

use super::dice::Dice;
use super::draw::Pool;
use super::modifier;
use super::state::Bench;
use super::subject::{Subject, subjects};
use super::tally::Tally;
use super::{Law, rounds};
use crate::isa::Form;

#[test]
fn forms_without_modifiers_do_the_same() {
    let (pool, mut bench) = (Pool::new(), Bench::new());
    let mut tally = Tally::new(Law::Forms);
    for short in subjects().filter(|s| s.form == Form::Native) {
        let forms: Vec<Subject> = [Form::E64, Form::Sdwa, Form::Dpp]
            .into_iter()
            .filter(|form| short.row.has_form(short.encoding, *form))
            .map(|form| Subject { form, ..short })
            .collect();
        if forms.is_empty() {
            continue;
        }
        for round in 0..rounds(32) {
            let mut dice = Dice::new(&short.name(), round, 5);
            let drawn = pool.draw(&short, &mut dice);
            let expected = bench.run(&drawn.state, &drawn.words);
            for form in &forms {
                let mut long = drawn.draft;
                long.inst.form = form.form;
                modifier::plain(&mut long, &mut dice);
                // Few forms permit constants, and none a literal.
                let Some(words) = long.encode() else { continue };
                let mut state = bench.run(&drawn.state, &words);
                assert_eq!(state.pc - drawn.state.pc, 4 * words.len() as u64);
                state.pc = expected.pc;
                let breach = state.difference(&expected);
                tally.case(form, breach.map(|text| format!("{}: {text}", long.text())));
            }
        }
    }
    tally.verdict();
}
