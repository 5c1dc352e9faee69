//! `fused_qkvzba_split`, which only copies bf16.

use deltanet_reference::gdr::split::{SplitSizes, qkvzba_split};

use super::super::Function;
use crate::contract::catalog::{sizes, values};
use crate::contract::{DeviceResult, Domain, Factor, Instance, Mistake, Rule, axes};
use crate::tensor::Data;
use crate::tensor::Distribution::Normal;
use crate::tensor::ElementKind::Bf16;

/// Cases of one token and one value head: `b` and `a` have one element, which may be 0 among tiny values.
const ONE_VALUE_HEAD: Rule = Rule {
    of: &["B", "H", "r", values::NAME],
    says: "B = H = r = 1 with tiny values: an output of one element may be 0",
    breaks: &|case| {
        ["B", "H", "r"].iter().all(|name| case.get(name) == Some(1))
            && case.word(values::NAME) == Some(values::TINY)
    },
};

/// The contract.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_qkvzba_split",
    title: "projections by key head to one tensor a kind",
    formulas: &[
        "mixed_qkv = mixed_qkvz; of a key head it holds q [DK], k [DK], v [r, DV], z [r, DV]; here are all q, then all k, then all v",
        "z = mixed_qkvz; the z of all key heads",
        "b = mixed_ba; of a key head it holds b [r], a [r]; here are the b of all",
        "a = mixed_ba; the a of all key heads",
    ],
    // r value heads belong to each of H key heads.
    dims: &["B", "H", "r", "DK", "DV"],
    outputs: &["mixed_qkv", "z", "b", "a"],
    largest: &[&["B", "H", "DK"], &["B", "H", "r", "DV"]],
    domain: Domain::of(&[
        sizes::SEQUENCES,
        Factor::One("H", &[1, 3, 5, 16]),
        Factor::One("r", &[1, 2, 3, 4]),
        Factor::One("DK", &[1, 16, 33]),
        Factor::One("DV", &[1, 3, 17, 64]),
    ])
    .values(&[(
        values::NAME,
        &[values::ORDINARY, values::TINY, values::INFINITE],
    )])
    .uncomputed(&[ONE_VALUE_HEAD]),
    run: &split,
    ..Function::EMPTY
}];

fn split(t: &mut Instance<'_>) -> DeviceResult {
    let [b, h, r, dk, dv] = ["B", "H", "r", "DK", "DV"].map(|name| t.dim(name));
    let hv = h * r;
    let sizes = SplitSizes {
        key_heads: h,
        value_heads: hv,
        key_size: dk,
        value_size: dv,
    };
    let rows = |width: usize| axes([("token", b), ("element", width)]);
    let qkvz = values::input_as(t, Bf16, ("mixed_qkvz", rows(sizes.qkvz())), Normal(1.0))?;
    let ba = values::input_as(t, Bf16, ("mixed_ba", rows(2 * hv)), Normal(1.0))?;
    let qkv = t.output_as(Bf16, "mixed_qkv", rows(2 * h * dk + hv * dv))?;
    let z = t.output_as(
        Bf16,
        "z",
        axes([("token", b), ("head", hv), ("value channel", dv)]),
    )?;
    let per_head = || axes([("token", b), ("head", hv)]);
    let beta = t.output_as(Bf16, "b", per_head())?;
    let alpha = t.output_as(Bf16, "a", per_head())?;
    let (projected, mixed) = (t.wide(qkvz), t.wide(ba));
    let want = qkvzba_split(sizes, &projected, &mixed);
    let keys = 2 * h * dk;
    let (value_rows, gate_rows) = (hv * dv, want.z.chunks_exact(hv * dv));
    let rows = want
        .mixed_qkv
        .chunks_exact(keys + value_rows)
        .zip(gate_rows);
    let gate_for_value = rows.clone().flat_map(|(qkv, z)| [&qkv[..keys], z].concat());
    let value_for_gate = rows.flat_map(|(qkv, _)| qkv[keys..].to_vec());
    let part = |from: usize, to: usize| -> Vec<f64> {
        let rows = projected.chunks_exact(sizes.qkvz());
        rows.flat_map(|row| row[from..to].to_vec()).collect()
    };
    let exchanged = "v and z are exchanged";
    let side_by_side =
        "the groups of key heads are not seen: all q, all k, all v, all z side by side";
    let outputs = [
        (
            qkv,
            &want.mixed_qkv,
            vec![
                ("z-for-v", exchanged, gate_for_value.collect()),
                ("not-grouped", side_by_side, part(0, keys + value_rows)),
            ],
        ),
        (
            z,
            &want.z,
            vec![
                ("v-for-z", exchanged, value_for_gate.collect()),
                (
                    "not-grouped",
                    side_by_side,
                    part(keys + value_rows, sizes.qkvz()),
                ),
            ],
        ),
        (
            beta,
            &want.b,
            vec![("a-for-b", "b and a are exchanged", want.a.clone())],
        ),
        (
            alpha,
            &want.a,
            vec![("b-for-a", "b and a are exchanged", want.b.clone())],
        ),
    ];
    for (buffer, right, known) in outputs {
        let known = known
            .into_iter()
            .map(|(name, explanation, values): (_, _, Vec<f64>)| {
                Mistake::new(name, explanation, move || values.clone())
            });
        let known = known.collect();
        t.check_or(buffer, (Data::nearest(Bf16, right), right.clone()), known)?;
    }
    Ok(())
}
