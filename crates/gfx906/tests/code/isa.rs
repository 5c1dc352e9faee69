//! The decoder and the disassembler against llvm-mc's texts, and on bytes that are no instructions.

use std::collections::HashSet;

use gfx906::isa::{DecodeError, Form, decode, disassemble, rows};
use proptest::prelude::*;

/// Bytes in memory order and the text of llvm-mc 19, written by `scripts/isa-golden.sh`.
const GOLDEN: &str = include_str!("../data/isa-golden.txt");

fn golden() -> impl Iterator<Item = (Vec<u8>, &'static str)> {
    GOLDEN.lines().map(|line| {
        let (hex, text) = line.split_once(' ').expect("bytes, a space, and a text");
        let bytes = (0..hex.len() / 2)
            .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hex"))
            .collect();
        (bytes, text)
    })
}

#[test]
fn golden_words_disassemble_as_llvm_mc_prints_them() {
    for (bytes, text) in golden() {
        let inst = decode(&bytes).unwrap_or_else(|error| panic!("{bytes:02x?} ({text}): {error}"));
        assert_eq!(disassemble(&inst), text, "{bytes:02x?}");
        assert_eq!(inst.size(), bytes.len(), "{text}");
    }
}

#[test]
fn every_row_has_golden_words_in_every_form() {
    let covered: HashSet<_> = golden()
        .filter_map(|(bytes, _)| decode(&bytes).ok())
        .map(|inst| (inst.encoding, inst.row.opcode, inst.form))
        .collect();
    for (encoding, row) in rows() {
        for form in Form::ALL
            .into_iter()
            .filter(|form| row.has_form(encoding, *form))
        {
            let found = covered.contains(&(encoding, row.opcode, form));
            assert!(
                found,
                "{} has no golden words in its {form:?} form: run scripts/isa-golden.sh",
                row.mnemonic
            );
        }
    }
}

#[test]
fn an_instruction_cut_short_is_truncated_not_invalid() {
    // The first word of v_nop's SDWA and DPP forms is an instruction by itself: v_nop ignores its source.
    for (bytes, text) in golden().filter(|(_, text)| !text.starts_with("v_nop")) {
        for length in 0..bytes.len() {
            assert_eq!(
                decode(&bytes[..length]).err(),
                Some(DecodeError::Truncated),
                "{text} at {length} bytes"
            );
        }
    }
}

#[test]
fn what_follows_an_instruction_does_not_change_it() {
    for (bytes, text) in golden() {
        for filler in [0x00, 0xff] {
            let mut longer = bytes.clone();
            longer.resize(16, filler);
            assert_eq!(
                decode(&longer).map(|inst| inst.size()),
                Ok(bytes.len()),
                "{text}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn any_bytes_decode_or_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..12)) {
        if let Ok(inst) = decode(&bytes) {
            prop_assert!(inst.size() <= bytes.len());
            prop_assert!(!disassemble(&inst).is_empty());
        }
    }
}
