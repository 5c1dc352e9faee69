//! Time that kernels read by s_memtime and s_memrealtime.

use std::time::Instant;

/// Source of the time that kernels read.
#[derive(Clone, Copy, Debug, Default)]
pub enum Time {
    /// Number of instructions so far, which is the same in each run.
    #[default]
    Instructions,
    /// The host's clock since a moment, as counters with rates in kHz.
    Host {
        /// The moment.
        since: Instant,
        /// Rate of s_memtime, which counts cycles.
        cycles: u32,
        /// The rate of s_memrealtime.
        steady: u32,
    },
}

impl Time {
    /// Returns the cycles of s_memtime after a number of instructions.
    pub fn cycles(self, instructions: u64) -> u64 {
        match self {
            Time::Instructions => instructions,
            Time::Host { since, cycles, .. } => ticks(since, cycles),
        }
    }

    /// Returns the count of s_memrealtime after a number of instructions.
    pub fn steady(self, instructions: u64) -> u64 {
        match self {
            Time::Instructions => instructions,
            Time::Host { since, steady, .. } => ticks(since, steady),
        }
    }
}

/// Returns the ticks of a counter of `khz` kHz since a moment.
fn ticks(since: Instant, khz: u32) -> u64 {
    (since.elapsed().as_nanos() * u128::from(khz) / 1_000_000) as u64
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_clock_of_the_host_is_counted_at_the_rates_that_were_asked_for() {
        let since = Instant::now()
            .checked_sub(Duration::from_secs(2))
            .expect("a moment before");
        let time = Time::Host {
            since,
            cycles: 1_000_000,
            steady: 25_000,
        };
        let (cycles, steady) = (time.cycles(7), time.steady(7));
        assert!(
            (2_000_000_000..12_000_000_000).contains(&cycles),
            "{cycles}"
        );
        assert!((50_000_000..300_000_000).contains(&steady), "{steady}");
        assert_eq!(Time::default().cycles(7), 7);
        assert_eq!(Time::default().steady(7), 7);
    }
}
