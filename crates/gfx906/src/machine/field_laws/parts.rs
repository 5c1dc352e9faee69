//! Laws for fields that select a part of a register, and for the output multiplier.

use super::super::level::Level;
use super::super::registers::LANES;
use super::super::trap::TrapKind;
use super::bench::Bench;

/// First word of v_add_u32_sdwa v2, v1, v3.
const FIRST: u32 = 0x6804_06f9;

/// Returns a byte, a word or the whole of a dword, extended.
fn part(x: u32, select: u32, signed: bool) -> i64 {
    let bytes = x.to_le_bytes();
    let at = select as usize;
    match (select, signed) {
        (0..=3, false) => bytes[at].into(),
        (0..=3, true) => (bytes[at] as i8).into(),
        (4..=5, false) => u16::from_le_bytes([bytes[2 * at - 8], bytes[2 * at - 7]]).into(),
        (4..=5, true) => i16::from_le_bytes([bytes[2 * at - 8], bytes[2 * at - 7]]).into(),
        _ => x.into(),
    }
}

/// Tests an addition with selects for (first source, second source, destination, unused bits).
fn sdwa(selects: [u32; 4], signs: [bool; 2], level: Level) -> Result<(), TrapKind> {
    let [src0, src1, dst, unused] = selects;
    let mut bench = Bench::new();
    bench.wave.v[2] = std::array::from_fn(|l| 0x0123_4567 ^ l as u32);
    bench.wave.v[3] = std::array::from_fn(|l| super::bench::value(l as u32 + 99));
    let (a, b, old) = (bench.lanes(1), bench.lanes(3), bench.lanes(2));
    let [sext0, sext1] = signs.map(u32::from);
    let second = 1 | dst << 8 | unused << 11 | src0 << 16 | sext0 << 19 | src1 << 24 | sext1 << 27;
    bench.run(&[FIRST, second], level)?;
    let after = bench.lanes(2);
    for l in 0..LANES {
        let sum = (part(a[l], src0, signs[0]) + part(b[l], src1, signs[1])) as u32;
        let (width, at) = match dst {
            0..=3 => (1, dst as usize),
            4..=5 => (2, 2 * (dst as usize - 4)),
            _ => (4, 0),
        };
        let result = &sum.to_le_bytes()[..width];
        let mut want = match unused {
            2 => old[l].to_le_bytes(),
            _ => [0; 4],
        };
        if unused == 1 && result[width - 1] >= 0x80 {
            want[at + width..].fill(0xff);
        }
        want[at..at + width].copy_from_slice(result);
        assert_eq!(
            after[l].to_le_bytes(),
            want,
            "selects {selects:?}, lane {l}"
        );
    }
    Ok(())
}

pub fn src0_sel(select: u32, level: Level) -> Result<(), TrapKind> {
    sdwa([select, 6, 6, 0], [false, false], level)?;
    sdwa([select, 5, 6, 0], [true, false], level)
}

pub fn src1_sel(select: u32, level: Level) -> Result<(), TrapKind> {
    sdwa([6, select, 6, 0], [false, false], level)?;
    sdwa([1, select, 6, 0], [false, true], level)
}

pub fn dst_sel(select: u32, level: Level) -> Result<(), TrapKind> {
    (0..3).try_for_each(|unused| sdwa([6, 6, select, unused], [false, false], level))
}

pub fn dst_unused(unused: u32, level: Level) -> Result<(), TrapKind> {
    (0..7).try_for_each(|select| sdwa([6, 6, select, unused], [false, false], level))
}

/// Tests v_add_f32_e64 v2, v1, v3 in a mode that flushes, in which the multiplier has an effect.
pub fn omod(by: u32, level: Level) -> Result<(), TrapKind> {
    let mut bench = Bench::new();
    bench.wave.set_mode_bits(0x100);
    let (a, b) = (|l: usize| l as f32 * 0.75 - 9.0, |l: usize| 3.0 - l as f32);
    bench.wave.v[1] = std::array::from_fn(|l| a(l).to_bits());
    bench.wave.v[3] = std::array::from_fn(|l| b(l).to_bits());
    bench.run(&[0xd101_0002, 0x0002_0701 | by << 27], level)?;
    for (l, &x) in bench.lanes(2).iter().enumerate() {
        let factor = [1.0, 2.0, 4.0, 0.5][by as usize];
        assert_eq!(
            f32::from_bits(x),
            (a(l) + b(l)) * factor,
            "omod {by}, lane {l}"
        );
    }
    Ok(())
}
