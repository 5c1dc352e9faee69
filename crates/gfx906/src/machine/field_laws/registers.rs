//! Laws for fields of scalar instructions, of M0 and of MODE: hardware registers, messages, VGPR indexing, LDS operands.

use super::super::level::Level;
use super::super::registers::LANES;
use super::super::trap::TrapKind;
use super::bench::Bench;
use crate::isa::Code;

/// Tests s_getreg_b32 s8, hwreg(id) in a wave with 24 VGPRs, the sixth of its group, with 1024 bytes of LDS and SCC set.
pub fn hwreg(id: u32, level: Level) -> Result<(), TrapKind> {
    let mut bench = Bench::new();
    bench.wave.set_vgprs(24);
    bench.wave.index = 5;
    bench.wave.scc = true;
    bench.wave.s[106] = 1;
    // TRAPSTS is read without its exception flags, from bit 9 on.
    let (offset, width) = if id == 3 { (9, 23) } else { (0, 32) };
    let simm16 = id | offset << 6 | (width - 1) << 11;
    let result = bench.run(&[0xb888_0000 | simm16], level);
    // Writing a register that does not exist traps in the same way. A kernel may only write MODE among the others.
    let written = Bench::new().run(&[0xba00_0000 | 15 | 3 << 11, 0], level);
    assert_eq!(written, Ok(()));
    result?;
    let want = match id {
        1 => 0x3f0,
        2 => 1 | 1 << 16,
        // The wave is the second one of the second SIMD.
        4 => 1 | 1 << 4 | 1 << 30,
        // Six times four VGPRs and seven times sixteen SGPRs, each less one.
        5 => 5 << 8 | 6 << 24,
        6 => 4 << 12,
        15 => 2 | 1 << 16,
        _ => 0,
    };
    assert_eq!(bench.wave.s[8], want, "hwreg {id}");
    let mut bench = Bench::new();
    bench.wave.s[8] = 0;
    bench.run(&[0xb908_0000 | id | 3 << 11], level)?;
    let mode = if id == 1 {
        0x3f0
    } else {
        bench.wave.mode_bits()
    };
    assert_eq!(bench.wave.mode_bits(), mode, "a write of hwreg {id}");
    Ok(())
}

/// Tests s_sendmsg, which only the host may notice.
pub fn message(id: u32, level: Level) -> Result<(), TrapKind> {
    let mut bench = Bench::new();
    bench.run(&[0xbf90_0000 | id], level)?;
    assert_eq!(bench.wave.exec(), !0);
    let mut halted = Bench::new();
    let stopped = halted.run(&[0xbf91_0000 | id], level);
    assert_eq!(stopped, Err(TrapKind::Halted));
    Ok(())
}

/// Tests v_mad_u32_u24 v4, v1, v2, v3 with an index of 8 added to the operands that the field selects.
pub fn gpr_index(operands: u32, level: Level) -> Result<(), TrapKind> {
    let mut bench = Bench::new();
    for register in 0..32 {
        bench.wave.v[register] = [register as u32 * 3 + 1; LANES];
    }
    bench.wave.s[8] = 8;
    let on = 0xbf11_0008 | operands << 8;
    let mad = [0xd1c3_0004, 0x040e_0501];
    bench.run(&[on, mad[0], mad[1], 0xbf9c_0000], level)?;
    let place = |bit: u32, register: u32| register + 8 * (operands >> bit & 1);
    let of = |register: u32| register * 3 + 1;
    let want = of(place(0, 1)) * of(place(1, 2)) + of(place(2, 3));
    for register in 4..32 {
        let want = if register == place(3, 4) {
            want
        } else {
            of(register)
        };
        let have = bench.lanes(register as usize);
        assert_eq!(have, [want; LANES], "gpr_idx {operands:#x}, v{register}");
    }
    // s_set_gpr_idx_mode has the same effect.
    let mut other = Bench::new();
    other.wave.s[124] = 0xffff_ffff;
    other.run(&[0xbf9d_0000 | operands], level)?;
    assert_eq!(other.wave.s[124], 0xffff_0fff | operands << 12);
    Ok(())
}

/// Tests exp. Every target belongs to graphics.
pub fn export(target: u32, level: Level) -> Result<(), TrapKind> {
    Bench::new().run(&[0xc400_000f | target << 4, 0x0302_0100], level)
}

/// v_mov_b32 v2, src_lds_direct.
pub fn lds_direct(ty: u32, level: Level) -> Result<(), TrapKind> {
    let mut bench = Bench::new();
    bench
        .lds
        .write(0, 8, [0xf1, 0x82, 0x73, 0x64])
        .expect("within LDS");
    bench.wave.set_scalar32(Code::M0, 8 | ty << 16);
    bench.run(&[0x7e04_02fe], level)?;
    let want: i64 = match ty {
        0 => 0xf1,
        1 => 0x82f1,
        2 => 0x6473_82f1,
        4 => 0xf1 - 0x100,
        _ => 0x82f1 - 0x1_0000,
    };
    assert_eq!(bench.lanes(2), [want as u32; LANES], "type {ty}");
    Ok(())
}

/// s_setreg_imm32_b32 hwreg(MODE, offset, width), value.
fn mode(offset: u32, width: u32, value: u32, level: Level) -> Result<(), TrapKind> {
    let mut bench = Bench::new();
    let simm16 = 1 | offset << 6 | (width - 1) << 11;
    bench.run(&[0xba00_0000 | simm16, value], level)?;
    assert_eq!(bench.wave.mode_bits(), 0x3f0 | value << offset);
    Ok(())
}

pub fn exceptions(value: u32, level: Level) -> Result<(), TrapKind> {
    mode(12, 9, value, level)
}

pub fn debug(value: u32, level: Level) -> Result<(), TrapKind> {
    mode(11, 1, value, level)
}

pub fn fp16_overflow(value: u32, level: Level) -> Result<(), TrapKind> {
    mode(23, 1, value, level)
}
