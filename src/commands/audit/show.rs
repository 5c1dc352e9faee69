//! The audit as a table and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::Audit;
use crate::audit::{CHUNK, ErrorSpread, PipelineErrors, Regime, SIZE, TOKENS};
use crate::report::model::number;

/// The bound below which an error is rounding.
const ROUNDING: f64 = 1e-12;

/// Returns the audit as text, with a block for each regime.
pub fn as_table(audit: &Audit) -> String {
    let Audit {
        seed, draws, costs, ..
    } = audit;
    let heads = if *draws == 1 { "head" } else { "heads" };
    let mut out = format!(
        "the documented pipeline against the gated delta rule, token by token, on the same inputs\n\
         relative error ||departed - rule|| / ||rule|| (Frobenius, f64): median (quartiles) of {draws} {heads}, seed {seed}\n\
         K = V = {SIZE}, {TOKENS} tokens, chunks of {CHUNK}; q and k of unit length, v ~ N(0,1), no initial state\n\
         0: below {ROUNDING:e}; in f32: heads with a state or output that is not finite, computed in f32\n"
    );
    for (regime, costs) in audit.regimes.iter().zip(costs) {
        let Regime { name, gates, beta } = regime;
        let _ = writeln!(out, "\n{name}: {gates}; {beta}");
        let header = ["departure", "state", "output"].map(str::to_owned);
        line(&mut out, &header, "in f32");
        for cost in costs {
            let output = cost
                .output
                .as_ref()
                .map_or_else(|| "no output".to_owned(), cell);
            let cells = [cost.pipeline.title.to_owned(), cell(&cost.state), output];
            line(&mut out, &cells, &in_f32(cost));
        }
    }
    out
}

fn line(out: &mut String, [title, state, output]: &[String; 3], in_f32: &str) {
    let text = format!("{title:<32}{state:<30}{output:<30}{in_f32}");
    let _ = writeln!(out, "{}", text.trim_end());
}

/// Returns the median and the quartiles, or the number of heads that are not finite.
fn cell(spread: &ErrorSpread) -> String {
    let [lower, median, upper] = spread.quartiles().map(figure);
    match spread.not_finite() {
        0 if median == "0" && upper == "0" => median,
        0 => format!("{median:<8}({lower} to {upper})"),
        n => format!("not finite in {n} of {} heads", spread.heads()),
    }
}

fn figure(error: f64) -> String {
    if error < ROUNDING {
        "0".to_owned()
    } else if (1e-3..1e3).contains(&error) {
        format!("{error:.3}")
    } else {
        format!("{error:.1e}")
    }
}

fn in_f32(cost: &PipelineErrors) -> String {
    match cost.not_finite_f32 {
        0 => "finite".to_owned(),
        n => format!("not finite in {n} of {} heads", cost.state.heads()),
    }
}

/// Returns the audit as JSON, with every figure in full.
pub fn as_json(audit: &Audit) -> Value {
    let regimes: Vec<Value> = audit.regimes.iter().zip(&audit.costs).map(regime).collect();
    json!({
        "schema": "deltanet-check/audit/1",
        "seed": audit.seed,
        "draws": audit.draws,
        "key_size": SIZE,
        "value_size": SIZE,
        "tokens": TOKENS,
        "chunk": CHUNK,
        "regimes": regimes,
    })
}

fn regime((regime, costs): (&Regime, &Vec<PipelineErrors>)) -> Value {
    let functions: Vec<Value> = costs
        .iter()
        .map(|cost| {
            json!({
                "id": cost.pipeline.id,
                "title": cost.pipeline.title,
                "state": spread(&cost.state),
                "output": cost.output.as_ref().map(spread),
                "not_finite_f32": cost.not_finite_f32,
            })
        })
        .collect();
    json!({ "name": regime.name, "gates": regime.gates, "beta": regime.beta, "functions": functions })
}

/// Returns a spread as JSON. A number that is not finite is a word, as in all reports.
fn spread(spread: &ErrorSpread) -> Value {
    let [lower, median, upper] = spread.quartiles().map(|error| {
        if error.is_finite() {
            json!(error)
        } else {
            json!(number::word(error))
        }
    });
    json!({
        "median": median,
        "lower_quartile": lower,
        "upper_quartile": upper,
        "not_finite": spread.not_finite(),
    })
}
