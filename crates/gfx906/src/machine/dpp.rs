//! Data-parallel primitives: mapping of each lane to the lane that it reads.

use std::sync::OnceLock;

use super::registers::{LANES, Lanes, collect, expand};
use super::wave::Wave;

/// Number of values of the 9-bit control field.
const CONTROLS: usize = 512;

/// Lane mapping of a DPP control, computed once.
#[derive(Debug)]
pub struct Control {
    /// Lane that each lane reads; the lane itself if there is none.
    from: Lanes,
    /// Lanes that have a lane to read.
    there: u64,
    /// The lanes of `there`, as all ones in each lane.
    mask: Lanes,
}

impl Control {
    /// Returns the lane mapping of a control.
    pub fn of(control: u16) -> &'static Control {
        static CACHE: [OnceLock<Control>; CONTROLS] = [const { OnceLock::new() }; CONTROLS];
        CACHE[usize::from(control) % CONTROLS].get_or_init(|| {
            let source = |l| source_lane(control, l);
            let there = (0..LANES).filter(|&l| source(l).is_some());
            let there = there.fold(0, |lanes, l| lanes | 1 << l);
            Control {
                from: std::array::from_fn(|l| source(l).unwrap_or(l) as u32),
                there,
                mask: expand(there),
            }
        })
    }

    /// Returns the lanes whose source lane exists and is enabled.
    #[inline(always)]
    pub fn live(&self, w: &mut Wave) -> u64 {
        if w.exec() == !0 {
            return self.there;
        }
        let on = w.lane_mask();
        let mut live = [0; LANES];
        for (live, from) in live.iter_mut().zip(&self.from) {
            *live = on[*from as usize % LANES] as u8 & 1;
        }
        collect(&live) & self.there
    }

    /// Returns a register as the lanes read it, with 0 where there is no lane to read.
    #[inline(always)]
    pub fn permute<const WIDTH: usize>(&self, w: &mut Wave, register: usize) -> Lanes {
        let values = masked(w, register);
        let mut out = [0; LANES];
        exchange::<WIDTH>(&values, &self.from, &mut out);
        out.iter_mut().zip(&self.mask).for_each(|(x, m)| *x &= m);
        out
    }
}

/// Returns a register with 0 in disabled lanes.
#[inline(always)]
pub fn masked(w: &mut Wave, register: usize) -> Lanes {
    let mut values = w.v[register];
    if w.exec() != !0 {
        let mask = w.lane_mask();
        values.iter_mut().zip(mask).for_each(|(x, m)| *x &= m);
    }
    values
}

/// Permutes lanes: each lane receives the value of the lane in `from`, modulo 64.
#[inline(always)]
pub fn exchange<const WIDTH: usize>(values: &Lanes, from: &Lanes, out: &mut Lanes) {
    #[cfg(target_arch = "x86_64")]
    if WIDTH == 64 {
        // SAFETY: code of this width runs only on hosts with AVX-512.
        unsafe { exchange_512(values, from, out) };
        return;
    }
    for (out, from) in out.iter_mut().zip(from) {
        *out = values[*from as usize % LANES];
    }
}

/// Permutes 16 lanes at a time, each from one of the two halves of the values.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
#[inline]
fn exchange_512(values: &Lanes, from: &Lanes, out: &mut Lanes) {
    use std::arch::x86_64::{
        __m512i, _mm512_mask_blend_epi32, _mm512_permutex2var_epi32, _mm512_set1_epi32,
        _mm512_test_epi32_mask,
    };
    let values: [__m512i; 4] = bytemuck::cast(*values);
    let from: [__m512i; 4] = bytemuck::cast(*from);
    let high = _mm512_set1_epi32(32);
    let out_of = from.map(|from| {
        let low = _mm512_permutex2var_epi32(values[0], from, values[1]);
        let beyond = _mm512_test_epi32_mask(from, high);
        let other = _mm512_permutex2var_epi32(values[2], from, values[3]);
        _mm512_mask_blend_epi32(beyond, low, other)
    });
    *out = bytemuck::cast(out_of);
}

/// Returns the lane that lane `l` reads under a control, if there is one.
pub fn source_lane(control: u16, l: usize) -> Option<usize> {
    let row = l & !15;
    let within = l & 15;
    let shifted = |x: Option<usize>| x.filter(|&x| x < 16).map(|x| row + x);
    match control {
        0x000..=0x0ff => Some(l & !3 | (control as usize >> (2 * (l & 3)) & 3)),
        0x101..=0x10f => shifted(Some(within + (control as usize & 15))),
        0x111..=0x11f => shifted(within.checked_sub(control as usize & 15)),
        0x121..=0x12f => Some(row | (within + 16 - (control as usize & 15)) & 15),
        0x130 => Some(l + 1).filter(|&x| x < LANES),
        0x134 => Some((l + 1) % LANES),
        0x138 => l.checked_sub(1),
        0x13c => Some((l + LANES - 1) % LANES),
        0x140 => Some(row | (15 - within)),
        0x141 => Some(l & !7 | (7 - (l & 7))),
        0x142 => row.checked_sub(1),
        0x143 => (l >= 32).then_some(31),
        _ => Some(l),
    }
}
