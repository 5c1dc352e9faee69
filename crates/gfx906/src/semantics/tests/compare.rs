//! Comparisons and classes.

use super::super::*;
use super::*;

const M: Mode = Mode::HIP;

#[test]
fn the_sixteen_conditions() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    // The conditions in the manual's order. Each row says for less, equal, greater and unordered whether the condition holds.
    type Condition = fn(Mode, f32, f32) -> bool;
    let conditions: [(Condition, &str); 16] = [
        (cmp_f_f32, ""),
        (cmp_lt_f32, "<"),
        (cmp_eq_f32, "="),
        (cmp_le_f32, "<="),
        (cmp_gt_f32, ">"),
        (cmp_lg_f32, "<>"),
        (cmp_ge_f32, ">="),
        (cmp_o_f32, "<=>"),
        (cmp_u_f32, "?"),
        (cmp_nge_f32, "<?"),
        (cmp_nlg_f32, "=?"),
        (cmp_ngt_f32, "<=?"),
        (cmp_nle_f32, ">?"),
        (cmp_neq_f32, "<>?"),
        (cmp_nlt_f32, ">=?"),
        (cmp_tru_f32, "<=>?"),
    ];
    let pairs = [
        (1.0, 2.0, '<'),
        (-inf, inf, '<'),
        (0.0, -0.0, '='),
        (inf, inf, '='),
        (2.0, -2.0, '>'),
        (nan, 1.0, '?'),
        (1.0, nan, '?'),
    ];
    for (index, (condition, takes)) in conditions.into_iter().enumerate() {
        for (a, b, relation) in pairs {
            assert_eq!(
                condition(M, a, b),
                takes.contains(relation),
                "condition {index} of {a} and {b}"
            );
        }
    }
}

proptest! {
    #[test]
    fn halves_and_doubles_compare_alike(a in any_f16(), b in any_f16()) {
        let (wide_a, wide_b) = (a.to_f64(), b.to_f64());
        prop_assert_eq!(cmp_lt_f16(M, a, b), cmp_lt_f64(M, wide_a, wide_b));
        prop_assert_eq!(cmp_nle_f16(M, a, b), cmp_nle_f64(M, wide_a, wide_b));
        prop_assert_eq!(cmp_eq_f16(M, a, b), wide_a == wide_b);
        prop_assert_eq!(cmp_ge_f64(M, wide_a, wide_b), wide_a >= wide_b);
    }

    #[test]
    fn integers(a: i32, b: i32, c: u64, d: u64) {
        prop_assert_eq!(cmp_lt_i32(a, b), a < b);
        prop_assert_eq!(cmp_lt_u32(a as u32, b as u32), (a as u32) < b as u32);
        prop_assert_eq!(cmp_ge_i16(a as i16, b as i16), a as i16 >= b as i16);
        prop_assert_eq!(cmp_le_u16(a as u16, b as u16), a as u16 <= b as u16);
        prop_assert_eq!(cmp_gt_i64(c as i64, d as i64), c as i64 > d as i64);
        prop_assert_eq!(cmp_ne_u64(c, d), c != d);
        prop_assert!(cmp_t_i32(a, b) && !cmp_f_u32(a as u32, b as u32) && cmp_eq_u64(c, c));
    }
}

#[test]
fn classes() {
    let values = [
        0x7f80_0001u32,
        0xffc0_0000,
        0xff80_0000,
        0xbf80_0000,
        0x8000_0001,
        0x8000_0000,
        0x0000_0000,
        0x007f_ffff,
        0x0080_0000,
        0x7f80_0000,
    ];
    for (class, bits) in values.into_iter().enumerate() {
        for bit in 0..10 {
            assert_eq!(
                cmp_class_f32(f32::from_bits(bits), 1 << bit),
                bit == class,
                "{bits:08x} {bit}"
            );
        }
    }
    assert!(cmp_class_f64(f64::MIN_POSITIVE / 2.0, 1 << 7));
    assert!(cmp_class_f16(f16::from_bits(0xfc01), 1));
    assert!(cmp_class_f16(f16::NEG_ONE, 0x3ff) && !cmp_class_f16(f16::NEG_ONE, 0x3f7));
}
