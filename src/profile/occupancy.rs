//! Occupancy: the number of work-groups that a compute unit holds at once, and the limiting resource.

use serde::Serialize;

use super::constants::{BARRIERS, LDS, LDS_GRANULE, SIMDS, VGPR_GRANULE, VGPRS, WAVES};

/// The resources that a work-group needs from a compute unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// Its waves.
    pub waves: u32,
    /// VGPRs of a wave.
    pub vgprs: u32,
    /// Bytes of LDS.
    pub lds: u32,
}

/// The occupancy of a compute unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Occupancy {
    /// Work-groups at once.
    pub groups: u32,
    /// Waves of these work-groups on each SIMD.
    pub waves_a_simd: f64,
    /// The resource that limits the occupancy: `waves`, `vgprs`, `lds`, `barriers`.
    pub limiter: &'static str,
    /// Work-groups that the slots for waves would hold.
    pub by_waves: u32,
    /// Work-groups that the registers would hold.
    pub by_vgprs: u32,
    /// Work-groups that the LDS would hold; none if they take no LDS.
    pub by_lds: Option<u32>,
    /// Work-groups that the barriers would allow; none if a work-group has one wave.
    pub by_barriers: Option<u32>,
}

/// Computes how many such work-groups a compute unit holds.
pub fn occupancy(needs: Needs) -> Occupancy {
    let Needs { waves, vgprs, lds } = needs;
    let (waves, simds) = (waves.max(1), SIMDS as u32);
    let each = vgprs.max(1).next_multiple_of(VGPR_GRANULE);
    let by_waves = simds * WAVES / waves;
    let by_vgprs = simds * (VGPRS / each).min(WAVES) / waves;
    let by_lds = (lds > 0).then(|| LDS / lds.next_multiple_of(LDS_GRANULE));
    let by_barriers = (waves > 1).then_some(BARRIERS);
    let limits = [
        ("waves", Some(by_waves)),
        ("vgprs", Some(by_vgprs)),
        ("lds", by_lds),
        ("barriers", by_barriers),
    ];
    let known = limits
        .iter()
        .filter_map(|(name, most)| Some((*name, (*most)?)));
    let (limiter, groups) = known.min_by_key(|(_, most)| *most).unwrap_or(("waves", 1));
    // A work-group that can be launched fits an empty compute unit.
    let groups = groups.max(1);
    Occupancy {
        groups,
        waves_a_simd: f64::from(groups * waves) / f64::from(simds),
        limiter,
        by_waves,
        by_vgprs,
        by_lds,
        by_barriers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(waves: u32, vgprs: u32, lds: u32) -> (u32, f64, &'static str) {
        let found = occupancy(Needs { waves, vgprs, lds });
        (found.groups, found.waves_a_simd, found.limiter)
    }

    /// CLRX's table: VGPRs that a wave may have at most for so many waves a SIMD.
    #[test]
    fn registers_allow_as_many_waves_as_the_table_says() {
        let table = [
            (24, 10),
            (28, 9),
            (32, 8),
            (36, 7),
            (40, 6),
            (48, 5),
            (64, 4),
            (84, 3),
            (128, 2),
            (256, 1),
        ];
        for (vgprs, waves) in table {
            assert_eq!(of(1, vgprs, 0).1, f64::from(waves), "{vgprs} VGPRs");
            if vgprs < 256 {
                assert!(
                    of(1, vgprs + 1, 0).1 < f64::from(waves),
                    "{vgprs} VGPRs and one"
                );
            }
        }
    }

    #[test]
    fn what_is_scarcest_limits() {
        assert_eq!(of(4, 24, 0), (10, 10.0, "waves"));
        assert_eq!(of(4, 64, 0), (4, 4.0, "vgprs"));
        assert_eq!(of(4, 24, 20_000), (3, 3.0, "lds"));
        assert_eq!(of(2, 24, 0), (16, 8.0, "barriers"));
        assert_eq!(of(1, 24, 512), (40, 10.0, "waves"));
        assert_eq!(of(1, 24, 1 << 16), (1, 0.25, "lds"));
        assert_eq!(of(1, 24, 16_385), (3, 0.75, "lds"), "16,896 bytes each");
        assert_eq!(of(16, 128, 0), (1, 4.0, "vgprs"));
        assert_eq!(of(3, 256, 0), (1, 0.75, "vgprs"));
    }
}
