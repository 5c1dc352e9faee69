//! The watch of a group that does not end: which loads wait.
//!
//! The group goes on for some thousand instructions more under an observer. A load that reads the same values from the same addresses each
//! time is a *poll*: the loop around it ends when somebody else writes there.

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
use super::spin::{LastWrite, Poll, Spin};
use super::wave::Wave;

/// Instructions of the group that are watched, for each of its waves.
const WATCHED: u64 = 1 << 14;

/// A load of a wave in the loop.
struct Load {
    access: (u64, Space, [u64; LANES]),
    text: String,
    value: u32,
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
        if op.traffic.read != 0 && op.traffic.written == 0 {
            let stride = u64::from(wave.index) * self.group.scratch_stride;
            accesses(wave, op, self.group.scratch + stride, &mut self.access);
        }
    }

    fn after(&mut self, wave: &Wave, op: &Op, pc: u64) {
        let Some(part) = self.access.parts.first() else {
            return;
        };
        let Some(register) = part
            .register
            .filter(|_| part.reads && part.space != Space::Scratch)
        else {
            return;
        };
        let lane = part.lanes.trailing_zeros() as usize % LANES;
        let value = match register.checked_sub(256) {
            Some(vgpr) => wave.v[usize::from(vgpr) % 256][lane],
            None => wave.s.get(usize::from(register)).copied().unwrap_or(0),
        };
        let access = (part.lanes, part.space, part.at);
        let load = self.loads.entry((wave.index, pc)).or_insert_with(|| Load {
            access,
            text: op.text(),
            value,
            runs: 0,
            same: true,
        });
        load.runs += 1;
        load.same &= load.access == access && load.value == value;
    }
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
            lds: space == Space::Lds,
            address,
            place: nearest.map(|near| (near.name, address - near.base)),
            value: load.value,
            off: begun & !watch.on.get(&wave).copied().unwrap_or(!0),
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
