//! A campaign as a table.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::report::{Counts, MutantOutcome, MutantReport, MutationReport};
use crate::report::fit;
use crate::text::kernel_label;

/// Number of survivors that are shown with the values of their operands, unless the user asks for all.
const SHOWN: usize = 40;

/// Renders a report as text: functions, survivors, and uncovered instructions. `columns` is the largest width of the table.
pub fn table(report: &MutationReport, verbose: bool, columns: Option<usize>) -> String {
    let mut text = functions(report, columns);
    text += &survivors(report, verbose);
    text += &uncovered(report, verbose);
    text += &summary(report);
    text
}

fn functions(report: &MutationReport, columns: Option<usize>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "kernel", "code", "covered", "cases", "mutants", "killed", "missed", "within", "idle",
        "equal", "score",
    ]);
    for function in &report.functions {
        let own = report.mutants.iter();
        let counts = Counts::of(own.filter(|mutant| mutant.function == function.name));
        let all = counts.judged() + counts.equivalent;
        let numbers = [
            function.instructions,
            function.covered,
            function.cases,
            all,
            counts.killed,
            counts.missed,
            counts.within_tolerance,
            counts.not_infected,
            counts.equivalent,
        ];
        let mut row = vec![kernel_label(&function.name)];
        row.extend(numbers.map(|number| number.to_string()));
        row.push(percent(counts.score()));
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    fit(&mut table, columns);
    format!("{table}\n")
}

/// Formats a score; `-` if there is none.
pub(super) fn percent(score: Option<f64>) -> String {
    score.map_or("-".into(), |score| format!("{score:.1} %"))
}

fn survivors(report: &MutationReport, verbose: bool) -> String {
    let all: Vec<&MutantReport> = report
        .mutants
        .iter()
        .filter(|mutant| mutant.outcome.survived())
        .collect();
    let shown = if verbose { all.len() } else { SHOWN };
    let mut text = String::new();
    for mutant in all.iter().take(shown) {
        let source = mutant.source.as_ref();
        let source = source.map_or(String::new(), |source| format!("  {source}"));
        let _ = write!(
            text,
            "\n{} {}+{:#x} {}{source}\n  was  {}\n  is   {}\n  ran  {} of {} cases that execute it\n",
            mutant.outcome.name(),
            kernel_label(&mutant.function),
            mutant.offset,
            mutant.operator,
            mutant.was,
            mutant.is,
            mutant.ran,
            mutant.executed_by,
        );
        match &mutant.outcome {
            MutantOutcome::Missed { saw } | MutantOutcome::NotInfected { saw } => {
                for saw in saw {
                    let _ = writeln!(text, "  saw  {saw}");
                }
            }
            MutantOutcome::WithinTolerance { test } => {
                let _ = writeln!(text, "  differs in {test}");
            }
            _ => {}
        }
    }
    if all.len() > shown {
        let _ = writeln!(
            text,
            "\nand {} more that nobody noticed: -v or --report",
            all.len() - shown
        );
    }
    text
}

fn uncovered(report: &MutationReport, verbose: bool) -> String {
    let mut text = String::new();
    if !report.uncovered.is_empty() {
        let runs = report.uncovered.iter();
        let instructions: usize = runs.map(|run| run.instructions).sum();
        let _ = writeln!(
            text,
            "\nuncovered: {instructions} instructions that no test executes"
        );
    }
    let shown = if verbose {
        report.uncovered.len()
    } else {
        SHOWN
    };
    for run in report.uncovered.iter().take(shown) {
        let _ = writeln!(
            text,
            "  {}+{:#x}  {} from `{}` on: {}",
            kernel_label(&run.function),
            run.offset,
            run.instructions,
            run.text,
            run.path,
        );
    }
    if report.uncovered.len() > shown {
        let _ = writeln!(
            text,
            "  and {} places more: -v or --report",
            report.uncovered.len() - shown
        );
    }
    if !report.not_launched.is_empty() {
        let names: Vec<String> = report
            .not_launched
            .iter()
            .map(|name| kernel_label(name))
            .collect();
        let _ = writeln!(text, "\nnot launched: {}", names.join(", "));
    }
    text
}

fn summary(report: &MutationReport) -> String {
    let counts = report.counts();
    let mutants = report.mutants.len();
    let rate = mutants as f64 / report.seconds.max(1e-9);
    let parts = match &report.parts[..] {
        [whole] if whole == "1/1" => String::new(),
        parts => format!(" (parts {})", parts.join(", ")),
    };
    let interrupted = match (report.complete, report.drawn) {
        (true, _) => String::new(),
        (false, 0) => "\ninterrupted before any mutant was drawn\n".into(),
        (false, drawn) => format!("\ninterrupted: {mutants} of {drawn} mutants\n"),
    };
    let waits = match counts.not_judged {
        0 => String::new(),
        count => format!(", {count} waits not judged"),
    };
    format!(
        "{interrupted}\nscore {}: {} killed of {}; {} missed, {} within tolerance, {} not infected; {} equivalent{waits}\n\
         {mutants} mutants of {} functions by {} cases in {:.0} s, {rate:.0} a second, seed {}{parts}\n",
        percent(counts.score()),
        counts.killed,
        counts.judged(),
        counts.missed,
        counts.within_tolerance,
        counts.not_infected,
        counts.equivalent,
        report.functions.len(),
        report.asked.cases,
        report.seconds,
        report.asked.seed,
    )
}
