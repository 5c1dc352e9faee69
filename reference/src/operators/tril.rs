use crate::{Real, shape};

/// `src` where `col <= row + diag`, 0 elsewhere; n x n (`kernel_tril`). `diag` 0 keeps the diagonal, -1 drops it.
#[must_use]
pub fn tril<R: Real>(src: &[R], n: usize, diag: i32) -> Vec<R> {
    shape::expect("tril", "src", src.len(), &[n, n]);
    let keep = |i: usize| (i % n) as i64 <= (i / n) as i64 + i64::from(diag);
    src.iter()
        .enumerate()
        .map(|(i, &x)| if keep(i) { x } else { R::ZERO })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        #[rustfmt::skip]
        let m = [1.0f32, 2.0, 3.0,
                 4.0,    5.0, 6.0,
                 7.0,    8.0, 9.0];
        assert_eq!(
            tril(&m, 3, 0),
            [1.0, 0.0, 0.0, 4.0, 5.0, 0.0, 7.0, 8.0, 9.0]
        );
        assert_eq!(
            tril(&m, 3, -1),
            [0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 7.0, 8.0, 0.0]
        );
        assert_eq!(
            tril(&m, 3, 1),
            [1.0, 2.0, 0.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
        );
        assert_eq!(tril(&m, 3, i32::MAX), m);
        assert_eq!(tril(&m, 3, i32::MIN), [0.0; 9]);
    }
}
