//! fused_qkvzba_split: copies of bf16.

use deltanet_reference::gdr::split::{SplitSizes, qkvzba_split};

use super::super::Function;
use crate::compare::ElementKind::Bf16;
use crate::tensor::Distribution::Normal;
use crate::trial::{Data, Grid, Outcome, Trial, axes, int};

/// The split.
pub const FUNCTIONS: &[Function] = &[Function {
    name: "gdr_qkvzba_split",
    title: "projections by key head to one tensor a kind",
    kernels: &["gdr_qkvzba_split_bf16"],
    // r value heads belong to each of H key heads.
    dims: &["B", "H", "r", "DK", "DV"],
    integers: &[],
    words: &[],
    outputs: &["mixed_qkv", "z", "b", "a"],
    largest: &[&["B", "H", "DK"], &["B", "H", "r", "DV"]],
    run: split,
}];

fn split(t: &mut Trial<'_>) -> Outcome {
    let [b, h, r, dk, dv] = ["B", "H", "r", "DK", "DV"].map(|name| t.dim(name));
    let hv = h * r;
    let sizes = SplitSizes {
        key_heads: h,
        value_heads: hv,
        key_size: dk,
        value_size: dv,
    };
    let rows = |width: usize| axes([("token", b), ("element", width)]);
    let qkvz = t.input_as(Bf16, "mixed_qkvz", rows(sizes.qkvz()), Normal(1.0))?;
    let ba = t.input_as(Bf16, "mixed_ba", rows(2 * hv), Normal(1.0))?;
    let qkv = t.output_as(Bf16, "mixed_qkv", rows(2 * h * dk + hv * dv))?;
    let z = t.output_as(
        Bf16,
        "z",
        axes([("token", b), ("head", hv), ("value channel", dv)]),
    )?;
    let per_head = || axes([("token", b), ("head", hv)]);
    let beta = t.output_as(Bf16, "b", per_head())?;
    let alpha = t.output_as(Bf16, "a", per_head())?;
    let args = [
        qkvz.read(),
        ba.read(),
        qkv.write(),
        z.write(),
        beta.write(),
        alpha.write(),
        int(b),
        int(h),
        int(hv),
        int(dk),
        int(dv),
    ];
    let items = sizes.qkvz() + 2 * hv;
    let grid = Grid::of([items.div_ceil(256), b, 1], 256);
    t.launch("gdr_qkvzba_split_bf16", grid, &args)?;
    let want = qkvzba_split(sizes, t.values(qkvz), t.values(ba));
    t.check_exact(qkv, Data::bf16(want.mixed_qkv))?;
    t.check_exact(z, Data::bf16(want.z))?;
    t.check_exact(beta, Data::bf16(want.b))?;
    t.check_exact(alpha, Data::bf16(want.a))
}
