use crate::{Real, shape};

/// `out[s][c] = a[s][c] * b[c]`: `a` and the result are `rows` x `cols`, which are the kernel's `S` x `C`, and `b` has `cols` elements
/// (`kernel_broadcast_mul`).
#[must_use]
pub fn broadcast_mul<R: Real>(a: &[R], b: &[R], rows: usize, cols: usize) -> Vec<R> {
    shape::expect("broadcast_mul", "a", a.len(), &[rows, cols]);
    shape::expect("broadcast_mul", "b", b.len(), &[cols]);
    a.iter()
        .zip(b.iter().cycle())
        .map(|(&a, &b)| a * b)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        #[rustfmt::skip]
        let a = [1.0f32, 2.0, 3.0,
                 4.0,    5.0, 6.0];
        assert_eq!(
            broadcast_mul(&a, &[1.0, 10.0, -1.0], 2, 3),
            [1.0, 20.0, -3.0, 4.0, 50.0, -6.0]
        );
    }
}
