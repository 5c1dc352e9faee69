//! Laws for fields that select the lanes to read or to write: the swizzle pattern and DPP.

use super::super::level::Level;
use super::super::registers::LANES;
use super::super::trap::TrapKind;
use super::bench::Bench;

/// EXEC masks that the laws try in turn.
const MASKS: [u64; 3] = [!0, 0x9249_2492_f0f0_1e57, 1 << 63 | 2];

/// Returns the bits of a five-bit number, the lowest first.
fn bits(n: usize) -> [bool; 5] {
    std::array::from_fn(|b| n >> b & 1 != 0)
}

fn number(bits: [bool; 5]) -> usize {
    (0..5).filter(|&b| bits[b]).map(|b| 1 << b).sum()
}

/// Returns the lane of a group of 32 that a lane reads, computed bit by bit.
fn pattern_source(pattern: usize, lane: usize) -> usize {
    let [first, second, third] = [0, 5, 10].map(|at| bits(pattern >> at));
    let own = bits(lane);
    if pattern >= 0xe000 {
        // The mask has a zero for each reversed bit, from the lane's lowest bit on; where it has ones, the lane's own bits remain.
        let dropped = first.iter().filter(|&&kept| kept).count();
        let reversed = |b: usize| b + dropped < 5 && own[4 - (b + dropped)];
        number(std::array::from_fn(|b| reversed(b) || first[b] && own[b]))
    } else if pattern >= 0xc000 {
        let mut ring: Vec<usize> = (0..32).collect();
        if third[0] {
            ring.rotate_right(number(second));
        } else {
            ring.rotate_left(number(second));
        }
        let turned = bits(ring[lane]);
        number(std::array::from_fn(|b| {
            if first[b] { own[b] } else { turned[b] }
        }))
    } else if pattern >= 0x8000 {
        let digits: Vec<usize> = (0..4).map(|n| pattern / 4usize.pow(n) % 4).collect();
        lane / 4 * 4 + digits[lane % 4]
    } else {
        number(std::array::from_fn(|b| {
            ((own[b] && first[b]) || second[b]) != third[b]
        }))
    }
}

pub fn swizzle(pattern: u32, level: Level) -> Result<(), TrapKind> {
    let mut bench = Bench::new();
    for (n, mask) in MASKS.into_iter().enumerate() {
        bench.wave.s[126] = mask as u32;
        bench.wave.s[127] = (mask >> 32) as u32;
        let (before, data) = (bench.lanes(2), bench.lanes(1));
        // ds_swizzle_b32 v2, v1
        bench.run(&[0xd87a_0000 | pattern, 0x0200_0001], level)?;
        let after = bench.lanes(2);
        for lane in 0..LANES {
            let from = lane / 32 * 32 + pattern_source(pattern as usize, lane % 32);
            let want = match (mask >> lane & 1, mask >> from & 1) {
                (0, _) => before[lane],
                (_, 0) => 0,
                _ => data[from],
            };
            assert_eq!(
                after[lane], want,
                "pattern {pattern:#x}, mask {n}, lane {lane}"
            );
        }
        bench.wave.pc -= 12;
    }
    Ok(())
}

/// Value that a lane receives, or `None` if there is no lane to read.
type Value = Option<u32>;

/// Moves the lanes by a DPP control, a row of 16 lanes at a time.
fn moved(control: u32, lanes: &[Option<u32>]) -> Option<Vec<Option<u32>>> {
    let rows = |each: &dyn Fn(&[Value]) -> Vec<Value>| -> Vec<Value> {
        lanes.chunks(16).flat_map(each).collect()
    };
    let n = control as usize & 15;
    let gone = |n: usize| vec![None; n];
    let mut all = lanes.to_vec();
    Some(match control {
        0..=0xff => lanes
            .chunks(4)
            .flat_map(|quad| (0..4).map(|k| quad[(control >> (2 * k)) as usize % 4]))
            .collect(),
        0x101..=0x10f => rows(&|row| [&row[n..], &gone(n)].concat()),
        0x111..=0x11f => rows(&|row| [&gone(n), &row[..16 - n]].concat()),
        0x121..=0x12f => rows(&|row| [&row[16 - n..], &row[..16 - n]].concat()),
        0x130 => [&lanes[1..], &gone(1)].concat(),
        0x134 => {
            all.rotate_left(1);
            all
        }
        0x138 => [&gone(1), &lanes[..63]].concat(),
        0x13c => {
            all.rotate_right(1);
            all
        }
        0x140 => rows(&|row| row.iter().rev().copied().collect()),
        0x141 => lanes
            .chunks(8)
            .flat_map(|half| half.iter().rev().copied())
            .collect(),
        0x142 => [
            gone(16),
            vec![lanes[15]; 16],
            vec![lanes[31]; 16],
            vec![lanes[47]; 16],
        ]
        .concat(),
        0x143 => [gone(32), vec![lanes[31]; 32]].concat(),
        _ => return None,
    })
}

/// Tests v_mov_b32_dpp v2, v1 under a control and masks of rows and banks.
fn dpp(control: u32, rows: u32, banks: u32, level: Level) -> Result<(), TrapKind> {
    for mask in MASKS {
        for zero in [false, true] {
            let mut bench = Bench::new();
            bench.wave.s[126] = mask as u32;
            bench.wave.s[127] = (mask >> 32) as u32;
            let (before, data) = (bench.lanes(2), bench.lanes(1));
            let bound = if zero { 1 << 19 } else { 0 };
            let second = 0x01 | control << 8 | bound | banks << 24 | rows << 28;
            bench.run(&[0x7e04_02fa, second], level)?;
            let on: Vec<Option<u32>> = (0..LANES)
                .map(|l| (mask >> l & 1 != 0).then(|| data[l]))
                .collect();
            let Some(moved) = moved(control, &on) else {
                return Ok(());
            };
            let after = bench.lanes(2);
            for l in 0..LANES {
                let written = mask >> l & 1 != 0
                    && rows >> (l / 16) & 1 != 0
                    && banks >> (l % 16 / 4) & 1 != 0;
                let want = match moved[l] {
                    Some(value) if written => value,
                    None if written && zero => 0,
                    _ => before[l],
                };
                assert_eq!(
                    after[l], want,
                    "control {control:#x}, rows {rows:#x}, banks {banks:#x}, lane {l}"
                );
            }
        }
    }
    Ok(())
}

pub fn dpp_ctrl(control: u32, level: Level) -> Result<(), TrapKind> {
    dpp(control, 15, 15, level)
}

pub fn row_mask(rows: u32, level: Level) -> Result<(), TrapKind> {
    dpp(0x111, rows, 15, level)
}

pub fn bank_mask(banks: u32, level: Level) -> Result<(), TrapKind> {
    dpp(0x140, 15, banks, level)
}
