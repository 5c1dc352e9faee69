//! Laws for fields of buffer instructions and of their resources, and for FLAT's segment.

use super::super::level::Level;
use super::super::registers::LANES;
use super::super::trap::TrapKind;
use super::bench::{BYTES, Bench, MEMORY, value};

/// Widths of the components of a data format, the first component first; 0 for a missing component.
#[rustfmt::skip]
const WIDTHS: [[u32; 4]; 16] = [
    [0, 0, 0, 0],     [8, 0, 0, 0],     [16, 0, 0, 0],    [8, 8, 0, 0],
    [32, 0, 0, 0],    [16, 16, 0, 0],   [11, 11, 10, 0],  [10, 11, 11, 0],
    [2, 10, 10, 10],  [10, 10, 10, 2],  [8, 8, 8, 8],     [32, 32, 0, 0],
    [16, 16, 16, 16], [32, 32, 32, 0],  [32, 32, 32, 32], [0, 0, 0, 0],
];

/// Returns a float with five bits of exponent and `fraction` bits by its definition.
fn small_float(bits: u32, fraction: u32) -> f64 {
    let (exponent, rest) = (bits >> fraction & 31, f64::from(bits % (1 << fraction)));
    let unit = f64::from(1u32 << fraction);
    match exponent {
        31 if rest == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        0 => rest / unit / 16384.0,
        _ => (1.0 + rest / unit) * 2f64.powi(exponent as i32 - 15),
    }
}

/// Returns the value of a component of `width` bits in a number format.
fn component(bits: u32, width: u32, number: u32) -> u32 {
    let whole = 2f64.powi(width as i32);
    let unsigned = f64::from(bits);
    let signed = if unsigned >= whole / 2.0 {
        unsigned - whole
    } else {
        unsigned
    };
    let float = |x: f64| (x as f32).to_bits();
    match (number, width) {
        (0, _) => float(unsigned / (whole - 1.0)),
        (1, _) => float((signed / (whole / 2.0 - 1.0)).max(-1.0)),
        (2, _) => float(unsigned),
        (3, _) => float(signed),
        (4, _) => bits,
        (5, _) => signed as i64 as u32,
        (_, 32) => bits,
        (_, 16) if bits >> 15 != 0 => float(-small_float(bits & 0x7fff, 10)),
        (_, 16) => float(small_float(bits, 10)),
        _ => float(small_float(bits, width - 5)),
    }
}

/// Returns the four components of an element.
pub(super) fn element(bytes: &[u8], format: u32) -> [u32; 4] {
    let (data, number) = (format as usize & 15, format >> 4);
    let one = if matches!(number, 4 | 5) {
        1
    } else {
        1f32.to_bits()
    };
    let mut components = [0, 0, 0, one];
    let mut at = 0;
    for (to, width) in components.iter_mut().zip(WIDTHS[data]) {
        if width != 0 {
            let bit = |n: u32| u32::from(bytes[(at + n) as usize / 8]) >> ((at + n) % 8) & 1;
            *to = component((0..width).map(|n| bit(n) << n).sum(), width, number);
            at += width;
        }
    }
    components
}

/// Returns a bench with elements 16 bytes apart, none of which is a NaN in any float format, and the bytes.
pub(super) fn filled() -> (Bench, Vec<u8>) {
    let mut bench = Bench::new();
    let words = (0..BYTES as u32 / 4).map(|n| value(n) & 0xbbff_bbff);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    bench.memory.copy_in(0, &bytes);
    // Each lane has an element of its own, 16 bytes apart.
    resource(&mut bench, 16, BYTES as u32 / 16, 0x27fac);
    (bench, bytes)
}

/// Sets s[4:7] to a resource over the memory.
fn resource(bench: &mut Bench, stride: u32, records: u32, last: u32) {
    let base = (MEMORY >> 32) as u32 & 0xffff;
    let words = [MEMORY as u32, base | stride << 16, records, last];
    bench.wave.s[4..8].copy_from_slice(&words);
}

pub(super) fn expect(bench: &Bench, l: usize, want: [u32; 4], title: &str) {
    for (k, want) in want.into_iter().enumerate() {
        let have = bench.wave.v[8 + k][l];
        let both_nan = f32::from_bits(have).is_nan() && f32::from_bits(want).is_nan();
        assert!(
            have == want || both_nan,
            "{title}, lane {l}, component {k}: {have:#x}, not {want:#x}"
        );
    }
}

/// tbuffer_load_format_xyzw v[8:11], v0, s[4:7], 0 idxen.
pub fn format(format: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    bench.run(&[0xe801_a000 | format << 19, 0x8001_0800], level)?;
    for l in 0..LANES {
        let want = element(&bytes[16 * l..], format);
        expect(&bench, l, want, &format!("format {format:#x}"));
    }
    Ok(())
}

/// buffer_load_format_xyzw v[8:11], v0, s[4:7], 0 idxen.
const LOAD_FORMAT: [u32; 2] = [0xe00c_2000, 0x8001_0800];

pub fn resource_format(format: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    // A resource of zeros selects zeros.
    let select = if format == 0 { 0 } else { 0xfac };
    let last = select | (format >> 4) << 12 | (format & 15) << 15;
    resource(&mut bench, 16, BYTES as u32 / 16, last);
    bench.run(&LOAD_FORMAT, level)?;
    for l in 0..LANES {
        let want = match format {
            0 => [0; 4],
            _ => element(&bytes[16 * l..], format),
        };
        expect(&bench, l, want, &format!("resource format {format:#x}"));
    }
    Ok(())
}

/// Tests the select in each position, with the others set to 1.
pub fn resource_select(select: u32, level: Level) -> Result<(), TrapKind> {
    for place in 0..4 {
        let (mut bench, bytes) = filled();
        let selects: [u32; 4] = std::array::from_fn(|k| if k == place { select } else { 1 });
        let word: u32 = (0..4).map(|k| selects[k] << (3 * k)).sum();
        // The format is four bytes as integers.
        resource(&mut bench, 16, BYTES as u32 / 16, word | 4 << 12 | 10 << 15);
        bench.run(&LOAD_FORMAT, level)?;
        for l in 0..LANES {
            let want = selects.map(|s| match s {
                0 | 1 => s,
                _ => bytes[16 * l + s as usize - 4].into(),
            });
            expect(&bench, l, want, &format!("select {select} at {place}"));
        }
    }
    Ok(())
}

/// Tests a swizzled buffer, which is an array of blocks: a block holds the first dwords of its records, then their second dwords, and so
/// on.
pub fn index_stride(field: u32, level: Level) -> Result<(), TrapKind> {
    const DWORDS: u32 = 4;
    let (mut bench, bytes) = filled();
    let side_by_side = [8, 16, 32, 64][field as usize];
    let records = BYTES as u32 / 4 / DWORDS;
    resource(
        &mut bench,
        4 * DWORDS + (1 << 15),
        records,
        0x27fac | field << 21,
    );
    // The dwords of memory in order, as (record, dword of the record).
    let mut order: Vec<(u32, u32)> = (0..records)
        .flat_map(|record| (0..DWORDS).map(move |dword| (record, dword)))
        .collect();
    order.sort_by_key(|&(record, dword)| (record / side_by_side, dword, record % side_by_side));
    bench.wave.v[0] = std::array::from_fn(|l| l as u32 * 7 % 256);
    let lanes = bench.lanes(0);
    for dword in 0..DWORDS {
        // buffer_load_dword v8, v0, s[4:7], 0 idxen offset:4 * dword
        bench.run(&[0xe050_2000 + 4 * dword, 0x8001_0800], level)?;
        bench.wave.pc -= 12;
        for (l, &record) in lanes.iter().enumerate() {
            let at = order.iter().position(|&place| place == (record, dword));
            let at = 4 * at.expect("a dword of the buffer");
            let want = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
            assert_eq!(
                bench.wave.v[8][l], want,
                "index_stride {field}, record {record}"
            );
        }
    }
    Ok(())
}

/// buffer_load_dword v8, off, s[4:7], 0, with and without tfe. v9 keeps its value, because no page is missing.
pub fn status(tfe: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    let before = bench.lanes(9);
    bench.run(&[0xe050_0000, 0x8001_0800 | tfe << 23], level)?;
    assert_eq!(bench.lanes(9), before);
    let want = u32::from_le_bytes(bytes[..4].try_into().expect("4 bytes"));
    assert_eq!(bench.lanes(8), [want; LANES]);
    Ok(())
}

/// Tests the load of a dword through each segment: a flat address, an offset into scratch, a global address.
pub fn segment(segment: u32, level: Level) -> Result<(), TrapKind> {
    let (mut bench, bytes) = filled();
    // Scratch begins at flat_scratch, with the dwords of the 64 lanes adjacent.
    bench.wave.s[102] = MEMORY as u32;
    bench.wave.s[103] = (MEMORY >> 32) as u32;
    let scratch = segment == 1;
    for l in 0..LANES {
        let address = MEMORY + 4 * l as u64;
        bench.wave.v[4][l] = if scratch { 8 } else { address as u32 };
        bench.wave.v[5][l] = (address >> 32) as u32;
    }
    let no_base = if segment == 0 { 0 } else { 0x7f_0000 };
    bench.run(&[0xdc50_0000 | segment << 14, 0x0800_0004 | no_base], level)?;
    for l in 0..LANES {
        let at = if scratch { 2 * 64 + l } else { l } * 4;
        let want = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        assert_eq!(bench.wave.v[8][l], want, "segment {segment}, lane {l}");
    }
    Ok(())
}
