//! Indices of sequences of unequal length whose tokens follow one another, in exact integers.
//!
//! `cu`, `[N + 1]`, has the first token of each of N sequences and then the number of tokens. It begins with 0 and never decreases.

/// Returns the length of each sequence, `[N]` (`gdr_prepare_lens_i32`).
#[must_use]
pub fn prepare_lens(cu: &[i32]) -> Vec<i32> {
    cu.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Returns `cu` for sequences of the given lengths, `[N + 1]` (`gdr_cu_seqlens_from_lens_i32`).
#[must_use]
pub fn cu_seqlens_from_lens(lens: &[i32]) -> Vec<i32> {
    running_sums(lens.iter().copied())
}

/// Returns the position of each token in its sequence: `0 .. len - 1`, sequence after sequence (`gdr_prepare_position_ids_i32`).
#[must_use]
pub fn prepare_position_ids(cu: &[i32]) -> Vec<i32> {
    prepare_lens(cu)
        .into_iter()
        .flat_map(|len| 0..len)
        .collect()
}

/// Returns the number of each token's sequence, counted from 0 (`gdr_prepare_sequence_ids_i32`). Sequences without tokens are not counted:
/// the number is that of tokens at position 0 up to this token, less one.
#[must_use]
pub fn prepare_sequence_ids(cu: &[i32]) -> Vec<i32> {
    let begins = prepare_position_ids(cu)
        .into_iter()
        .map(|at| i32::from(at == 0));
    running_sums(begins)
        .into_iter()
        .skip(1)
        .map(|marks| marks - 1)
        .collect()
}

/// Returns the number of chunks before each sequence, and then the number of all chunks, `[N + 1]`: the running sum of `ceil(len / chunk)`
/// (`gdr_prepare_chunk_offsets_i32`).
#[must_use]
pub fn prepare_chunk_offsets(cu: &[i32], chunk: usize) -> Vec<i32> {
    running_sums(chunks(cu, chunk))
}

/// Returns the sequence of each chunk, and the chunk's index in the sequence (`gdr_prepare_chunk_indices_i32`). The sequence is an index
/// into `cu`, so that sequences without a token, which have no chunk, are skipped.
#[must_use]
pub fn prepare_chunk_indices(cu: &[i32], chunk: usize) -> Vec<[i32; 2]> {
    (0..)
        .zip(chunks(cu, chunk))
        .flat_map(|(sequence, count)| (0..count).map(move |chunk| [sequence, chunk]))
        .collect()
}

/// Returns the number of chunks of the longest sequence, `max ceil(len / chunk)`, or 0 without sequences. A grid over the chunks of each
/// sequence needs that extent.
#[must_use]
pub fn max_num_splits(cu: &[i32], chunk: usize) -> i32 {
    chunks(cu, chunk).max().unwrap_or(0)
}

/// Returns `ceil(len / chunk)` for each sequence.
fn chunks(cu: &[i32], chunk: usize) -> impl Iterator<Item = i32> {
    let chunk = i32::try_from(chunk).unwrap_or(i32::MAX);
    assert!(
        chunk > 0,
        "index: a chunk has no token: pass its length, from 1 up"
    );
    prepare_lens(cu)
        .into_iter()
        .map(move |len| len / chunk + i32::from(len % chunk != 0))
}

/// Returns 0, and then for each value the sum of the values up to it.
fn running_sums(values: impl Iterator<Item = i32>) -> Vec<i32> {
    let mut sums = vec![0];
    let mut sum = 0;
    for value in values {
        sum += value;
        sums.push(sum);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the operators' contract.
    #[test]
    fn three_sequences() {
        let cu = [0, 128, 320, 448];
        assert_eq!(prepare_lens(&cu), [128, 192, 128]);
        assert_eq!(cu_seqlens_from_lens(&[128, 192, 128]), cu);
        assert_eq!(prepare_chunk_offsets(&cu, 64), [0, 2, 5, 7]);
        assert_eq!(
            prepare_chunk_indices(&cu, 64),
            [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 0], [2, 1]]
        );
        assert_eq!(max_num_splits(&cu, 64), 3);
        let positions = prepare_position_ids(&cu);
        assert_eq!(
            (
                positions.len(),
                positions[127],
                positions[128],
                positions[319]
            ),
            (448, 127, 0, 191)
        );
        let ids = prepare_sequence_ids(&cu);
        assert_eq!(
            (ids[0], ids[127], ids[128], ids[319], ids[320], ids[447]),
            (0, 0, 1, 1, 2, 2)
        );
    }

    #[test]
    fn empty_sequences() {
        // lengths 0, 2, 0, 0, 3, 0
        let cu = [0, 0, 2, 2, 2, 5, 5];
        assert_eq!(prepare_lens(&cu), [0, 2, 0, 0, 3, 0]);
        assert_eq!(prepare_position_ids(&cu), [0, 1, 0, 1, 2]);
        // Sequences without tokens take no number.
        assert_eq!(prepare_sequence_ids(&cu), [0, 0, 1, 1, 1]);
        assert_eq!(prepare_chunk_offsets(&cu, 2), [0, 0, 1, 1, 1, 3, 3]);
        // The first number is an index into cu.
        assert_eq!(prepare_chunk_indices(&cu, 2), [[1, 0], [4, 0], [4, 1]]);
        assert_eq!(max_num_splits(&cu, 2), 2);
    }

    #[test]
    fn nothing_at_all() {
        assert!(prepare_lens(&[0]).is_empty());
        assert_eq!(cu_seqlens_from_lens(&[]), [0]);
        assert!(prepare_sequence_ids(&[0, 0]).is_empty());
        assert_eq!(max_num_splits(&[0], 64), 0);
        assert_eq!(max_num_splits(&[0, 0], 64), 0);
    }

    #[test]
    fn whole_and_short_chunks() {
        assert_eq!(max_num_splits(&[0, 64], 64), 1);
        assert_eq!(max_num_splits(&[0, 65], 64), 2);
        assert_eq!(prepare_chunk_offsets(&[0, 63, 127, 192], 64), [0, 1, 2, 4]);
    }
}
