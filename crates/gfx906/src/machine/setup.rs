//! Registers and LDS at the start of a work-group.
//!
//! The SGPRs have the order of the AMDGPU ABI. Each is set only if the kernel descriptor requests it.

use super::dispatch::Dispatch;
use super::env::Env;
use super::poison::Poison;
use super::registers::{LANES, Lanes};
use super::wave::Wave;
use crate::isa;

impl Dispatch<'_> {
    /// Sets registers and LDS as the hardware does when a group starts.
    pub(super) fn set_up(&self, waves: &mut [Wave], env: &mut Env<'_>, id: [u32; 3], scratch: u64) {
        env.lds.reset(self.lds);
        let d = &self.kernel.descriptor;
        let items: u32 = self.launch.block.iter().product();
        for (n, wave) in waves.iter_mut().enumerate() {
            wave.index = n as u32;
            wave.set_vgprs(d.vgprs().min(256) as u16);
            let vgprs = usize::from(wave.vgprs());
            wave.v[..vgprs].fill([Poison::Register.word(); LANES]);
            // The code below overwrites the registers that the ABI sets. Programs may read the others, which hold poison.
            wave.s = [Poison::Register.word(); 128];
            wave.scc = false;
            wave.pc = self.module.base + self.kernel.entry_address;
            wave.set_mode_bits(
                d.float_mode() as u32
                    | (d.dx10_clamp() as u32) << 8
                    | (d.ieee_mode() as u32) << 9
                    | (d.fp16_overflow() as u32) << 23,
            );
            let first = n as u32 * LANES as u32;
            let active = (items - first).min(LANES as u32);
            let exec = if active == LANES as u32 {
                !0
            } else {
                (1u64 << active) - 1
            };
            wave.set_scalar64(isa::Code::EXEC, exec);
            let ids = work_items(self.launch.block, first);
            let registers = d.work_item_id_vgprs() as usize;
            for (register, id) in wave.v.iter_mut().zip(&ids).take(registers) {
                *register = *id;
            }
            self.set_up_scalars(wave, id, scratch, n as u64 * self.scratch_stride());
        }
    }

    /// Returns the number of SGPRs, from s0 on, that are set when a wave begins: the user's, then the system's.
    pub(super) fn sgprs(&self) -> u16 {
        let d = &self.kernel.descriptor;
        let system = [
            d.enable_work_group_id_x(),
            d.enable_work_group_id_y(),
            d.enable_work_group_id_z(),
            d.enable_work_group_info(),
            d.enable_private_segment(),
        ];
        let system = system.into_iter().filter(|&wanted| wanted).count();
        d.user_sgpr_count() as u16 + system as u16
    }

    fn set_up_scalars(&self, wave: &mut Wave, id: [u32; 3], scratch: u64, wave_offset: u64) {
        let d = &self.kernel.descriptor;
        let mut next = 0usize;
        let mut push = |wave: &mut Wave, value: u32| {
            if let Some(s) = wave.s.get_mut(next).filter(|_| next < 102) {
                *s = value;
            }
            next += 1;
        };
        let mut push64 = |wave: &mut Wave, value: u64| {
            push(wave, value as u32);
            push(wave, (value >> 32) as u32);
        };
        if d.enable_private_segment_buffer() {
            // The resource is swizzled with the lane's number added: stride 0, index stride 64.
            push64(wave, scratch | 1 << 63);
            push64(wave, 0x00e0_0000_ffff_ffff);
        }
        if d.enable_dispatch_ptr() {
            push64(wave, self.handed.packet);
        }
        if d.enable_queue_ptr() {
            push64(wave, self.handed.queue);
        }
        if d.enable_kernarg_segment_ptr() {
            push64(wave, self.handed.kernarg);
        }
        if d.enable_dispatch_id() {
            push64(wave, 0);
        }
        if d.enable_flat_scratch_init() {
            push64(wave, scratch);
        }
        if d.enable_private_segment_size() {
            push(wave, self.scratch);
        }
        next = next.max(d.user_sgpr_count() as usize);
        let mut push = |wave: &mut Wave, value: u32| {
            if let Some(s) = wave.s.get_mut(next).filter(|_| next < 102) {
                *s = value;
            }
            next += 1;
        };
        for (wanted, value) in [
            d.enable_work_group_id_x(),
            d.enable_work_group_id_y(),
            d.enable_work_group_id_z(),
        ]
        .into_iter()
        .zip(id)
        {
            if wanted {
                push(wave, value);
            }
        }
        if d.enable_work_group_info() {
            push(wave, self.waves as u32);
        }
        if d.enable_private_segment() {
            push(wave, wave_offset as u32);
        }
    }
}

/// Computes x, y and z of each work-item of a wave that begins at item `first` of its block.
fn work_items(block: [u32; 3], first: u32) -> [Lanes; 3] {
    let [width, height, _] = block;
    let (mut x, mut y, mut z) = (
        first % width,
        first / width % height,
        first / width / height,
    );
    let [mut xs, mut ys, mut zs] = [[0; LANES]; 3];
    for ((at_x, at_y), at_z) in xs.iter_mut().zip(&mut ys).zip(&mut zs) {
        (*at_x, *at_y, *at_z) = (x, y, z);
        x += 1;
        if x == width {
            x = 0;
            y += 1;
        }
        if y == height {
            y = 0;
            z += 1;
        }
    }
    [xs, ys, zs]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_stand_where_their_number_says() {
        for block @ [x, y, _] in [[64, 1, 1], [1, 1, 64], [7, 3, 5], [5, 13, 2], [1024, 1, 1]] {
            for first in (0..block.iter().product()).step_by(LANES) {
                let ids = work_items(block, first);
                for l in 0..LANES {
                    let item = first + l as u32;
                    let want = [item % x, item / x % y, item / x / y];
                    assert_eq!(ids.map(|id| id[l]), want, "item {item} of {block:?}");
                }
            }
        }
    }
}
