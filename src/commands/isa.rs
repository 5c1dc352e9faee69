//! `isa`: the share of gfx906's instruction set that the emulator decodes and runs.

use gfx906::isa::{Coverage, coverage};

use super::table;
use crate::args::IsaArgs;
use crate::exit::{Exit, Stop};
use crate::text::print;

/// Runs the command.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &IsaArgs) -> Result<Exit, Stop> {
    let encodings = coverage();
    let mut out = String::new();
    if args.coverage {
        out += &as_table(&encodings);
    }
    if args.missing {
        if args.coverage {
            out.push('\n');
        }
        out += &as_list(&encodings);
    }
    print(&out)?;
    Ok(Exit::Passed)
}

fn as_table(encodings: &[Coverage]) -> String {
    let header = [
        "encoding", "rows", "decoded", "executed", "missing", "graphics", "driver",
    ];
    let line = |name: String, counts: [usize; 6]| -> Vec<String> {
        let counts = counts.map(|n| n.to_string());
        std::iter::once(name).chain(counts).collect()
    };
    let mut totals = [0; 6];
    let mut rows = Vec::new();
    for c in encodings {
        let counts = [
            c.rows,
            c.forms,
            c.executed,
            c.missing.len(),
            c.graphics.len(),
            c.driver.len(),
        ];
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += count;
        }
        rows.push(line(c.encoding.to_string(), counts));
    }
    rows.push(line("total".to_owned(), totals));
    table(&header, &[1, 2, 3, 4, 5, 6], rows)
}

fn as_list(encodings: &[Coverage]) -> String {
    let rows = encodings.iter().flat_map(|c| {
        let reasons = [
            (&c.missing, "not implemented"),
            (
                &c.graphics,
                "graphics: image forms that compute code does without, exports, interpolation",
            ),
            (
                &c.driver,
                "driver: a launch has no global wave sync or data share",
            ),
        ];
        reasons.into_iter().flat_map(move |(names, reason)| {
            names.iter().map(move |name| {
                vec![
                    c.encoding.to_string(),
                    (*name).to_owned(),
                    reason.to_owned(),
                ]
            })
        })
    });
    table(
        &["encoding", "instruction", "why it does not run"],
        &[],
        rows,
    )
}
