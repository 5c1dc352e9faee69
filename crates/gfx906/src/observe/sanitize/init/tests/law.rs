//! Law of the check: an instruction's results from values that differ only in undefined bits differ only in undefined bits.

use super::super::alu::Alu;
use super::super::rule::Traits;
use super::super::shadow::Shadow;
use crate::isa::uses::SCC;
use crate::isa::{Encoding, decode};
use crate::machine::{Group, LANES, Observer, Op, Wave, rig};

/// Registers that the law's instructions read and write.
const VGPRS: u16 = 8;
const SGPRS: u16 = 8;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// Registers before and after an instruction.
#[derive(Clone, Default)]
struct RegisterState {
    v: Vec<[u32; LANES]>,
    s: Vec<u32>,
    scc: bool,
}

impl RegisterState {
    fn of(wave: &Wave) -> RegisterState {
        RegisterState {
            v: wave.v[..usize::from(VGPRS)].to_vec(),
            s: wave.s.to_vec(),
            scc: wave.scc,
        }
    }

    fn set(&self, wave: &mut Wave) {
        wave.v[..usize::from(VGPRS)].copy_from_slice(&self.v);
        wave.s.copy_from_slice(&self.s);
        wave.scc = self.scc;
    }
}

/// Observer of the first instruction and of the undefined bits after it.
struct Watch {
    shadow: Shadow,
    exec: u64,
    after: RegisterState,
    seen: bool,
}

impl Observer for Watch {
    fn fork(&self) -> Option<Watch> {
        None
    }
    fn join(&mut self, _: Watch) {}
    fn group(&mut self, _: &Group) {}
    fn before(&mut self, wave: &Wave, op: &Op, _: u64) {
        if self.seen {
            return;
        }
        let traits = Traits::of(&op.inst);
        let uses = op.inst.register_uses();
        let lanes = if op.encoding.is_vector() {
            wave.exec()
        } else {
            !0
        };
        let alu = Alu::new(&mut self.shadow, wave, op, &op.inst, &uses, lanes, true);
        self.exec = alu.run(traits.rule).0;
    }
    fn after(&mut self, wave: &Wave, _: &Op, _: u64) {
        if !self.seen {
            self.after = RegisterState::of(wave);
        }
        self.seen = true;
    }
}

/// Draws random words until they are an instruction that computes in the law's registers.
fn drawn(random: &mut Random) -> Option<(u64, &'static str)> {
    let low = random.next() as u32;
    let base = match random.next() % 8 {
        0 => 0x7e00_0000 | low & 0x01ff_ffff,
        1 | 2 => low & 0x7fff_ffff,
        3 | 4 => 0xd000_0000 | low & 0x03ff_07ff,
        5 => 0xbe80_0000 | low & 0x7f_ffff,
        6 => 0xbf00_0000 | low & 0x7f_ffff,
        _ => 0x8000_0000 | low & 0x3fff_ffff,
    };
    let mut high = random.next() as u32;
    // Most sources should be registers; VOP3 has nine bits for each.
    if base >> 26 == 0x34 {
        high = high & 0xe7ff_ffff & !0x7 << 29;
    }
    let words = u64::from(high) << 32 | u64::from(base);
    let inst = decode(&words.to_le_bytes()).ok()?;
    let computes = inst.encoding.is_vector_alu()
        || matches!(
            inst.encoding,
            Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc
        );
    let own = |code: u16| {
        code < SGPRS
            || (106..108).contains(&code)
            || (126..251).contains(&code)
            || code == 255
            || code == 253
            || (256..256 + VGPRS).contains(&code)
    };
    let operands = inst.row.operands.iter().zip(&inst.operands);
    let inside = operands.clone().all(|(operand, code)| {
        let last = code.0.saturating_add(operand.ty.registers() as u16 - 1);
        matches!(
            operand.role,
            crate::isa::Role::Simm16 | crate::isa::Role::Literal
        ) || own(code.0) && own(last)
    });
    let name = inst.row.mnemonic;
    let flow = [
        "pc_b64", "call", "fork", "join", "rfe", "setreg", "getreg", "vskip", "gpr_idx", "movrel",
        "clrexcp", "interp", "_mqsad", "_qsad",
    ];
    // Instructions that write EXEC, or two registers of which one is a source too, are tested by programs.
    let plain = !flow.iter().any(|part| name.contains(part)) && inst.row.semantics.is_some();
    let flags = inst.modifiers;
    let constant_apertures = operands
        .clone()
        .any(|(_, code)| (209..240).contains(&code.0) || (248..251).contains(&code.0));
    (computes && inside && plain && !constant_apertures && flags.omod == 0).then_some((words, name))
}

fn state(random: &mut Random) -> RegisterState {
    let word = |random: &mut Random| match random.next() % 4 {
        0 => random.next() as u32,
        1 => random.next() as u32 & 0x1f,
        2 => (random.next() as u32) & (random.next() as u32),
        _ => (random.next() as u32) | (random.next() as u32),
    };
    RegisterState {
        v: (0..VGPRS)
            .map(|_| std::array::from_fn(|_| word(random)))
            .collect(),
        s: (0..128).map(|_| word(random)).collect(),
        scc: random.next() & 1 != 0,
    }
}

/// Draws bits of which most are clear, in few lanes and registers.
fn sparse(random: &mut Random, mut like: RegisterState) -> RegisterState {
    let mut bits = |word: &mut u32| {
        *word = match random.next() % 4 {
            0 => 1 << (random.next() % 32),
            1 => random.next() as u32 & random.next() as u32,
            2 => !0,
            _ => 0,
        };
    };
    like.v.iter_mut().flatten().for_each(&mut bits);
    like.s.iter_mut().for_each(&mut bits);
    like.s[126..].fill(0);
    like
}

/// Describes a difference of two runs in bits that the first run calls defined.
fn difference(first: &Watch, second: &Watch) -> Option<String> {
    let vectors = first.after.v.iter().zip(&second.after.v).zip(256..);
    for ((a, b), register) in vectors {
        for lane in 0..LANES {
            let (a, b) = (a[lane], b[lane]);
            if (a ^ b) & !first.shadow.get(register, lane) != 0 {
                return Some(format!(
                    "v{} in lane {lane}: {a:#x} and {b:#x}",
                    register - 256
                ));
            }
        }
    }
    let scalars = first.after.s.iter().zip(&second.after.s).zip(0..126);
    for ((a, b), register) in scalars {
        if (a ^ b) & !first.shadow.get(register, 0) != 0 {
            return Some(format!("s{register}: {a:#x} and {b:#x}"));
        }
    }
    let exec = |state: &RegisterState| u64::from(state.s[126]) | u64::from(state.s[127]) << 32;
    if (exec(&first.after) ^ exec(&second.after)) & !first.exec != 0 {
        return Some("exec".to_owned());
    }
    (first.after.scc != second.after.scc && first.shadow.get(SCC, 0) == 0).then(|| "scc".to_owned())
}

#[test]
fn only_undefined_bits_depend_on_undefined_bits() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut tried = std::collections::BTreeMap::<&str, u32>::new();
    let mut wrong = std::collections::BTreeMap::new();
    for _ in 0..400_000 {
        let Some((words, name)) = drawn(&mut random) else {
            continue;
        };
        let count = tried.entry(name).or_default();
        *count += 1;
        if *count > 12 {
            continue;
        }
        let values = state(&mut random);
        let undefined = sparse(&mut random, values.clone());
        let scc_undefined = random.next().is_multiple_of(4);
        let other = sparse(&mut random, values.clone());
        let run = |flipped: bool| {
            let mut start = values.clone();
            if flipped {
                let flip = |word: &mut u32, (undefined, other): (&u32, &u32)| {
                    *word ^= undefined & (other | 0x5a5a_5a5a)
                };
                let v = start.v.iter_mut().flatten();
                v.zip(undefined.v.iter().flatten().zip(other.v.iter().flatten()))
                    .for_each(|(word, by)| flip(word, by));
                start
                    .s
                    .iter_mut()
                    .zip(undefined.s.iter().zip(&other.s))
                    .for_each(|(word, by)| flip(word, by));
                start.scc ^= scc_undefined;
            }
            let mut shadow = Shadow::default();
            shadow.begin(128, 256, !0);
            for (register, lanes) in (256..).zip(&undefined.v) {
                for (lane, &bits) in lanes.iter().enumerate() {
                    shadow.put(register, lane, bits, 0);
                }
            }
            for (register, &bits) in (0..126).zip(&undefined.s) {
                shadow.put(register, 0, bits, 0);
            }
            shadow.put(SCC, 0, scc_undefined.into(), 0);
            let mut watch = Watch {
                shadow,
                exec: 0,
                after: RegisterState::default(),
                seen: false,
            };
            let text = format!("{:08x} {:08x}", words as u32, words >> 32);
            let trap = rig::run(&text, 1, |wave| start.set(wave), &mut watch);
            (trap, watch)
        };
        let ((_, first), (_, second)) = (run(false), run(true));
        if !first.seen || !second.seen {
            continue;
        }
        if let Some(difference) = difference(&first, &second) {
            let inst = decode(&words.to_le_bytes()).expect("decoded before");
            wrong.insert(
                name,
                format!("{}: {difference}", crate::isa::disassemble(&inst)),
            );
        }
    }
    let wrong: Vec<&String> = wrong.values().collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(tried.len() > 500, "only {} instructions", tried.len());
}
