use crate::{Real, shape};

/// `out[j][i] = in[i][j]`: `input` is `rows` x `cols`, the result `cols` x `rows` (`kernel_transpose`).
#[must_use]
pub fn transpose<R: Real>(input: &[R], rows: usize, cols: usize) -> Vec<R> {
    shape::expect("transpose", "in", input.len(), &[rows, cols]);
    (0..cols)
        .flat_map(|col| (0..rows).map(move |row| input[row * cols + col]))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        #[rustfmt::skip]
        let m = [1.0f32, 2.0, 3.0,
                 4.0,    5.0, 6.0];
        assert_eq!(transpose(&m, 2, 3), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }
}
