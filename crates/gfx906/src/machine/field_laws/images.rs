//! Laws for fields of image instructions, of image resources and of samplers.

use super::super::level::Level;
use super::super::registers::LANES;
use super::super::trap::TrapKind;
use super::bench::{Bench, MEMORY};
use super::buffers::{element, expect, filled};

/// Size of the image.
const SIDES: [u32; 3] = [8, 4, 2];
/// Distance between rows in texels.
const PITCH: u32 = 16;
/// Selects that keep the order of the components.
const IN_ORDER: u32 = 0xfac;
/// Formats: four bytes as integers, and a float.
const BYTES_4: u32 = 10 | 4 << 6;
const FLOAT: u32 = 4 | 7 << 6;
/// Types of an image: a plane, and planes.
const PLANE: u32 = 9;
const CUBE: u32 = 10;

/// Sets s[8:15] to an image with a format, selects and a type.
fn resource(bench: &mut Bench, format: u32, select: u32, kind: u32) {
    let [width, height, depth] = SIDES.map(|side| side - 1);
    let words = [
        (MEMORY >> 8) as u32,
        (MEMORY >> 40) as u32 | format << 20,
        width | height << 14,
        select | kind << 28,
        depth | (PITCH - 1) << 13,
        0,
        0,
        0,
    ];
    bench.wave.s[8..16].copy_from_slice(&words);
}

/// Runs image_load v[8:11], v2, s[8:15] with additional bits in the first word.
fn load(bench: &mut Bench, more: u32, level: Level) -> Result<(), TrapKind> {
    bench.run(&[0xf000_1000 | more, 0x0002_0802], level)
}

/// Runs image_sample_lz v[8:11], v2, s[8:15], s[16:19] dmask:0xf unorm.
fn sample(bench: &mut Bench, words: [u32; 4], level: Level) -> Result<(), TrapKind> {
    bench.wave.s[16..20].copy_from_slice(&words);
    bench.run(&[0xf09c_1f00, 0x0082_0802], level)
}

/// Returns the texel of a lane. The lanes count through all texels.
fn place(l: usize) -> [u32; 3] {
    let l = l as u32;
    [l % 8, l / 8 % 4, l / 32]
}

/// Sets v[2:4] to the numbers of the lanes' texels.
fn numbers(bench: &mut Bench) {
    for side in 0..3 {
        bench.wave.v[2 + side] = std::array::from_fn(|l| place(l)[side]);
    }
}

/// Sets v[2:4] to coordinates.
fn coordinates(bench: &mut Bench, at: impl Fn(usize) -> [f32; 3]) {
    for side in 0..3 {
        bench.wave.v[2 + side] = std::array::from_fn(|l| at(l)[side].to_bits());
    }
}

/// Returns the offset of a texel's first byte.
fn offset([x, y, z]: [u32; 3], bytes: u32) -> usize {
    (((z * SIDES[1] + y) * PITCH + x) * bytes) as usize
}

fn float(bytes: &[u8], at: [u32; 3]) -> f32 {
    let at = offset(at, 4);
    f32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

pub fn dmask(dmask: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    resource(&mut bench, BYTES_4, IN_ORDER, PLANE);
    numbers(&mut bench);
    let registers: Vec<[u32; LANES]> = (8..12).map(|v| bench.lanes(v)).collect();
    let before = |l: usize| -> [u32; 4] { std::array::from_fn(|n| registers[n][l]) };
    load(&mut bench, dmask << 8, level)?;
    for l in 0..LANES {
        let [x, y, _] = place(l);
        let texel = &bytes[offset([x, y, 0], 4)..];
        let some = (0..4).filter(|n| dmask >> n & 1 != 0);
        let mut want = before(l);
        for (register, n) in some.enumerate() {
            want[register] = texel[n].into();
        }
        expect(&bench, l, want, &format!("dmask {dmask:#x}"));
    }
    Ok(())
}

pub fn format(format: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    resource(&mut bench, format, IN_ORDER, PLANE);
    numbers(&mut bench);
    load(&mut bench, 0xf00, level)?;
    // The format in the numbering of buffers.
    let format = format & 15 | (format >> 6) << 4;
    let sizes = [0, 1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 8, 8, 12, 16, 0];
    for l in 0..LANES {
        let [x, y, _] = place(l);
        let at = offset([x, y, 0], sizes[format as usize & 15]);
        let want = element(&bytes[at..], format);
        expect(&bench, l, want, &format!("image format {format:#x}"));
    }
    Ok(())
}

/// Tests the select in each position, with the others set to 1.
pub fn select(select: u32, level: Level) -> Result<(), TrapKind> {
    for place_of in 0..4 {
        let (mut bench, bytes) = filled();
        let selects: [u32; 4] = std::array::from_fn(|k| if k == place_of { select } else { 1 });
        let word = (0..4).map(|k| selects[k] << (3 * k)).sum();
        resource(&mut bench, BYTES_4, word, PLANE);
        numbers(&mut bench);
        load(&mut bench, 0xf00, level)?;
        for l in 0..LANES {
            let [x, y, _] = place(l);
            let texel = &bytes[offset([x, y, 0], 4)..];
            let want = selects.map(|s| match s {
                0 | 1 => s,
                _ => texel[s as usize - 4].into(),
            });
            expect(&bench, l, want, &format!("select {select} at {place_of}"));
        }
    }
    Ok(())
}

/// Checks the coordinates of each image type, and the array element, which follows the coordinates where the instruction declares an array.
pub fn kind(kind: u32, level: Level) -> Result<(), TrapKind> {
    for array in [0, 1] {
        let (mut bench, bytes) = filled();
        resource(&mut bench, BYTES_4, IN_ORDER, kind);
        numbers(&mut bench);
        load(&mut bench, 0xf00 | array << 14, level)?;
        for l in 0..LANES {
            let [x, y, z] = place(l);
            // A row of an array of rows follows the one before.
            let (at, inside) = match (kind, array) {
                (8, _) | (12, 0) => ([x, 0, 0], true),
                (9, _) | (13, 0) => ([x, y, 0], true),
                (12, _) => ([x, y, 0], y < SIDES[2]),
                _ => ([x, y, z], true),
            };
            let texel = &bytes[offset(at, 4)..];
            let want = std::array::from_fn(|n| if inside { texel[n].into() } else { 0 });
            expect(&bench, l, want, &format!("type {kind}, array {array}"));
        }
    }
    Ok(())
}

/// Runs a load through a resource with additional bits in one word.
fn with_bits(word: usize, bits: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    resource(&mut bench, BYTES_4, IN_ORDER, PLANE);
    bench.wave.s[8 + word] |= bits;
    numbers(&mut bench);
    load(&mut bench, 0xf00, level)?;
    for l in 0..LANES {
        let [x, y, _] = place(l);
        let texel = &bytes[offset([x, y, 0], 4)..];
        let want = std::array::from_fn(|n| texel[n].into());
        expect(&bench, l, want, &format!("word {word}, bits {bits:#x}"));
    }
    Ok(())
}

pub fn levels(levels: u32, level: Level) -> Result<(), TrapKind> {
    with_bits(3, levels << 12, level)
}

pub fn tiling(mode: u32, level: Level) -> Result<(), TrapKind> {
    with_bits(3, mode << 20, level)
}

pub fn compression(on: u32, level: Level) -> Result<(), TrapKind> {
    with_bits(6, on << 21, level)
}

/// Tests the continuation of a row of texels beyond its ends: by the row again, by its mirror image, by its last texel, or by nothing.
pub fn clamp(clamp: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    resource(&mut bench, FLOAT, IN_ORDER, PLANE);
    let first = -28;
    // The coordinate is far from the point where it would round to the next texel.
    coordinates(&mut bench, |l| [(first + l as i32) as f32 + 0.3, 0.5, 0.0]);
    sample(&mut bench, [clamp | 2 << 3, 0, 0, 0], level)?;
    let width = SIDES[0] as i32;
    let forth: Vec<i32> = (0..width).collect();
    let back: Vec<i32> = (0..width).rev().collect();
    let to_the_right: Vec<i32> = match clamp {
        0 => forth.repeat(8),
        1 => [forth, back].concat().repeat(8),
        2 | 3 => [forth, vec![width - 1; 64]].concat(),
        _ => [forth, vec![-1; 64]].concat(),
    };
    for l in 0..LANES {
        let number = first + l as i32;
        let texel = match number {
            0.. => to_the_right[number as usize],
            _ => match clamp {
                0 => (number + 80) % width,
                // The mirror image lies left of the first texel.
                1 | 3 | 7 => to_the_right[(-1 - number) as usize],
                2 => 0,
                _ => -1,
            },
        };
        let x = match texel {
            -1 => 0.0,
            texel => float(&bytes, [texel as u32, 0, 0]),
        };
        let want = [x, 0.0, 0.0, if texel < 0 { 0.0 } else { 1.0 }].map(f32::to_bits);
        expect(&bench, l, want, &format!("clamp {clamp}, texel {number}"));
    }
    Ok(())
}

/// Interpolates between two numbers.
fn between(first: f64, second: f64, part: f64) -> f64 {
    first + (second - first) * part
}

/// Tests a plane of floats, sampled halfway between columns and a quarter between rows: the mean or the nearest texel.
pub fn xy_filter(filter: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    resource(&mut bench, FLOAT, IN_ORDER, PLANE);
    let small: Vec<u8> = (0..bytes.len() as u32 / 4)
        .flat_map(|n| ((n * n % 97) as f32).to_le_bytes())
        .collect();
    bench.memory.copy_in(0, &small);
    coordinates(&mut bench, |l| {
        [(l % 7) as f32 + 1.0, (l / 7 % 3) as f32 + 0.75, 0.0]
    });
    sample(
        &mut bench,
        [2 | 2 << 3 | 2 << 6 | 1 << 27, 0, filter << 20, 0],
        level,
    )?;
    for l in 0..LANES {
        let (x, y) = (l as u32 % 7, l as u32 / 7 % 3);
        let at = |x, y| f64::from(float(&small, [x, y, 0]));
        let want = match filter {
            0 => at(x + 1, y),
            _ => between(
                between(at(x, y), at(x + 1, y), 0.5),
                between(at(x, y + 1), at(x + 1, y + 1), 0.5),
                0.25,
            ),
        } as f32;
        let want = [want, 0.0, 0.0, 1.0].map(f32::to_bits);
        expect(&bench, l, want, &format!("filter {filter}"));
    }
    Ok(())
}

/// Tests planes of floats, sampled a quarter between two planes: the mean or the nearest plane.
pub fn z_filter(filter: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, _) = filled();
    resource(&mut bench, FLOAT, IN_ORDER, CUBE);
    let small: Vec<u8> = (0..2048u32)
        .flat_map(|n| ((n * n % 89) as f32).to_le_bytes())
        .collect();
    bench.memory.copy_in(0, &small);
    coordinates(&mut bench, |l| {
        [(l % 8) as f32 + 0.5, (l / 8 % 4) as f32 + 0.5, 0.75]
    });
    sample(&mut bench, [2 | 2 << 3 | 2 << 6, 0, filter << 24, 0], level)?;
    for l in 0..LANES {
        let [x, y, _] = place(l);
        let at = |z| f64::from(float(&small, [x, y, z]));
        let want = match filter {
            2 => between(at(0), at(1), 0.25),
            _ => at(0),
        } as f32;
        let want = [want, 0.0, 0.0, 1.0].map(f32::to_bits);
        expect(&bench, l, want, &format!("z filter {filter}"));
    }
    Ok(())
}

pub fn border(kind: u32, level: Level) -> Result<(), TrapKind> {
    for (format, one) in [(FLOAT, 1f32.to_bits()), (BYTES_4, 1)] {
        let (mut bench, _) = filled();
        resource(&mut bench, format, IN_ORDER, PLANE);
        coordinates(&mut bench, |l| [-1.5 - l as f32, 0.5, 0.0]);
        sample(&mut bench, [6 | 6 << 3, 0, 0, kind << 30], level)?;
        let want = match kind {
            0 => [0; 4],
            1 => [0, 0, 0, one],
            _ => [one; 4],
        };
        for l in 0..LANES {
            expect(&bench, l, want, &format!("border {kind}"));
        }
    }
    Ok(())
}
