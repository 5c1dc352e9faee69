//! The fused recurrence: in one launch, in two, token by token.

use crate::phases::gdn::{Problem, asked, layout_arg, map_arg, problem, states};
use crate::trial::{Arg, Buffer, Grid, Outcome, Trial, float, int};

/// A launch of the recurrence on some of the tokens.
struct Span {
    /// The first token and the count; only calls of one sequence may begin later than with the first.
    first: usize,
    count: usize,
    initial: Arg,
    last: Buffer,
}

fn launch_recurrent(t: &mut Trial<'_>, p: &Problem, o: Buffer, span: Span) -> Outcome {
    let s = p.sizes;
    let part = |buffer: Buffer, width: usize| buffer.part(span.first * width, span.count * width);
    let part = |buffer: Buffer, width: usize| {
        if s.sequences == 1 {
            part(buffer, width)
        } else {
            buffer
        }
    };
    let [b, _, h, hv, key, value] = p.sizes();
    let keys = s.key_heads * s.key_size;
    let args = [
        part(p.q, keys).read(),
        part(p.k, keys).read(),
        part(p.v, s.value_heads * s.value_size).read(),
        part(p.g, s.value_heads).read(),
        part(p.beta, s.value_heads).read(),
        span.initial,
        part(o, s.value_heads * s.value_size).write(),
        span.last.write(),
        b,
        int(span.count),
        h,
        hv,
        key,
        value,
        float(p.scale()),
        map_arg(p.convention.head_map),
        layout_arg(p.convention.state),
        int(0),
    ];
    let grid = Grid::of([s.value_heads, s.sequences, 1], s.value_size);
    t.launch("gdn_recurrent_f32", grid, &args)
}

pub fn recurrent(t: &mut Trial<'_>) -> Outcome {
    let convention = asked(t);
    let p = problem(t, convention)?;
    let [o, last] = p.results(t)?;
    let all = Span {
        first: 0,
        count: p.sizes.tokens,
        initial: p.initial(),
        last,
    };
    launch_recurrent(t, &p, o, all)?;
    p.check(t, o, last)
}

pub fn chained(t: &mut Trial<'_>) -> Outcome {
    let convention = asked(t);
    let p = problem(t, convention)?;
    let [o, last] = p.results(t)?;
    let between = t.output("state between", states(p.sizes, p.convention.state))?;
    let first = t.dim("first").min(p.sizes.tokens);
    let spans = [
        (0, first, p.initial(), between),
        (first, p.sizes.tokens - first, between.read(), last),
    ];
    for (first, count, initial, last) in spans {
        launch_recurrent(
            t,
            &p,
            o,
            Span {
                first,
                count,
                initial,
                last,
            },
        )?;
    }
    p.check(t, o, last)
}

pub fn decode(t: &mut Trial<'_>) -> Outcome {
    let convention = asked(t);
    let p = problem(t, convention)?;
    let [o, last] = p.results(t)?;
    let other = t.output("other state", states(p.sizes, p.convention.state))?;
    let mut initial = p.initial();
    for token in 0..p.sizes.tokens {
        // The last token writes `last`; those before alternate.
        let left = p.sizes.tokens - 1 - token;
        let into = if left.is_multiple_of(2) { last } else { other };
        launch_recurrent(
            t,
            &p,
            o,
            Span {
                first: token,
                count: 1,
                initial,
                last: into,
            },
        )?;
        initial = into.read();
    }
    p.check(t, o, last)
}
