//! Programs whose slices are known.

use super::{History, Leaf, Slice};
use crate::machine::rig::{MEMORY, run};

/// Runs a program, and returns the slice of some bytes of memory.
fn slice(words: &str, at: u64, bytes: u64) -> Slice {
    let mut history = History::default();
    assert_eq!(run(words, 1, |_| (), &mut history), None);
    let mut slice = history.slice(MEMORY + at, bytes);
    history.begin_values(&slice);
    assert_eq!(run(words, 1, |_| (), &mut history), None);
    history.give_values(&mut slice);
    slice
}

/// Returns the bytes of memory that a slice starts from: offset and number; other leaves as text.
fn inputs(slice: &Slice) -> (Vec<(u64, u64)>, Vec<String>) {
    let mut memory = Vec::new();
    let mut others = Vec::new();
    for leaf in &slice.leaves {
        match &leaf.leaf {
            Leaf::Memory { address, bytes } => memory.push((address - MEMORY, *bytes)),
            Leaf::Register { name, set } => others.push(format!("{name} {set}")),
            other => others.push(format!("{other:?}")),
        }
    }
    memory.sort_unstable();
    others.sort_unstable();
    (memory, others)
}

fn texts(slice: &Slice) -> Vec<(String, u64, u64)> {
    let nodes = slice.nodes.iter();
    let nodes = nodes.map(|node| (node.site.text.clone(), node.runs, node.values));
    nodes.collect()
}

/// ```text
/// v_lshlrev_b32 v5, 2, v0
/// global_load_dword v1, v5, s[0:1]
/// s_waitcnt vmcnt(0)
/// v_mul_f32 v1, 2.0, v1
/// s_nop 1
/// v_add_f32_dpp v2, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0
/// v_readlane_b32 s4, v2, 8
/// v_mov_b32 v3, s4
/// global_store_dword v5, v3, s[0:1] offset:1024
/// ```
const SUM: &str = "240a0082 dc508000 01000005 bf8c0f70 0a0202f4 bf800001 020402fa ff091101 d2890004 00011102 7e060204 \
    dc708400 00000305";

#[test]
fn lanes_are_followed_through_dpp_and_scalars() {
    let slice = slice(SUM, 1024 + 4 * 40, 4);
    assert_eq!(inputs(&slice), (vec![(4 * 7, 8)], vec![]));
    let node = |text: &str, values| (text.to_owned(), 1, values);
    assert_eq!(
        texts(&slice),
        [
            node("global_store_dword v5, v3, s[0:1] offset:1024", 1),
            node("v_mov_b32_e32 v3, s4", 1),
            node("v_readlane_b32 s4, v2, 8", 1),
            node(
                "v_add_f32_dpp v2, v1, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
                1
            ),
            node("v_mul_f32_e32 v1, 2.0, v1", 2),
            node("global_load_dword v1, v5, s[0:1]", 2),
        ]
    );
    let last = slice
        .nodes
        .last()
        .map(|node| (node.place, node.value.clone()));
    assert_eq!(last, Some((([1, 2, 3], 0, 8), Some("0".into()))));
    let flows: Vec<_> = slice
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    let before = |from: usize| from.checked_sub(1);
    assert_eq!(flows, [0, 1, 2, 3, 4, 5].map(|from| (from, before(from))));
}

/// ```text
/// v_lshlrev_b32 v5, 2, v0
/// global_load_dword v1, v5, s[0:1]
/// s_waitcnt vmcnt(0)
/// v_lshlrev_b32 v2, 16, v1
/// v_and_b32 v3, 0xffff0000, v1
/// v_add_f32 v2, 1.0, v2
/// v_add_f32 v3, 1.0, v3
/// s_mov_b32 s4, 0x7060302
/// v_perm_b32 v4, v3, v2, s4
/// global_store_dword v5, v4, s[0:1] offset:1024
/// ```
const BF16: &str = "240a0082 dc508000 01000005 bf8c0f70 24040290 260602ff ffff0000 020404f2 020606f2 be8400ff 07060302 \
    d1ed0004 00120503 dc708400 00000405";

/// ```text
/// v_lshlrev_b32 v5, 2, v0
/// global_load_dword v1, v5, s[0:1]
/// s_waitcnt vmcnt(0)
/// v_pk_add_f16 v2, v1, v1 op_sel:[0,1] op_sel_hi:[1,1]
/// v_cvt_f32_f16_sdwa v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1
/// v_cvt_f32_f16 v4, v2
/// global_store_dword v5, v3, s[0:1] offset:1024
/// global_store_dword v5, v4, s[0:1] offset:2048
/// ```
const F16: &str = "240a0082 dc508000 01000005 bf8c0f70 d38f5002 18020301 7e0616f9 00050602 7e081702 dc708400 00000305 \
    dc708800 00000405";

#[test]
fn halves_are_followed_on_their_own() {
    let bytes = |words, at, bytes| inputs(&slice(words, at, bytes)).0;
    assert_eq!(bytes(BF16, 1024 + 4 * 9, 2), [(4 * 9, 2)]);
    assert_eq!(bytes(BF16, 1026 + 4 * 9, 2), [(4 * 9 + 2, 2)]);
    assert_eq!(bytes(BF16, 1024 + 4 * 9, 4), [(4 * 9, 4)]);
    assert_eq!(bytes(F16, 1024 + 4 * 3, 4), [(4 * 3 + 2, 2)]);
    assert_eq!(bytes(F16, 2048 + 4 * 3, 4), [(4 * 3, 4)]);
}

/// ```text
/// v_lshlrev_b32 v5, 2, v0
/// global_load_dword v1, v5, s[0:1]
/// s_waitcnt vmcnt(0)
/// ds_write_b32 v5, v1
/// v_xor_b32 v6, 0xfc, v5
/// s_waitcnt lgkmcnt(0)
/// ds_read_b32 v2, v6
/// ds_bpermute_b32 v3, v6, v1
/// s_waitcnt lgkmcnt(0)
/// v_cmp_gt_u32 vcc, 32, v0
/// v_cndmask_b32 v4, v2, v3, vcc
/// v_mov_b32 v7, 0
/// global_atomic_add v7, v4, s[0:1] offset:1024
/// global_store_dword v5, v4, s[0:1] offset:2048
/// ```
const EXCHANGED: &str = "240a0082 dc508000 01000005 bf8c0f70 d81a0000 00000105 2a0c0aff 000000fc bf8cc07f d86c0000 02000006 \
    d87e0000 03000106 bf8cc07f 7d9800a0 00080702 7e0e0280 dd088400 00000407 dc708800 00000405";

#[test]
fn values_are_followed_through_lds_exchanges_and_atomics() {
    // The comparison that chooses has the lane's number.
    let one = inputs(&slice(EXCHANGED, 2048 + 4 * 5, 4));
    assert_eq!(one, (vec![(4 * 58, 4)], vec!["v0 true".into()]));
    // The sum has all lanes' values, and the word's own before.
    let slice = slice(EXCHANGED, 1024, 4);
    let (memory, _) = inputs(&slice);
    assert_eq!(memory, [(0, 256), (1024, 4)]);
    assert_eq!(slice.nodes[0].values, 64);
}

#[test]
fn what_nothing_writes_is_its_own_input() {
    let slice = slice(SUM, 4000, 4);
    assert_eq!(inputs(&slice), (vec![(4000, 4)], vec![]));
    assert!(slice.nodes.is_empty() && slice.leaves[0].to.is_none());
}
