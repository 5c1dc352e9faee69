//! Tests that functions for a whole wave agree with the scalar functions, and that a field of the mode which a function does not declare
//! has no effect on it.

use super::super::*;
use super::*;

/// A register of a wave.
type Register = [u32; 64];

/// An argument or a result in the form that it has in a register.
trait InRegister: Copy {
    fn get(lane: u32) -> Self;
    fn put(self) -> u32;
}

macro_rules! in_register {
    ($($ty:ty: |$lane:ident| $get:expr, |$x:ident| $put:expr;)*) => { $(
        impl InRegister for $ty {
            fn get($lane: u32) -> $ty { $get }
            fn put(self) -> u32 { let $x = self; $put }
        }
    )* };
}
in_register! {
    f32: |lane| f32::from_bits(lane), |x| x.to_bits();
    f16: |lane| f16::from_bits(lane as u16), |x| u32::from(x.to_bits());
    [f16; 2]: |lane| [lane, lane >> 16].map(f16::get), |x| x[0].put() | x[1].put() << 16;
    [i16; 2]: |lane| [lane as i16, (lane >> 16) as i16], |x| u32::from(x[0] as u16) | u32::from(x[1] as u16) << 16;
    [u16; 2]: |lane| [lane as u16, (lane >> 16) as u16], |x| u32::from(x[0]) | u32::from(x[1]) << 16;
    u32: |lane| lane, |x| x;
    i32: |lane| lane as i32, |x| x as u32;
    u16: |lane| lane as u16, |x| x.into();
    i16: |lane| lane as i16, |x| u32::from(x as u16);
}

/// A fixed sequence of random words.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        (self.0 >> 32) as u32
    }

    /// Returns a half: a special one, one with few bits set, or any.
    fn half(&mut self) -> u32 {
        const SPECIAL: [u32; 16] = [
            0, 1, 2, 0x03ff, 0x0400, 0x0401, 0x3bff, 0x3c00, 0x3c01, 0x7bff, 0x7c00, 0x7c01,
            0x7e00, 0x7dff, 0x1000, 0x6800,
        ];
        let word = self.next();
        match word >> 29 {
            0 => SPECIAL[(word & 15) as usize] | (word & 16) << 11,
            1 | 2 => word & 0xfc00 | 1 << (word >> 16 & 7),
            _ => word & 0xffff,
        }
    }

    /// Returns a register of halves, or of f32 of moderate magnitude. With `numbers`, no half is a NaN or infinite.
    fn register(&mut self, numbers: bool) -> Register {
        let (floats, small) = (self.next() & 1 != 0, self.next() & 1 != 0);
        std::array::from_fn(|_| {
            let lane = if floats {
                let word = self.next();
                word & 0x807f_ffff | (100 + (word >> 24 & 63)) << 23
            } else {
                self.half() | self.half() << 16
            };
            let special = |half: u32| half & 0x7c00 == 0x7c00;
            match numbers {
                // Magnitudes are below 2, so that no product overflows either.
                true if small => lane & 0xbfff_bfff,
                true if special(lane) || special(lane >> 16) => lane & 0xbbff_bbff,
                _ => lane,
            }
        })
    }
}

/// Returns the widths of vectors that the host has.
fn widths() -> Vec<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        let narrow = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        let wide = narrow
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        [(true, 16), (narrow, 32), (wide, 64)]
            .into_iter()
            .filter_map(|(has, width)| has.then_some(width))
            .collect()
    }
    #[cfg(not(target_arch = "x86_64"))]
    vec![16]
}

/// Returns all modes, with DX10_CLAMP on.
fn modes() -> impl Iterator<Item = u32> {
    (0..0x400).filter(|bits| bits & Mode::DX10_CLAMP != 0)
}

/// Functions that hosts with vector units compute for a whole wave.
const WHOLE: &str = "add_f16 sub_f16 subrev_f16 mul_f16 fma_f16 mad_f16 min_f16 max_f16 min3_f16 max3_f16 med3_f16 fract_f16 trunc_f16 \
     ceil_f16 floor_f16 rndne_f16 pk_fma_f16 pk_add_f16 pk_mul_f16 pk_min_f16 pk_max_f16 dot2_f32_f16 fma_mixlo_f16 fma_mixhi_f16 \
     exp_f16 log_f16 rcp_f16 rsq_f16 sqrt_f16 sin_f16 cos_f16 cvt_f16_f32 cvt_pkrtz_f16_f32 add_f32 sub_f32 subrev_f32 \
     mul_f32 fma_f32 fmac_f32 mad_f32 min_f32 max_f32 min3_f32 max3_f32 med3_f32";

macro_rules! checks {
    ($($test:ident { $($name:ident($($arg:ident: $ty:ty),*);)* })*) => { $(
        #[test]
        fn $test() {
            let mut words = Words(stringify!($test).len() as u64);
            $({
                type Arguments = (Mode, $($ty,)*);
                let mode_fields = <$name as Function<Arguments>>::MODE_FIELDS;
                let mut whole = false;
                for (round, bits) in modes().flat_map(|bits| [(0, bits), (1, bits)]) {
                    // HIP's mode has code of its own, so it is drawn more often.
                    let bits = if words.next() & 3 == 0 { Mode::HIP_BITS } else { bits };
                    $(let $arg = words.register(round == 1);)*
                    let declared_bits = bits & mode_fields | Mode::HIP_BITS & !mode_fields;
                    let want: Register = std::array::from_fn(|l| {
                        $name(Mode::from_bits(declared_bits), $(<$ty>::get($arg[l])),*).put()
                    });
                    let all: Register = std::array::from_fn(|l| {
                        $name(Mode::from_bits(bits), $(<$ty>::get($arg[l])),*).put()
                    });
                    assert_eq!(all, want, "{} depends on more mode fields than it declares: {bits:#x}", stringify!($name));
                    for width in widths() {
                        let mut to = [0; 64];
                        let (mode, sources) = (Mode::from_bits(declared_bits), [$(&$arg),*]);
                        let done = match width {
                            16 => <$name as Function<Arguments>>::compute_wave::<16>(mode, &sources, &mut to),
                            32 => <$name as Function<Arguments>>::compute_wave::<32>(mode, &sources, &mut to),
                            _ => <$name as Function<Arguments>>::compute_wave::<64>(mode, &sources, &mut to),
                        };
                        if done {
                            whole = true;
                            assert_eq!(to, want, "{} of {sources:x?} in {bits:#x} at {width}", stringify!($name));
                        }
                    }
                }
                let name = stringify!($name);
                let expected = WHOLE.split_whitespace().any(|other| other == name);
                assert!(whole == expected || widths() == [16], "{name}: whole waves: {whole}");
            })*
        }
    )* };
}

checks! {
    arithmetic_of_halves {
        add_f16(a: f16, b: f16);
        sub_f16(a: f16, b: f16);
        subrev_f16(a: f16, b: f16);
        mul_f16(a: f16, b: f16);
        fma_f16(a: f16, b: f16, c: f16);
        mad_f16(a: f16, b: f16, c: f16);
        min_f16(a: f16, b: f16);
        max_f16(a: f16, b: f16);
        min3_f16(a: f16, b: f16, c: f16);
        max3_f16(a: f16, b: f16, c: f16);
        med3_f16(a: f16, b: f16, c: f16);
        fract_f16(a: f16);
        frexp_mant_f16(a: f16);
        frexp_exp_i16_f16(a: f16);
        trunc_f16(a: f16);
        ceil_f16(a: f16);
        floor_f16(a: f16);
        rndne_f16(a: f16);
        ldexp_f16(a: f16, by: i16);
        pack_b32_f16(a: f16, b: f16);
    }
    packed_halves {
        pk_fma_f16(a: [f16; 2], b: [f16; 2], c: [f16; 2]);
        pk_add_f16(a: [f16; 2], b: [f16; 2]);
        pk_mul_f16(a: [f16; 2], b: [f16; 2]);
        pk_min_f16(a: [f16; 2], b: [f16; 2]);
        pk_max_f16(a: [f16; 2], b: [f16; 2]);
        dot2_f32_f16(a: [f16; 2], b: [f16; 2], c: f32);
        fma_mix_f32(a: f32, b: f32, c: f32);
        fma_mixlo_f16(a: f32, b: f32, c: f32);
        fma_mixhi_f16(a: f32, b: f32, c: f32);
    }
    transcendentals_of_halves {
        exp_f16(a: f16);
        log_f16(a: f16);
        rcp_f16(a: f16);
        rsq_f16(a: f16);
        sqrt_f16(a: f16);
        sin_f16(a: f16);
        cos_f16(a: f16);
    }
    conversions {
        cvt_f16_f32(a: f32);
        cvt_f32_f16(a: f16);
        cvt_pkrtz_f16_f32(a: f32, b: f32);
        cvt_f16_u16(a: u16);
        cvt_f16_i16(a: i16);
        cvt_u16_f16(a: f16);
        cvt_i16_f16(a: f16);
        cvt_i32_f32(a: f32);
        cvt_u32_f32(a: f32);
        cvt_rpi_i32_f32(a: f32);
        cvt_flr_i32_f32(a: f32);
        cvt_f32_i32(a: i32);
        cvt_f32_u32(a: u32);
        cvt_norm_i16_f16(a: f16);
        cvt_norm_u16_f16(a: f16);
        cvt_pknorm_i16_f16(a: f16, b: f16);
        cvt_pknorm_u16_f16(a: f16, b: f16);
        cvt_pknorm_i16_f32(a: f32, b: f32);
        cvt_pknorm_u16_f32(a: f32, b: f32);
        cvt_pk_u8_f32(a: f32, index: u32, word: u32);
    }
    arithmetic_of_f32 {
        add_f32(a: f32, b: f32);
        sub_f32(a: f32, b: f32);
        subrev_f32(a: f32, b: f32);
        mul_f32(a: f32, b: f32);
        mul_legacy_f32(a: f32, b: f32);
        fma_f32(a: f32, b: f32, c: f32);
        fmac_f32(a: f32, b: f32, c: f32);
        mad_f32(a: f32, b: f32, c: f32);
        mad_legacy_f32(a: f32, b: f32, c: f32);
        min_f32(a: f32, b: f32);
        max_f32(a: f32, b: f32);
        min3_f32(a: f32, b: f32, c: f32);
        max3_f32(a: f32, b: f32, c: f32);
        med3_f32(a: f32, b: f32, c: f32);
        fract_f32(a: f32);
        frexp_mant_f32(a: f32);
        frexp_exp_i32_f32(a: f32);
        trunc_f32(a: f32);
        ceil_f32(a: f32);
        floor_f32(a: f32);
        rndne_f32(a: f32);
        ldexp_f32(a: f32, by: i32);
        cubeid_f32(a: f32, b: f32, c: f32);
        cubesc_f32(a: f32, b: f32, c: f32);
        cubetc_f32(a: f32, b: f32, c: f32);
        cubema_f32(a: f32, b: f32, c: f32);
        exp_f32(a: f32);
        log_f32(a: f32);
        rcp_f32(a: f32);
        rsq_f32(a: f32);
        sqrt_f32(a: f32);
        sin_f32(a: f32);
        cos_f32(a: f32);
    }
}

#[test]
fn permuted_bytes() {
    let mut words = Words(7);
    for _ in 0..1000 {
        let [a, b] = [0, 1].map(|_| std::array::from_fn(|_| words.next()));
        let selector = std::array::from_fn(|_| words.next() & 0x9f0f_0f0f);
        let want: Register = std::array::from_fn(|l| perm_b32(a[l], b[l], selector[l]));
        for width in widths() {
            let (mut to, sources) = ([0; 64], [&a, &b, &selector]);
            let done = match width {
                16 => <perm_b32 as Function<(u32, u32, u32)>>::compute_wave::<16>(
                    Mode::HIP,
                    &sources,
                    &mut to,
                ),
                32 => <perm_b32 as Function<(u32, u32, u32)>>::compute_wave::<32>(
                    Mode::HIP,
                    &sources,
                    &mut to,
                ),
                _ => <perm_b32 as Function<(u32, u32, u32)>>::compute_wave::<64>(
                    Mode::HIP,
                    &sources,
                    &mut to,
                ),
            };
            assert_eq!(done, width > 16);
            assert!(!done || to == want, "{sources:x?} at {width}");
        }
    }
}
