//! The readers of files: damaged files of each format give complaints, and end nothing. Fuzz targets call the same functions.

#[path = "../../fuzz/src/files.rs"]
mod files;

use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use files::READERS;

/// Damaged files that are tried for each good one.
const DAMAGED: usize = 60;

/// Pieces that readers may take for something else.
const PIECES: [&[u8]; 14] = [
    b"-1",
    b"18446744073709551616",
    b"1e400",
    b"nan",
    b"\"",
    b"[[[[[[[[",
    b"}}",
    b"\\u0000",
    b"\xff",
    b"T * 4294967296",
    b"\n[[binding]]\n",
    b"= {",
    "\u{9b}2J".as_bytes(),
    "\u{202e}".as_bytes(),
];

/// Returns a file with one to three kinds of damage.
fn damaged(good: &[u8], draws: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = good.to_vec();
    for _ in 0..draws.random_range(1..=3) {
        let at = draws.random_range(0..=bytes.len());
        let end = (at + draws.random_range(0..40)).min(bytes.len());
        match draws.random_range(0..4) {
            0 => drop(bytes.drain(at..end)),
            1 => bytes.truncate(at),
            2 => {
                let piece = bytes[at..end].repeat(3);
                bytes.splice(at..end, piece).for_each(drop);
            }
            _ => {
                let piece = PIECES[draws.random_range(0..PIECES.len())];
                bytes
                    .splice(at..end.min(at + 2), piece.iter().copied())
                    .for_each(drop);
            }
        }
    }
    bytes
}

#[test]
fn damaged_files_give_complaints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for reader in READERS {
        for seed in reader.seeds {
            let good = std::fs::read(root.join(seed)).expect(seed);
            let mut draws = ChaCha8Rng::seed_from_u64(good.len() as u64);
            (reader.read)(&good);
            for number in 0..DAMAGED {
                let bytes = damaged(&good, &mut draws);
                let ended = std::panic::catch_unwind(|| (reader.read)(&bytes));
                let text = String::from_utf8_lossy(&bytes);
                assert!(
                    ended.is_ok(),
                    "{}, damaged file {number} of {seed}:\n{text}",
                    reader.name
                );
            }
        }
    }
}
