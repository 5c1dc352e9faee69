//! Tests of address patterns against single lanes.

use super::super::super::words::Words;
use super::{LANES, Lanes, Relaxed, Words as _, gather_narrow, gather_wide, store_run};

/// Tests every pattern, whole and broken in one lane, against one load per lane.
fn patterns_of<const N: usize>() {
    let words = Words::try_new(4 * 20_000).expect("memory");
    for (word, n) in words.iter().zip(0..) {
        word.store(n * 7919, Relaxed);
    }
    let plain: Vec<u32> = words.iter().map(|w| w.load(Relaxed)).collect();
    let n = N as u32;
    let patterns: [&dyn Fn(u32) -> u32; 8] = [
        &|l| n * l,
        &|l| n * l + 1,
        &|_| 17,
        &|l| l / 16 * 1000,
        &|l| l % 16 * 3,
        &|l| 63 - l,
        &|l| l * 77,
        &|l| l ^ 1,
    ];
    for pattern in patterns {
        for broken in 0..=LANES {
            let last = 19_999 - n;
            let offsets: Lanes =
                std::array::from_fn(|l| 4 * if l == broken { last } else { pattern(l as u32) });
            let expected: [Lanes; N] =
                std::array::from_fn(|k| offsets.map(|at| plain[at as usize / 4 + k]));
            let mut out = [[0; LANES]; N];
            gather_wide::<16, N, _>(&words[..], &offsets, &mut out);
            assert_eq!(out, expected);
            gather_wide::<16, N, _>(&plain[..], &offsets, &mut out);
            assert_eq!(out, expected);
        }
    }
}

#[test]
fn patterns_load_what_single_lanes_load() {
    patterns_of::<1>();
    patterns_of::<2>();
    patterns_of::<3>();
    patterns_of::<4>();
}

#[test]
fn narrow_patterns_load_what_single_lanes_load() {
    let plain: Vec<u32> = (0..200).map(|n: u32| n.wrapping_mul(0x9e37_79b9)).collect();
    let byte = |at: u32| plain[at as usize / 4] >> (at % 4 * 8);
    for bytes in [1, 2] {
        for first in [0, 1, 2, 3, 4, 5, 6, 7, 200, 640, 668, 736] {
            let first = first / bytes * bytes;
            for broken in 0..=LANES {
                let offset = |l| first + bytes * l;
                let offsets: Lanes =
                    std::array::from_fn(|l| if l == broken { 8 } else { offset(l as u32) });
                if offsets.iter().any(|&at| at + bytes > 800) {
                    continue;
                }
                let mut out = [0; LANES];
                gather_narrow(&plain[..], &offsets, bytes.into(), &mut out);
                let mask = u32::MAX >> (32 - 8 * bytes);
                assert_eq!(out.map(|x| x & mask), offsets.map(|at| byte(at) & mask));
            }
        }
    }
}

fn a_run_of<const N: usize>() {
    let words = Words::try_new(4 * (16 + 64 * N as u64)).expect("memory");
    for (word, n) in words.iter().zip(0..) {
        word.store(n, Relaxed);
    }
    let mut out = [[0; LANES]; N];
    assert!(words[..].copy::<16, N>(16, &mut out));
    assert!(
        out.as_flattened()
            .iter()
            .copied()
            .eq(16..16 + 64 * N as u32)
    );
    assert!(!words[..].copy::<16, N>(17, &mut out));
    let rows: [Lanes; N] = std::array::from_fn(|k| [5 + k as u32; LANES]);
    store_run::<16, N>(&words[16..], rows.each_ref());
    for (word, n) in words.iter().zip(0..) {
        let expected = if n < 16 { n } else { 5 + (n - 16) % N as u32 };
        assert_eq!(word.load(Relaxed), expected);
    }
}

#[test]
fn a_run_that_ends_with_the_words_is_loaded_and_stored() {
    a_run_of::<1>();
    a_run_of::<2>();
    a_run_of::<3>();
    a_run_of::<4>();
}
