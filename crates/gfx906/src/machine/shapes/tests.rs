//! Tests of single instructions on a wave: modifiers, lanes, masks, modes. Each instruction is given as the bytes that llvm-mc assembles,
//! and runs at every feature level of the host with the same result.

use super::super::env::Env;
use super::super::level::Level;
use super::super::memory::AddressSpace;
use super::super::op::Op;
use super::super::registers::{LANES, Lanes};
use super::super::wave::Wave;
use crate::isa;
use crate::semantics::Mode;

/// Runs one instruction on a wave with all lanes enabled, v0 = lane number and v1 = 100 + lane number, after `set_up`.
fn run(assembly: &str, bytes: &[u8], set_up: impl Fn(&mut Wave)) -> Wave {
    let inst = isa::decode(bytes).expect("a gfx906 instruction");
    assert_eq!(isa::disassemble(&inst), assembly);
    let handlers = inst.row.semantics.expect("it runs");
    let levels = [Level::Baseline, Level::V3, Level::V4]
        .into_iter()
        .filter(|&l| l <= Level::host());
    let mut waves = levels.map(|level| {
        let mut wave = Wave::new();
        wave.v[0] = std::array::from_fn(|l| l as u32);
        wave.v[1] = std::array::from_fn(|l| 100 + l as u32);
        wave.set_scalar64(isa::Code::EXEC, !0);
        set_up(&mut wave);
        let op = Op::new(inst, &handlers, level);
        let space = AddressSpace::default();
        let mut env = Env::new(&space);
        // SAFETY: the level is one that this host has.
        unsafe { (op.handler)(&mut wave, &mut env, &op) }.expect("no trap");
        wave
    });
    let first = waves.next().expect("a level");
    for other in waves {
        assert!(
            first.v == other.v && first.s == other.s,
            "{assembly}: levels differ"
        );
    }
    first
}

fn lanes(f: impl Fn(u32) -> u32) -> Lanes {
    std::array::from_fn(|l| f(l as u32))
}

fn floats(w: &mut Wave, register: usize, value: f32) {
    w.v[register] = [value.to_bits(); LANES];
}

#[test]
fn sdwa_selects_and_sign_extends_sources() {
    let assembly = "v_add_u32_sdwa v2, v0, sext(v1) dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:WORD_1";
    let wave = run(
        assembly,
        &[0xf9, 0x02, 0x04, 0x68, 0x00, 0x06, 0x01, 0x0d],
        |w| {
            w.v[0] = lanes(|l| l << 8 | 0xff);
            w.v[1] = [0xfffe_1234; LANES];
        },
    );
    assert_eq!(wave.v[2], lanes(|l| l.wrapping_sub(2)));
}

#[test]
fn sdwa_keeps_the_rest_of_the_destination() {
    let assembly =
        "v_mov_b32_sdwa v2, v0 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0";
    let wave = run(
        assembly,
        &[0xf9, 0x02, 0x04, 0x7e, 0x00, 0x12, 0x00, 0x00],
        |w| w.v[2] = [0x1122_3344; LANES],
    );
    assert_eq!(wave.v[2], lanes(|l| 0x1100_3344 | l << 16));
}

#[test]
fn dpp_row_shift_leaves_the_first_lane_of_a_row_or_reads_zero_there() {
    let shr = "v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf";
    let bytes = [0xfa, 0x02, 0x04, 0x7e, 0x01, 0x11, 0x01, 0xff];
    let wave = run(shr, &bytes, |w| w.v[2] = [7; LANES]);
    assert_eq!(wave.v[2], lanes(|l| if l % 16 == 0 { 7 } else { 99 + l }));
    let bound = "v_mov_b32_dpp v2, v1 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1";
    let wave = run(
        bound,
        &[0xfa, 0x02, 0x04, 0x7e, 0x01, 0x11, 0x09, 0xff],
        |w| w.v[2] = [7; LANES],
    );
    assert_eq!(wave.v[2], lanes(|l| if l % 16 == 0 { 0 } else { 99 + l }));
    let wave = run(shr, &bytes, |w| {
        w.v[2] = [7; LANES];
        w.set_scalar64(isa::Code::EXEC, !0b100);
    });
    assert_eq!(
        wave.v[2][1..5],
        [100, 7, 7, 103],
        "a lane that is off neither reads nor is read"
    );
}

#[test]
fn dpp_masks_rows() {
    let assembly = "v_mov_b32_dpp v2, v0 quad_perm:[3,2,1,0] row_mask:0x5 bank_mask:0xf";
    let wave = run(
        assembly,
        &[0xfa, 0x02, 0x04, 0x7e, 0x00, 0x1b, 0x00, 0x5f],
        |w| w.v[2] = [77; LANES],
    );
    assert_eq!(
        wave.v[2],
        lanes(|l| if l / 16 % 2 == 0 { l ^ 3 } else { 77 })
    );
}

#[test]
fn negation_magnitude_and_clamp() {
    let assembly = "v_add_f32_e64 v2, -v0, |v1| clamp";
    let bytes = [0x02, 0x82, 0x01, 0xd1, 0x00, 0x03, 0x02, 0x20];
    for (a, b, want) in [
        (0.25, -0.5, 0.25),
        (-3.0, -0.5, 1.0),
        (3.0, 0.5, 0.0),
        (f32::NAN, 1.0, 0.0),
    ] {
        let wave = run(assembly, &bytes, |w| {
            floats(w, 0, a);
            floats(w, 1, b);
        });
        assert_eq!(wave.v[2], [f32::to_bits(want); LANES], "{a} {b}");
    }
}

#[test]
fn without_clamp_nothing_is_clamped() {
    let wave = run("v_mul_f32_e32 v2, v0, v1", &[0x00, 0x03, 0x04, 0x0a], |w| {
        floats(w, 0, 3.0);
        floats(w, 1, -2.0);
    });
    assert_eq!(wave.v[2], [(-6.0f32).to_bits(); LANES]);
}

#[test]
fn lanes_that_are_off_keep_their_value() {
    let wave = run("v_mov_b32_e32 v2, 0.5", &[0xf0, 0x02, 0x04, 0x7e], |w| {
        w.v[2] = [9; LANES];
        w.set_scalar64(isa::Code::EXEC, 0x8000_0000_0000_0001);
    });
    assert_eq!(
        wave.v[2],
        lanes(|l| if l == 0 || l == 63 { 0x3f00_0000 } else { 9 })
    );
}

#[test]
fn compares_write_a_mask_with_zeros_for_lanes_that_are_off() {
    let assembly = "v_cmp_lt_u32_e64 s[4:5], v0, v1";
    let wave = run(
        assembly,
        &[0x04, 0x00, 0xc9, 0xd0, 0x00, 0x03, 0x02, 0x00],
        |w| {
            w.v[1] = [32; LANES];
            w.set_scalar64(isa::Code::EXEC, !1);
        },
    );
    assert_eq!((wave.s[4], wave.s[5]), (!1, 0));
}

#[test]
fn cmpx_writes_exec_too() {
    let wave = run(
        "v_cmpx_gt_u32_e32 vcc, 32, v0",
        &[0xa0, 0x00, 0xb8, 0x7d],
        |_| (),
    );
    assert_eq!((wave.exec(), wave.vcc()), (0xffff_ffff, 0xffff_ffff));
}

#[test]
fn carries_go_lane_by_lane() {
    let assembly = "v_addc_co_u32_e32 v2, vcc, v0, v1, vcc";
    let wave = run(assembly, &[0x00, 0x03, 0x04, 0x38], |w| {
        w.v[1] = [!0; LANES];
        w.set_scalar64(isa::Code::VCC, 0b11);
    });
    assert_eq!(wave.v[2][..4], [0, 1, 1, 2]);
    assert_eq!(
        wave.vcc(),
        !0,
        "every lane carries: 0 + 2^32 - 1 + 1 does, and so do the others"
    );
}

#[test]
fn selection_by_a_scalar_mask() {
    let assembly = "v_cndmask_b32_e64 v2, v0, v1, s[4:5]";
    let wave = run(
        assembly,
        &[0x02, 0x00, 0x00, 0xd1, 0x00, 0x03, 0x12, 0x00],
        |w| w.s[5] = 1,
    );
    assert_eq!(wave.v[2], lanes(|l| if l == 32 { 132 } else { l }));
}

#[test]
fn mixed_precision_reads_halves_where_told() {
    let assembly = "v_fma_mix_f32 v2, v0, v1, -v1 op_sel:[1,0,0] op_sel_hi:[1,0,0]";
    let wave = run(
        assembly,
        &[0x02, 0x08, 0xa0, 0xd3, 0x00, 0x03, 0x06, 0x8c],
        |w| {
            w.v[0] = [0x4200_0000; LANES]; // 3.0 as f16 in the high half
            floats(w, 1, 2.0);
        },
    );
    assert_eq!(wave.v[2], [4.0f32.to_bits(); LANES]);
}

/// A low result once went to the high half: VOP3P has a source's bit where VOP3 has the destination's.
#[test]
fn mixed_precision_writes_its_half_and_keeps_the_other() {
    let set_up = |w: &mut Wave| {
        w.v[0] = [0x3c00_4200; LANES]; // low 3, high 1
        w.v[1] = [0x4400_3800; LANES]; // low 0.5, high 4
        w.v[2] = [0xabcd_ef01; LANES];
    };
    let assembly = "v_fma_mixlo_f16 v2, v0, v1, v1 op_sel:[0,1,0] op_sel_hi:[1,1,1]";
    let bytes = [0x02, 0x50, 0xa1, 0xd3, 0x00, 0x03, 0x06, 0x1c];
    // 3 * 4 + 0.5
    assert_eq!(run(assembly, &bytes, set_up).v[2], [0xabcd_4a40; LANES]);
    let assembly = "v_fma_mixhi_f16 v2, v0, v1, v1 op_sel:[0,1,0] op_sel_hi:[1,1,1]";
    let bytes = [0x02, 0x50, 0xa2, 0xd3, 0x00, 0x03, 0x06, 0x1c];
    assert_eq!(run(assembly, &bytes, set_up).v[2], [0x4a40_ef01; LANES]);
}

#[test]
fn packed_halves_are_chosen_and_negated_apart() {
    let assembly = "v_pk_add_f16 v2, v0, v1 op_sel:[0,1] op_sel_hi:[1,0] neg_lo:[1,0]";
    let wave = run(
        assembly,
        &[0x02, 0x50, 0x8f, 0xd3, 0x00, 0x03, 0x02, 0x28],
        |w| {
            w.v[0] = [0x4000_3c00; LANES]; // low 1, high 2
            w.v[1] = [0x4400_4200; LANES]; // low 3, high 4
        },
    );
    // low: -1 + 4; high: 2 + 3
    assert_eq!(wave.v[2], [0x4500_4200; LANES]);
}

#[test]
fn single_lanes_are_read_and_written_whatever_exec_says() {
    let wave = run(
        "v_readfirstlane_b32 s4, v0",
        &[0x00, 0x05, 0x08, 0x7e],
        |w| w.set_scalar64(isa::Code::EXEC, 0b1100),
    );
    assert_eq!(wave.s[4], 2);
    let wave = run(
        "v_readfirstlane_b32 s4, v1",
        &[0x01, 0x05, 0x08, 0x7e],
        |w| w.set_scalar64(isa::Code::EXEC, 0),
    );
    assert_eq!(wave.s[4], 100, "lane 0 where none is on");
    let wave = run(
        "v_readlane_b32 s4, v0, 5",
        &[0x04, 0x00, 0x89, 0xd2, 0x00, 0x0b, 0x01, 0x00],
        |w| w.set_scalar64(isa::Code::EXEC, 0),
    );
    assert_eq!(wave.s[4], 5);
    let wave = run(
        "v_writelane_b32 v2, s4, 63",
        &[0x02, 0x00, 0x8a, 0xd2, 0x04, 0x7e, 0x01, 0x00],
        |w| {
            w.s[4] = 42;
            w.v[2] = [0; LANES];
            w.set_scalar64(isa::Code::EXEC, 0);
        },
    );
    assert_eq!(wave.v[2], lanes(|l| if l == 63 { 42 } else { 0 }));
}

#[test]
fn mbcnt_counts_the_lanes_below() {
    let low = run(
        "v_mbcnt_lo_u32_b32 v2, -1, 0",
        &[0x02, 0x00, 0x8c, 0xd2, 0xc1, 0x00, 0x01, 0x00],
        |_| (),
    );
    assert_eq!(low.v[2], lanes(|l| l.min(32)));
    let assembly = "v_mbcnt_hi_u32_b32 v2, -1, v2";
    let high = run(
        assembly,
        &[0x02, 0x00, 0x8d, 0xd2, 0xc1, 0x04, 0x02, 0x00],
        |w| w.v[2] = low.v[2],
    );
    assert_eq!(high.v[2], lanes(|l| l));
}

#[test]
fn pairs_of_registers_hold_64_bits() {
    let assembly = "v_lshlrev_b64 v[2:3], 4, v[0:1]";
    let wave = run(
        assembly,
        &[0x02, 0x00, 0x8f, 0xd2, 0x84, 0x00, 0x02, 0x00],
        |w| {
            w.v[0] = [0xf000_0001; LANES];
            w.v[1] = lanes(|l| l);
        },
    );
    assert_eq!(
        (wave.v[2], wave.v[3]),
        ([0x10; LANES], lanes(|l| l << 4 | 0xf))
    );
    let assembly = "v_add_f64 v[2:3], v[0:1], 1.0";
    let wave = run(
        assembly,
        &[0x02, 0x00, 0x80, 0xd2, 0x00, 0xe5, 0x01, 0x00],
        |w| {
            w.v[0] = [0; LANES];
            w.v[1] = [0x4000_0000; LANES]; // 2.0
        },
    );
    assert_eq!((wave.v[2][9], wave.v[3][9]), (0, 0x4008_0000), "3.0");
}

#[test]
fn literals_stand_where_the_row_lists_them() {
    let assembly = "v_madak_f32 v2, v0, v1, 0x40000000";
    let wave = run(
        assembly,
        &[0x00, 0x03, 0x04, 0x30, 0x00, 0x00, 0x00, 0x40],
        |w| {
            floats(w, 0, 3.0);
            floats(w, 1, 5.0);
        },
    );
    assert_eq!(wave.v[2], [17.0f32.to_bits(); LANES]);
}

#[test]
fn swap_exchanges_the_lanes_that_are_on() {
    let wave = run("v_swap_b32 v0, v1", &[0x01, 0xa3, 0x00, 0x7e], |w| {
        w.set_scalar64(isa::Code::EXEC, 0b10)
    });
    assert_eq!(
        (wave.v[0][..3].to_vec(), wave.v[1][..3].to_vec()),
        (vec![0, 101, 2], vec![100, 1, 102])
    );
}

#[test]
fn saveexec_keeps_the_old_mask_and_tells_whether_a_lane_is_left() {
    let assembly = "s_and_saveexec_b64 s[4:5], vcc";
    let wave = run(assembly, &[0x6a, 0x20, 0x84, 0xbe], |w| {
        w.set_scalar64(isa::Code::VCC, 0xf0)
    });
    assert_eq!(
        (wave.s[4], wave.s[5], wave.exec(), wave.scc),
        (!0, !0, 0xf0, true)
    );
    let wave = run(assembly, &[0x6a, 0x20, 0x84, 0xbe], |_| ());
    assert_eq!((wave.exec(), wave.scc), (0, false));
}

#[test]
fn scc_is_an_argument_and_a_result() {
    let wave = run("s_addc_u32 s6, s4, s5", &[0x04, 0x05, 0x06, 0x82], |w| {
        (w.s[4], w.s[5], w.scc) = (!0, 0, true);
    });
    assert_eq!((wave.s[6], wave.scc), (0, true));
    let wave = run("s_cselect_b32 s6, s4, s5", &[0x04, 0x05, 0x06, 0x85], |w| {
        (w.s[4], w.s[5]) = (1, 2)
    });
    assert_eq!(wave.s[6], 2);
}

#[test]
fn the_mode_register_is_read_and_written_by_fields() {
    let assembly = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0";
    let wave = run(
        assembly,
        &[0x01, 0x09, 0x00, 0xba, 0x00, 0x00, 0x00, 0x00],
        |w| w.set_mode_bits(0x3f0),
    );
    assert_eq!(wave.mode_bits(), 0x3c0);
    assert_eq!(
        wave.mode(),
        Mode {
            denorm_in32: false,
            denorm_out32: false,
            ..Mode::HIP
        }
    );
    let assembly = "s_getreg_b32 s4, hwreg(HW_REG_MODE, 0, 10)";
    let wave = run(assembly, &[0x01, 0x48, 0x84, 0xb8], |w| {
        w.set_mode_bits(0x3f0)
    });
    assert_eq!(wave.s[4], 0x3f0);
}

/// FP16_OVFL limits what overflows, and keeps infinities that come from infinities or from a division by zero.
#[test]
fn overflowing_halves_are_limited_on_request() {
    const INF: u16 = 0x7c00;
    const MAX: u16 = 0x7bff;
    const NEGATIVE: u16 = 0x8000;
    let half = |value: f32| half::f16::from_f32(value).to_bits();
    // Source registers v0, v1 and v3, and the low half of v2 in both settings of the bit.
    let check = |assembly: &str, bytes: &[u8], sources: [u32; 3], want: [u16; 2]| {
        for (bit, want) in [0, Mode::FP16_OVERFLOW].into_iter().zip(want) {
            let wave = run(assembly, bytes, |w| {
                w.set_mode_bits(Mode::HIP_BITS | bit);
                for (register, value) in [0, 1, 3].into_iter().zip(sources) {
                    w.v[register] = [value; LANES];
                }
            });
            assert_eq!(wave.v[2][5] as u16, want, "{assembly} {sources:x?}");
        }
    };
    let add = |a: u16, b: u16, want: [u16; 2]| {
        let sources = [a.into(), b.into(), 0];
        check(
            "v_add_f16_e32 v2, v0, v1",
            &[0x00, 0x03, 0x04, 0x3e],
            sources,
            want,
        );
    };
    add(MAX, MAX, [INF, MAX]);
    add(
        MAX | NEGATIVE,
        MAX | NEGATIVE,
        [INF | NEGATIVE, MAX | NEGATIVE],
    );
    add(INF, half(1.0), [INF, INF]);
    add(half(3.0), half(4.0), [half(7.0); 2]);
    let convert = |a: f32, want: [u16; 2]| {
        let sources = [a.to_bits(), 0, 0];
        check(
            "v_cvt_f16_f32_e32 v2, v0",
            &[0x00, 0x15, 0x04, 0x7e],
            sources,
            want,
        );
    };
    convert(70_000.0, [INF, MAX]);
    convert(-1e30, [INF | NEGATIVE, MAX | NEGATIVE]);
    convert(f32::INFINITY, [INF, INF]);
    convert(65_519.0, [MAX, MAX]);
    let reciprocal = |a: u16, want: [u16; 2]| {
        check(
            "v_rcp_f16_e32 v2, v0",
            &[0x00, 0x7b, 0x04, 0x7e],
            [a.into(), 0, 0],
            want,
        );
    };
    reciprocal(0, [INF, INF]);
    reciprocal(NEGATIVE, [INF | NEGATIVE, INF | NEGATIVE]);
    reciprocal(1, [INF, MAX]);
    // An integer beyond the range, an exponential, and a logarithm of zero.
    let one = |assembly: &str, op: u8, a: u32, want: [u16; 2]| {
        let bytes = [0x00, op << 1 | 1, 0x04, 0x7e];
        check(assembly, &bytes, [a, 0, 0], want);
    };
    one("v_cvt_f16_u16_e32 v2, v0", 0x39, 0xffff, [INF, MAX]);
    one("v_exp_f16_e32 v2, v0", 0x41, half(100.0).into(), [INF, MAX]);
    one(
        "v_log_f16_e32 v2, v0",
        0x40,
        0,
        [INF | NEGATIVE, INF | NEGATIVE],
    );
}

/// Each half of a pair is limited by itself, and a half that is computed from f32 is limited too.
#[test]
fn overflowing_halves_of_pairs_and_of_mixed_precision_are_limited() {
    let bits = Mode::HIP_BITS | Mode::FP16_OVERFLOW;
    // Low halves: 60000 * 2; high halves: infinity * 1.
    let pairs = run(
        "v_pk_mul_f16 v2, v0, v1",
        &[0x02, 0x40, 0x90, 0xd3, 0x00, 0x03, 0x02, 0x18],
        |w| {
            w.set_mode_bits(bits);
            w.v[0] = [0x7c00_0000 | u32::from(half::f16::from_f32(60_000.0).to_bits()); LANES];
            w.v[1] = [0x3c00_4000; LANES];
        },
    );
    assert_eq!(pairs.v[2], [0x7c00_7bff; LANES]);
    let mixed = run(
        "v_fma_mixlo_f16 v2, v0, v1, v3",
        &[0x02, 0x00, 0xa1, 0xd3, 0x00, 0x03, 0x0e, 0x04],
        |w| {
            w.set_mode_bits(bits);
            floats(w, 0, -1000.0);
            floats(w, 1, 1000.0);
            floats(w, 3, 1.0);
            w.v[2] = [0x1234_0000; LANES];
        },
    );
    assert_eq!(mixed.v[2], [0x1234_fbff; LANES]);
}
