//! A small generator of reproducible inputs.

/// The generator xorshift64*, which is good enough to fill matrices.
pub struct Random(u64);

impl Random {
    /// Creates a generator. Each seed gives another stream.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Returns a value in `low..high`.
    pub fn uniform(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.next() >> 40) as f32 / (1u32 << 24) as f32;
        low + unit * (high - low)
    }

    /// Returns `n` values in `low..high`.
    pub fn fill(&mut self, n: usize, low: f32, high: f32) -> Vec<f32> {
        (0..n).map(|_| self.uniform(low, high)).collect()
    }

    /// Returns a `rows` x `columns` matrix whose columns have the length 1.
    pub fn unit_columns(&mut self, rows: usize, columns: usize) -> Vec<f32> {
        let mut m = self.fill(rows * columns, -1.0, 1.0);
        for col in 0..columns {
            let norm = (0..rows)
                .map(|row| m[row * columns + col].powi(2))
                .sum::<f32>()
                .sqrt();
            for row in 0..rows {
                m[row * columns + col] /= norm;
            }
        }
        m
    }
}

/// Returns the largest absolute difference, or NaN if there is one anywhere.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |max, d| if d <= max { max } else { d })
}
