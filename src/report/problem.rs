//! One problem in words: what is wrong, the element that shows it, its place, and possible causes.

use crate::report::model::{
    Element, GuardSide, Hypothesis, LaunchReport, OutputReport, Owner, Problem, Reference,
    UnwrittenSource, UnwrittenStorage, WrongNumbers,
};
use crate::text::kernel_label;

use super::plain;

/// Returns the lines about a problem, each with its label. `output` is the output that has the problem, if one has.
pub(super) fn explain(
    problem: &Problem,
    output: Option<&OutputReport>,
    launches: &[LaunchReport],
) -> Vec<(&'static str, String)> {
    let place = |index: &[usize]| plain::place(output.map_or(&[], |output| &output.axes), index);
    let mut lines = Vec::new();
    match problem {
        Problem::GuardOverwritten {
            buffer,
            side,
            offset,
            count,
            size,
        } => {
            let buffer = plain::line(buffer);
            lines.push((
                "wrong",
                match side {
                    GuardSide::After => {
                        format!("wrote past the end of buffer `{buffer}` ({size} bytes)")
                    }
                    GuardSide::Before => {
                        format!("wrote before the start of buffer `{buffer}` ({size} bytes)")
                    }
                    GuardSide::Between => {
                        format!("wrote between the rows of buffer `{buffer}` ({size} bytes)")
                    }
                },
            ));
            lines.push((
                "first",
                match side {
                    GuardSide::Between => {
                        format!("{count} bytes between them changed, the first at byte {offset}")
                    }
                    GuardSide::After | GuardSide::Before => {
                        format!("{count} bytes of its guard changed, the nearest at byte {offset}")
                    }
                },
            ));
        }
        Problem::InputChanged {
            input,
            axes,
            index,
            was,
            is,
            count,
            total,
        } => {
            let (input, part) = (plain::line(input), plain::part(*count, *total));
            lines.push((
                "wrong",
                format!("the launches changed their input `{input}`: {part}"),
            ));
            let (was, is) = (plain::value(*was), plain::value(*is));
            lines.push((
                "first",
                format!("{}: {was} became {is}", plain::place(axes, index)),
            ));
        }
        Problem::PoisonLeft {
            count,
            total,
            wrong_besides,
            index,
            owner,
            pattern,
        } => {
            lines.push((
                "wrong",
                format!("{} were never written", plain::part(*count, *total)),
            ));
            lines.push((
                "first",
                format!("{}{}", place(index), owned(owner.as_ref(), launches)),
            ));
            lines.extend(located(pattern.as_deref()));
            lines.extend((count < total).then(|| {
                let rest = match wrong_besides {
                    0 => "what was written is right".to_string(),
                    wrong => format!(
                        "of the {} that were written {wrong} are wrong",
                        total - count
                    ),
                };
                ("besides", rest)
            }));
        }
        Problem::NonFinite {
            nan,
            inf,
            unwritten,
            total,
            first,
            besides,
            pattern,
            hypotheses,
            ..
        } => {
            let others = besides.as_ref().map_or(0, |besides| besides.count);
            let part = plain::part(nan + inf + others, *total);
            let what = [
                (*nan, "NaN".to_string()),
                (*inf, "infinite where the reference is not".to_string()),
                (others, other_words(nan + inf, besides.as_ref())),
            ];
            let what: Vec<String> = what
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, words)| format!("{count} {words}"))
                .collect();
            lines.push(("wrong", format!("{part} are wrong: {}", what.join(", "))));
            lines.push(("first", element(first, output, launches)));
            if let Some(besides) = besides {
                lines.push(("worst", element(&besides.worst, output, launches)));
            }
            lines.extend(located(pattern.as_deref()));
            lines.extend(unwritten.iter().map(never_written));
            lines.extend(explaining(hypotheses).map(|hypothesis| ("why", supposed(hypothesis))));
        }
        Problem::Mismatch {
            against,
            count,
            total,
            worst,
            first_bad,
            pattern,
            unwritten,
            hypotheses,
        } => {
            let part = plain::part(*count, *total);
            lines.push((
                "wrong",
                format!(
                    "{part} are further from the {} than allowed",
                    reference(*against)
                ),
            ));
            lines.push(("worst", element(worst, output, launches)));
            if let Some(first) = first_bad {
                lines.push((
                    "first",
                    format!("{} {}", plain::line(&first.axis), first.index),
                ));
            }
            lines.extend(located(pattern.as_deref()));
            lines.extend(unwritten.iter().map(never_written));
            lines.extend(explaining(hypotheses).map(|hypothesis| ("why", supposed(hypothesis))));
        }
        Problem::RelativeRms {
            against,
            found,
            allowed,
        } => {
            let (found, allowed) = (plain::error(*found), plain::limit(*allowed));
            lines.push((
                "wrong",
                format!(
                    "relative RMS error {found} against the {}, allowed {allowed}",
                    reference(*against)
                ),
            ));
        }
        Problem::RelationBroken {
            relation,
            says,
            output,
            element,
            runs,
            count,
            total,
            axes,
            worst,
            pattern,
        } => {
            let (relation, says) = (plain::line(relation), plain::line(says));
            let (output, part) = (plain::line(output), plain::part(*count, *total));
            let [got, want] = [worst.got, worst.want].map(|value| plain::value_of(element, value));
            let allowed = plain::error(worst.allowed);
            let broken = format!("relation `{relation}` is broken in output `{output}`: {part}");
            lines.push(("wrong", broken));
            lines.push(("law", says));
            let sides = if *runs == 1 {
                format!("left side {got}, right side {want}")
            } else {
                format!("the second run gave {got}, what the first gave makes it {want}")
            };
            let place = plain::place(axes, &worst.index);
            lines.push((
                "worst",
                format!("{place}: {sides}, allowed error {allowed}"),
            ));
            lines.extend(located(pattern.as_deref()));
        }
        Problem::NotRepeatable {
            output,
            run,
            count,
            total,
            axes,
            index,
            first_run,
            this_run,
            pattern,
        } => {
            let (output, part) = (plain::line(output), plain::part(*count, *total));
            lines.push((
                "wrong",
                format!("run {run} gave other bits than run 1 in output `{output}`: {part}"),
            ));
            let (first_run, this_run) = (plain::value(*first_run), plain::value(*this_run));
            lines.push((
                "first",
                format!(
                    "{}: {first_run}, then {this_run}",
                    plain::place(axes, index)
                ),
            ));
            lines.extend(located(pattern.as_deref()));
        }
    }
    lines
}

/// Returns the words for wrong elements that are numbers, in an output that has elements that are not.
fn other_words(none: usize, besides: Option<&WrongNumbers>) -> String {
    let Some(besides) = besides else {
        return String::new();
    };
    let who = if none == 1 {
        "besides it"
    } else {
        "besides them"
    };
    format!(
        "{who} further from the {} than allowed (max diff {}, relative RMS {})",
        reference(besides.against),
        plain::error(besides.max_abs),
        plain::error(besides.relative_rms)
    )
}

fn reference(against: Reference) -> &'static str {
    match against {
        Reference::Golden => "golden reference",
        Reference::Oracle => "f64 oracle",
    }
}

/// Returns the words for one element: index, got, want, allowed, owner.
fn element(element: &Element, output: Option<&OutputReport>, launches: &[LaunchReport]) -> String {
    let place = plain::place(output.map_or(&[], |output| &output.axes), &element.index);
    let value = |value| plain::value_of(output.map_or("", |output| &output.element), value);
    let ulp = output.and_then(|output| output.tolerance.ulp);
    let ulp = ulp.map_or(String::new(), |ulp| format!(" ({ulp} ulp)"));
    format!(
        "{place}: got {}, want {}, allowed error {}{ulp}{}",
        value(element.got),
        value(element.want),
        plain::error(element.allowed),
        owned(element.owner.as_ref(), launches),
    )
}

fn owned(owner: Option<&Owner>, launches: &[LaunchReport]) -> String {
    owner.map_or(String::new(), |owner| {
        let kernel = launches.get(owner.launch).map_or(String::new(), |launch| format!(" ({})", kernel_label(&launch.kernel)));
        let [gx, gy, gz] = owner.work_group;
        let [ix, iy, iz] = owner.work_item;
        format!(
            "; owner: launch {}{kernel}, work-group ({gx}, {gy}, {gz}), work-item ({ix}, {iy}, {iz})",
            owner.launch + 1
        )
    })
}

fn located(pattern: Option<&str>) -> Option<(&'static str, String)> {
    pattern.map(|pattern| ("where", plain::line(pattern)))
}

fn never_written(unwritten: &UnwrittenSource) -> (&'static str, String) {
    let what = match unwritten.what {
        UnwrittenStorage::Register => "a register that nobody had written",
        UnwrittenStorage::Lds => {
            "LDS that nobody had written: an element left out, a wrong index, or a missing `__syncthreads()` or fence?"
        }
        UnwrittenStorage::Scratch => {
            "stack memory that nobody had written: an uninitialised local?"
        }
        UnwrittenStorage::Memory => "memory that nobody had written",
    };
    let count = unwritten.count;
    let elements = match count {
        1 => "1 wrong element comes".to_owned(),
        count => format!("{count} wrong elements come"),
    };
    ("why", format!("{elements} from {what}"))
}

/// Returns the hypotheses that leave no error. Another one may well be wrong.
fn explaining(hypotheses: &[Hypothesis]) -> impl Iterator<Item = &Hypothesis> {
    hypotheses
        .iter()
        .filter(|hypothesis| hypothesis.explains_all)
}

fn supposed(hypothesis: &Hypothesis) -> String {
    let explanation = plain::line(&hypothesis.explanation);
    let remaining = plain::error(hypothesis.remaining);
    let except = match hypothesis.except {
        0 => String::new(),
        1 => " but the one that is no number".into(),
        n => format!(" but {n} that are no numbers"),
    };
    match hypothesis.remaining {
        0.0 => format!("{explanation} (explains it all{except}, to the bit)"),
        _ => format!("{explanation} (explains it all{except}, within {remaining})"),
    }
}
