use half::{bf16, f16};

use super::*;
use crate::tensor::{decode, encode, with_element};

#[test]
fn poison_is_a_signalling_nan_as_every_float_and_beyond_every_index() {
    for kind in ElementKind::ALL {
        let mut bytes = vec![0; 3 * kind.size()];
        fill(kind, &mut bytes);
        with_element!(kind, E => {
            let values = decode::<E>(&bytes);
            assert_eq!(values.len(), 3);
            assert!(values.iter().all(|&value| is_left(value)), "{kind:?}");
            assert_eq!(encode(&[element::<E>()]), bytes[..kind.size()]);
            assert!(values.iter().all(|&value| source(value) == Some(Poison::Memory)));
        });
        let value = kind.value(&bytes);
        let absurd = match kind {
            ElementKind::I64 => value < -2e16,
            ElementKind::I32 => value < -5e6,
            ElementKind::U32 => value > 4e9,
            ElementKind::U16 => value > 65e3,
            // A byte has no value beyond every index.
            ElementKind::I8 | ElementKind::U8 => true,
            _ => value.is_nan() && pattern(kind) & quiet(kind) == 0,
        };
        assert!(absurd, "{kind:?}: {value}");
    }
}

#[test]
fn poison_of_an_f64_is_nan_as_two_f32_too() {
    let mut bytes = vec![0; 16];
    fill(ElementKind::F64, &mut bytes);
    assert!(decode::<f32>(&bytes).iter().all(|value| value.is_nan()));
}

#[test]
fn a_quieted_poison_is_told_but_not_left() {
    let quiet = f32::from_bits(POISON | 1 << 22);
    assert!(!is_left(quiet));
    assert_eq!(source(quiet), Some(Poison::Memory));
    assert_eq!(source(-quiet), Some(Poison::Memory));
    assert_eq!(source(f32::NAN), None);
    assert_eq!(source(f32::INFINITY), None);
    assert_eq!(source(0f32), None);
    let quiet = f64::from_bits(POISON_F64 | 1 << 51);
    assert!(!is_left(quiet) && source(-quiet) == Some(Poison::Memory));
    assert_eq!(source(f64::NAN), None);
    let quiet = f16::from_bits(0xFEAD);
    assert!(!is_left(quiet) && source(quiet) == Some(Poison::Memory));
}

/// The poison of registers, LDS and scratch must be recognised in outputs as it is, after arithmetic, and after
/// conversions.
#[test]
fn every_poison_is_known_in_every_type_and_after_conversions() {
    for poison in Poison::ALL {
        let (word, half) = (poison.word(), poison.half());
        let single = f32::from_bits(word);
        let known = Some(poison);
        assert_eq!(source(single), known);
        assert_eq!(source(-(single + 1.0)), known, "computed with");
        assert_eq!(source(word as i32), known);
        assert_eq!(source(half), known, "16 bits");
        assert_eq!(source(f16::from_bits(half)), known);
        assert_eq!(source(bf16::from_bits(half)), known);
        let pair = u64::from(word) << 32 | u64::from(word);
        assert_eq!(source(f64::from_bits(pair)), known, "a pair of registers");
        assert_eq!(source(f64::from(single)), known, "widened");
        assert_eq!(source(f16::from_f32(single)), known, "narrowed");
        assert_eq!(source(bf16::from_f32(single)), known, "narrowed");
        let rounded = (word | 1 << 22).wrapping_add(0x8000) >> 16;
        assert_eq!(source(bf16::from_bits(rounded as u16)), known);
        let widened = f32::from_bits(u32::from(half) << 16) * 2.0;
        assert_eq!(source(widened), known, "bf16 in f32");
        assert_eq!(source(f16::from_bits(half).to_f32()), known, "f16 in f32");
    }
}
