//! fused_qkvzba_split: splits the projections of a token, which are laid out by key head, into one tensor per kind.

use crate::shape;

/// Numbers and sizes of heads. `HV / H` value heads belong to each key head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitSizes {
    /// Key heads, H.
    pub key_heads: usize,
    /// Value heads, HV, a multiple of H.
    pub value_heads: usize,
    /// Channels of a query or key head, DK.
    pub key_size: usize,
    /// Channels of a value head, DV.
    pub value_size: usize,
}

/// Results of the split, with a row for each of B tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<T> {
    /// All q, then all k, then all v, `[B, 2 H DK + HV DV]`.
    pub mixed_qkv: Vec<T>,
    /// Inputs of the output gates, `[B, HV DV]`.
    pub z: Vec<T>,
    /// Inputs of the write strengths, `[B, HV]`.
    pub b: Vec<T>,
    /// Inputs of the gates, `[B, HV]`.
    pub a: Vec<T>,
}

impl SplitSizes {
    /// Returns the elements of a row of `mixed_qkvz`: `H (2 DK + 2 r DV)`.
    #[must_use]
    pub fn qkvz(&self) -> usize {
        2 * (self.key_heads * self.key_size + self.value_heads * self.value_size)
    }
}

/// Splits `mixed_qkvz`, `[B, H (2 DK + 2 r DV)]`, which has `[q DK | k DK | v r DV | z r DV]` for each key head, and `mixed_ba`, `[B, H 2 r]`,
/// which has `[b r | a r]` for each key head; `r` is `HV / H`. Elements of any type are copied (`gdr_qkvzba_split_bf16`).
///
/// Panics if the value heads are not a multiple of the key heads.
#[must_use]
pub fn qkvzba_split<T: Copy>(sizes: SplitSizes, mixed_qkvz: &[T], mixed_ba: &[T]) -> Split<T> {
    let SplitSizes {
        key_heads,
        value_heads,
        key_size,
        value_size,
    } = sizes;
    let r = value_heads / key_heads;
    shape::expect("qkvzba_split", "value heads", value_heads, &[key_heads, r]);
    let tokens = mixed_ba.len() / (2 * value_heads);
    shape::expect(
        "qkvzba_split",
        "mixed_qkvz",
        mixed_qkvz.len(),
        &[tokens, sizes.qkvz()],
    );
    shape::expect(
        "qkvzba_split",
        "mixed_ba",
        mixed_ba.len(),
        &[tokens, 2 * value_heads],
    );
    let mut split = Split {
        mixed_qkv: Vec::new(),
        z: Vec::new(),
        b: Vec::new(),
        a: Vec::new(),
    };
    let rows = mixed_qkvz.chunks_exact(sizes.qkvz());
    for (qkvz, ba) in rows.zip(mixed_ba.chunks_exact(2 * value_heads)) {
        let [mut q, mut k, mut v] = [const { Vec::<T>::new() }; 3];
        let groups = qkvz.chunks_exact(sizes.qkvz() / key_heads);
        for group in groups {
            let (group_q, rest) = group.split_at(key_size);
            let (group_k, rest) = rest.split_at(key_size);
            let (group_v, group_z) = rest.split_at(r * value_size);
            q.extend_from_slice(group_q);
            k.extend_from_slice(group_k);
            v.extend_from_slice(group_v);
            split.z.extend_from_slice(group_z);
        }
        split.mixed_qkv.extend([q, k, v].concat());
        for group in ba.chunks_exact(2 * r) {
            let (group_b, group_a) = group.split_at(r);
            split.b.extend_from_slice(group_b);
            split.a.extend_from_slice(group_a);
        }
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        // Two key heads have one channel each, and each has two value heads of two channels: per group q, k, v0 v0 v1 v1, z0 z0 z1 z1.
        let sizes = SplitSizes {
            key_heads: 2,
            value_heads: 4,
            key_size: 1,
            value_size: 2,
        };
        assert_eq!(sizes.qkvz(), 20);
        let qkvz = [
            100, 110, 120, 121, 122, 123, 130, 131, 132, 133, 200, 210, 220, 221, 222, 223, 230,
            231, 232, 233u16,
        ];
        let ba = [140, 141, 150, 151, 240, 241, 250, 251];
        let split = qkvzba_split(sizes, &qkvz, &ba);
        assert_eq!(
            split.mixed_qkv,
            [100, 200, 110, 210, 120, 121, 122, 123, 220, 221, 222, 223]
        );
        assert_eq!(split.z, [130, 131, 132, 133, 230, 231, 232, 233]);
        assert_eq!(split.b, [140, 141, 240, 241]);
        assert_eq!(split.a, [150, 151, 250, 251]);
    }

    #[test]
    fn every_element_goes_to_one_place() {
        let sizes = SplitSizes {
            key_heads: 3,
            value_heads: 6,
            key_size: 5,
            value_size: 4,
        };
        let tokens = 3;
        let qkvz: Vec<usize> = (0..tokens * sizes.qkvz()).collect();
        let ba: Vec<usize> = (0..tokens * 12).map(|x| 10_000 + x).collect();
        let split = qkvzba_split(sizes, &qkvz, &ba);
        let mut seen = [split.mixed_qkv, split.z, split.b, split.a].concat();
        seen.sort_unstable();
        assert_eq!(seen, [qkvz, ba].concat());
    }
}
