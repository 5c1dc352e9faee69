//! Counters of executed instructions and memory traffic of launches.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Lanes of a wave.
const LANES: u64 = 64;

/// Counters of one launch, or of several together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CountersReport {
    /// Wave instructions by kind: `salu`, `valu`, `smem`, `vmem`, `lds`, `branch`, `control`.
    pub by_kind: BTreeMap<String, u64>,
    /// Wave instructions that work lane by lane: vector ALU, vector memory and LDS.
    pub vector_instructions: u64,
    /// Active lanes, summed over the vector instructions.
    pub active_lanes: u64,
    /// The share of lanes that were active in vector instructions, from 0 to 1; none where there were no vector instructions.
    pub lane_utilisation: Option<f64>,
    /// Bytes that instructions asked for, by kind of memory: `memory`, `scratch`, `lds`, `scalar`.
    pub bytes: BTreeMap<String, BytesReport>,
    /// The `s_barrier` instructions that waves executed.
    pub barriers: u64,
    /// Branches after which a wave did not go on with the next instruction in memory.
    pub branches_taken: u64,
}

/// Bytes of a kind of memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesReport {
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
}

impl CountersReport {
    /// Adds the counters of another launch.
    pub fn add(&mut self, other: &CountersReport) {
        for (kind, count) in &other.by_kind {
            *self.by_kind.entry(kind.clone()).or_default() += count;
        }
        for (space, bytes) in &other.bytes {
            let sum = self.bytes.entry(space.clone()).or_default();
            sum.read += bytes.read;
            sum.written += bytes.written;
        }
        self.vector_instructions += other.vector_instructions;
        self.active_lanes += other.active_lanes;
        self.barriers += other.barriers;
        self.branches_taken += other.branches_taken;
        let lanes = self.vector_instructions * LANES;
        self.lane_utilisation = (lanes != 0).then(|| self.active_lanes as f64 / lanes as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_add_up() {
        let one = CountersReport {
            by_kind: [("valu".to_owned(), 3)].into(),
            vector_instructions: 3,
            active_lanes: 96,
            lane_utilisation: Some(0.5),
            bytes: [(
                "lds".to_owned(),
                BytesReport {
                    read: 4,
                    written: 0,
                },
            )]
            .into(),
            barriers: 1,
            branches_taken: 2,
        };
        let mut sum = CountersReport::default();
        sum.add(&one);
        assert_eq!(sum, one);
        let other = CountersReport {
            by_kind: [("lds".to_owned(), 1), ("valu".to_owned(), 1)].into(),
            vector_instructions: 1,
            active_lanes: 64,
            ..CountersReport::default()
        };
        sum.add(&other);
        assert_eq!(
            sum.by_kind,
            [("lds".to_owned(), 1), ("valu".to_owned(), 4)].into()
        );
        assert_eq!(sum.lane_utilisation, Some(160.0 / 256.0));
    }
}
