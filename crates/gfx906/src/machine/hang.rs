//! The watch of a group that does not end: which loads and atomics wait.
//!
//! The group goes on for some thousand instructions more under an observer. A load that reads the same values from the same addresses each
//! time is a *poll*: the loop around it ends when somebody else writes there. So is an atomic that returns the same values, as in a loop
//! that takes a lock. A lane that is switched off and has another result of that atomic in its register holds the lock: the loop does not
//! change the registers of such a lane.

use std::collections::{BTreeMap, BTreeSet};

use super::access::{Access, Space, accesses};
use super::budget::{Budget, Meter};
use super::env::Env;
use super::group::{self, GroupStop, Progress};
use super::launch::Limits;
use super::observer::{Group, Observer};
use super::op::Op;
use super::program::SegmentCode;
use super::registers::LANES;
use super::spin::{Holder, LastWrite, Poll, Spin};
use super::wave::Wave;
use crate::isa::{self, Encoding, Flags, Role};

/// Instructions of the group that are watched, for each of its waves.
const WATCHED: u64 = 1 << 14;

/// A load of a wave in the loop, or an atomic with a result.
struct Load {
    access: (u64, Space, [u64; LANES]),
    text: String,
    atomic: bool,
    value: u32,
    holder: Option<Holder>,
    runs: u64,
    same: bool,
}

/// Observer of a group that does not end.
struct Watch {
    group: Group,
    access: Access,
    loads: BTreeMap<(u32, u64), Load>,
    /// Lanes that each wave has enabled.
    on: BTreeMap<u32, u64>,
}

impl Observer for Watch {
    fn fork(&self) -> Option<Watch> {
        None
    }

    fn join(&mut self, _: Watch) {}

    fn before(&mut self, wave: &Wave, op: &Op, _: u64) {
        self.access.clear();
        if op.encoding.is_vector() || op.traffic.read != 0 {
            *self.on.entry(wave.index).or_insert(0) |= wave.lanes_on();
        }
        let atomic = op.traffic.written != 0;
        if op.traffic.read != 0 && (!atomic || returned(op).is_some()) {
            let stride = u64::from(wave.index) * self.group.scratch_stride;
            accesses(wave, op, self.group.scratch + stride, &mut self.access);
        }
    }

    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        let Some(part) = self.access.parts.first() else {
            return;
        };
        let register = if self.access.atomic {
            returned(op)
        } else {
            part.register
        };
        let Some(register) = register.filter(|_| part.reads && part.space != Space::Scratch) else {
            return;
        };
        let lane = part.lanes.trailing_zeros() as usize % LANES;
        let value = contents(wave, register, lane);
        let holder = match self.access.atomic {
            true => holder(wave, op, part.lanes, (register, value)),
            false => None,
        };
        let access = (part.lanes, part.space, part.at);
        let load = self.loads.entry((wave.index, pc)).or_insert_with(|| Load {
            access,
            text: op.text(),
            atomic: self.access.atomic,
            value,
            holder,
            runs: 0,
            same: true,
        });
        load.runs += 1;
        load.same &= load.access == access && load.value == value;
    }
}

/// Returns the first register that gets the result of an atomic, if it has a result.
fn returned(op: &Op) -> Option<u16> {
    let glc = op.modifiers.flags.has(Flags::GLC);
    let register = match op.encoding {
        Encoding::Mubuf | Encoding::Mimg | Encoding::Smem if glc => op.by_role(Role::Data).0,
        Encoding::Mubuf | Encoding::Mimg | Encoding::Smem => return None,
        _ => op.by_role(Role::Vdst).0,
    };
    (register < 512).then_some(register)
}

/// Returns a register of a lane.
fn contents(wave: &Wave, register: u16, lane: usize) -> u32 {
    match register.checked_sub(256) {
        Some(vgpr) => wave.v[usize::from(vgpr) % 256][lane],
        None => wave.s.get(usize::from(register)).copied().unwrap_or(0),
    }
}

/// Returns the lane that is switched off and has another result than the first waiting lane. Its operands must be the same: so it has run the
/// atomic at the same place, and its registers are not left from other work. A lock has one holder, so there must be one such lane, and a
/// compare-and-swap must have succeeded.
fn holder(wave: &Wave, op: &Op, lanes: u64, (result, value): (u16, u32)) -> Option<Holder> {
    let first = lanes.trailing_zeros() as usize % LANES;
    let named = op.row.operands.iter().zip(&op.inst.operands);
    let read = named
        .filter(|(operand, code)| operand.access != isa::Access::Write && code.as_vgpr().is_some());
    let changed = op.row.operands.iter().zip(&op.inst.operands);
    let changed =
        changed.filter(|(operand, code)| operand.access != isa::Access::Read && code.0 == result);
    let changed = changed.map(|(operand, _)| op.inst.registers(operand)).max();
    let changed = result..result + changed.unwrap_or(1);
    let sources: Vec<u16> = read
        .flat_map(|(operand, code)| code.0..code.0 + op.inst.registers(operand))
        .filter(|register| !changed.contains(register))
        .collect();
    let compared = compared(op).filter(|register| !changed.contains(register));
    let is_holder = |lane: &usize| {
        let of = |register: u16| contents(wave, register, *lane);
        let same = |register: &u16| of(*register) == contents(wave, *register, first);
        wave.lanes_on() >> *lane & 1 == 0
            && of(result) != value
            && compared.is_none_or(|compared| of(result) == of(compared))
            && sources.iter().all(same)
    };
    let vector = result >= 256 && !sources.is_empty();
    let mut holders = (0..LANES).filter(|lane| vector && is_holder(lane));
    let lane = holders.next().filter(|_| holders.next().is_none())?;
    Some(Holder {
        lane: lane as u32,
        value: contents(wave, result, lane),
    })
}

/// Returns the first register of the value with which a compare-and-swap compares memory.
fn compared(op: &Op) -> Option<u16> {
    let data = op.row.operands.iter().zip(&op.inst.operands);
    let mut data = data.filter(|(operand, _)| operand.role == Role::Data);
    let (operand, code) = data.next()?;
    let mnemonic = op.row.mnemonic;
    if mnemonic.contains("cmpswap") {
        return Some(code.0 + op.inst.registers(operand) / 2);
    }
    mnemonic.contains("cmpst").then_some(code.0)
}

/// Watches a group that has used up its budget. `items` is the number of its work-items, and `base` the guest address of link address 0.
pub(super) fn watch(
    waves: &mut [Wave],
    env: &mut Env<'_>,
    programs: &[SegmentCode],
    number: u64,
    progress: &mut Progress,
    limits: Limits,
    (group, items, base): (Group, u64, u64),
) -> Spin {
    let budget = Budget::new(
        Limits {
            instructions: WATCHED * waves.len() as u64,
            seconds: f64::INFINITY,
            ..limits
        },
        None,
    );
    let mut watch = Watch {
        group,
        access: Access::default(),
        loads: BTreeMap::new(),
        on: BTreeMap::new(),
    };
    let mut meter = Meter::new(&budget);
    let ended_waves = progress.ended(waves.len());
    // The group may reach its end at last, or a fault: what it has read until then counts.
    let done = group::advance(
        waves,
        env,
        programs,
        number,
        &mut meter,
        &mut watch,
        progress,
        u64::MAX,
    );
    let ended = matches!(done, Ok(GroupStop::End));
    let reads = !watch.loads.is_empty();
    // A wave that reads other values, or at other places, goes on.
    let moving: BTreeSet<u32> = watch
        .loads
        .iter()
        .filter(|(_, load)| !load.same)
        .map(|((wave, _), _)| *wave)
        .collect();
    let memory = env.memory;
    let mut polls: Vec<Poll> = Vec::new();
    for ((wave, pc), load) in watch.loads {
        if ended || moving.contains(&wave) || load.runs < 2 {
            continue;
        }
        let (lanes, space, at) = load.access;
        let begun = match items.saturating_sub(u64::from(wave) * LANES as u64) {
            64.. => !0,
            count => (1 << count) - 1,
        };
        let address = at[lanes.trailing_zeros() as usize % LANES];
        let nearest = memory.nearest(address).filter(|near| {
            space == Space::Global && near.distance == 0 && address < near.base + near.size
        });
        let poll = Poll {
            pc: pc.wrapping_sub(base),
            instruction: load.text,
            source: None,
            waves: vec![wave],
            lanes,
            atomic: load.atomic,
            lds: space == Space::Lds,
            address,
            place: nearest.map(|near| (near.name, address - near.base)),
            value: load.value,
            off: begun & !watch.on.get(&wave).copied().unwrap_or(!0),
            holder: load.holder,
            written: LastWrite::Unknown,
        };
        let same = |other: &&mut Poll| {
            let waves = other.waves.clone();
            **other
                == Poll {
                    waves,
                    ..poll.clone()
                }
        };
        match polls.iter_mut().find(same) {
            Some(other) => other.waves.push(wave),
            None => polls.push(poll),
        }
    }
    Spin {
        polls,
        reads,
        ended,
        at_barrier: progress.at_barrier(waves.len()),
        ended_waves,
        later: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::LastWrite;
    use crate::machine::rig;

    /// ```text
    /// v_lshlrev_b32 v5, 2, v0
    /// s_mov_b64 exec, 14
    /// loop: global_load_dword v1, v5, s[0:1]
    /// s_waitcnt vmcnt(0)
    /// v_cmp_ne_u32 vcc, 0, v1
    /// s_cbranch_vccz loop
    /// ```
    const LANES_WAIT: &str = "240a0082 befe018e dc508000 01000005 bf8c0f70 7d9a0280 bf86fffa";

    #[test]
    fn lanes_that_wait_and_lanes_that_are_off_are_told() {
        let spin = rig::hang(LANES_WAIT, 2, |_| ());
        let told = "\n  waits       0x108: waves 0, 1, lanes 1 to 3 read 0 again and again at byte 4 of `memory`; lanes 0, 4 to 63 of the \
            same wave are switched off until the loop ends, so a lane that waits for them waits for its own wave";
        assert_eq!(spin.to_string(), told);
    }

    /// ```text
    /// s_cmp_eq_u32 s2, 0
    /// s_cbranch_scc1 poll
    /// s_barrier
    /// poll: v_mov_b32 v5, 8
    /// loop: ds_read_b32 v1, v5
    /// s_waitcnt lgkmcnt(0)
    /// v_cmp_eq_u32 vcc, 0, v1
    /// s_cbranch_vccz loop
    /// ```
    const BARRIER: &str =
        "bf068002 bf850001 bf8a0000 7e0a0288 d86c0000 01000005 bf8cc07f 7d940280 bf86fffa";

    #[test]
    fn waves_at_a_barrier_are_told() {
        let spin = rig::hang(BARRIER, 3, |wave| wave.s[2] = wave.index);
        let poll = spin.polls.first().expect("a poll");
        assert_eq!((&poll.waves[..], poll.off, poll.address), (&[0][..], 0, 8));
        assert!(poll.lds && poll.instruction == "ds_read_b32 v1, v5");
        let told = spin.to_string();
        assert!(
            told.ends_with("at byte 8 of LDS\n  barrier     waves 1, 2 wait there"),
            "{told}"
        );
    }

    /// ```text
    /// s_cmp_eq_u32 s2, 0
    /// s_cbranch_scc0 end
    /// loop: global_load_dword v1, v5, s[0:1]
    /// s_waitcnt vmcnt(0)
    /// v_cmp_eq_u32 vcc, 0, v1
    /// s_cbranch_vccnz loop
    /// end:
    /// ```
    const OTHERS_END: &str = "bf068002 bf840005 dc508000 01000005 bf8c0f70 7d940280 bf87fffb";

    #[test]
    fn waves_that_have_ended_and_later_groups_are_told() {
        let mut spin = rig::hang(OTHERS_END, 3, |wave| {
            wave.s[2] = wave.index;
            wave.v[5] = [0; 64];
        });
        assert_eq!((&spin.ended_waves[..], spin.later), (&[1, 2][..], 0));
        assert!(
            spin.to_string()
                .ends_with("\n  gone        waves 1, 2 have ended and will write nothing")
        );
        spin.later = 1;
        spin.polls[0].written = LastWrite::Nobody;
        let told = spin.to_string();
        assert!(
            told.contains("\n  written     never: no work-item has written there, "),
            "{told}"
        );
        assert!(
            told.contains("\n  later       1 work-group comes after this one: "),
            "{told}"
        );
    }

    #[test]
    fn a_loop_without_a_load_waits_for_no_memory() {
        let told = rig::hang("bf82ffff", 1, |_| ()).to_string();
        assert_eq!(
            told,
            "\n  waits       for no value in memory: the waves read none"
        );
    }

    /// ```text
    /// s_movk_i32 s2, 11000
    /// loop: s_sub_u32 s2, s2, 1
    /// global_load_dword v1, v5, s[0:1]
    /// s_cmp_lg_u32 s2, 0
    /// s_cbranch_scc1 loop
    /// ```
    const LONG: &str = "b0022af8 80828102 dc508000 01000005 bf078002 bf85fffb";

    /// Lane 0 takes the lock and is switched off; the others try again and again.
    ///
    /// ```text
    /// v_mov_b32 v3, 0
    /// ds_write_b32 v5, v3
    /// s_mov_b64 exec, 15
    /// v_mov_b32 v2, 1
    /// loop: ATOMIC
    /// s_waitcnt vmcnt(0) lgkmcnt(0)
    /// v_cmp_ne_u32 vcc, 0, v1
    /// s_and_b64 exec, exec, vcc
    /// s_cbranch_execnz loop
    /// ```
    fn lock(atomic: &str) -> String {
        let loop_words = 5 + atomic.split(' ').count() as u16 - 1;
        let back = format!("bf89{:04x}", 0u16.wrapping_sub(loop_words));
        format!(
            "7e060280 d81a0000 00000305 befe018f 7e040281 {atomic} bf8c0070 7d9a0280 86fe6a7e {back}"
        )
    }

    #[test]
    fn an_atomic_that_takes_a_lock_waits_for_a_lane_of_its_own_wave() {
        for (atomic, place) in [
            ("dd058000 01000205", "byte 0 of `memory`"),
            ("dd018000 01000205", "byte 0 of `memory`"),
            ("d85a0000 01000205", "byte 0 of LDS"),
        ] {
            let spin = rig::hang(&lock(atomic), 1, |wave| wave.v[5] = [0; 64]);
            let told = spin.to_string();
            let wanted = format!(
                "\n  waits       0x114: an atomic of wave 0, lanes 1 to 3 returns 1 again and again at {place}; lane 0 of the same wave \
                 got 0 from it and is switched off until the loop ends, so it cannot release a lock: release it within the loop, or let \
                 one lane of a wave take it"
            );
            assert_eq!(told, wanted);
        }
    }

    #[test]
    fn lanes_that_never_ran_the_atomic_hold_nothing() {
        // Registers of lanes 4 to 63 have another value than the result, and other operands.
        let spin = rig::hang(&lock("dd058000 01000205"), 1, |wave| {
            wave.v[5] = [4; 64];
            wave.v[2] = [7; 64];
        });
        assert_eq!(spin.polls.len(), 1);
        assert_eq!(spin.polls[0].holder.map(|holder| holder.lane), Some(0));
        // Lanes 1 to 63 have the operands of lane 0, and have never run the atomic.
        let words = "7e060280 7e040281 befe0181 dd058000 01000205 bf8c0070 bf82fffc";
        let spin = rig::hang(words, 1, |wave| {
            wave.v[5] = [0; 64];
            wave.v[1] = [0xffa1_ffa1; 64];
        });
        assert_eq!(spin.polls.len(), 1);
        assert_eq!(spin.polls[0].holder, None, "{spin}");
        // An atomic without a result is no read.
        let told =
            rig::hang("dd088000 00000205 bf82fffd", 1, |wave| wave.v[5] = [0; 64]).to_string();
        assert_eq!(
            told,
            "\n  waits       for no value in memory: the waves read none"
        );
        // An atomic whose results change does not wait.
        let spin = rig::hang("dd098000 01000205 bf82fffd", 1, |wave| wave.v[5] = [0; 64]);
        assert!(spin.polls.is_empty() && spin.reads);
    }

    #[test]
    fn a_long_loop_is_no_wait() {
        let spin = rig::hang(LONG, 1, |wave| wave.v[5] = [0; 64]);
        assert_eq!(
            (spin.ended, spin.polls.len()),
            (false, 1),
            "it reads one place"
        );
        // 4000 rounds of four instructions end while they are watched.
        let short = LONG.replace("b0022af8", "b0020fa0");
        let told = rig::hang(&short, 1, |wave| wave.v[5] = [0; 64]).to_string();
        assert_eq!(
            told,
            "\n  ended       soon after: the work-group needs a larger budget"
        );
    }
}
