//! op: eight element-wise functions of one input. Other operators use some of them.

use crate::Real;
use crate::operators::sigmoid;
use crate::rule::producers::softplus;

/// Constant that the logarithms add to `|x|`, so that they are finite at 0. It is an f32 in the kernel.
const LOG_OFFSET: f32 = 0.001;

/// The eight results (`gdr_op_f32`).
#[derive(Clone, Debug, PartialEq)]
pub struct Ops<R> {
    /// `e^x`.
    pub exp: Vec<R>,
    /// `2^x`.
    pub exp2: Vec<R>,
    /// `ln(|x| + 0.001)`.
    pub log: Vec<R>,
    /// `log2(|x| + 0.001)`.
    pub log2: Vec<R>,
    /// [`safe_exp`].
    pub safe_exp: Vec<R>,
    /// [`softplus`] with beta 1 and threshold 20.
    pub softplus: Vec<R>,
    /// `1 / (1 + e^-x)`.
    pub sigmoid: Vec<R>,
    /// [`silu`].
    pub silu: Vec<R>,
}

/// Computes all eight results for each element.
#[must_use]
pub fn ops<R: Real>(x: &[R]) -> Ops<R> {
    let each = |f: &dyn Fn(R) -> R| x.iter().map(|&x| f(x)).collect();
    Ops {
        exp: each(&R::exp),
        exp2: each(&|x| R::from_f64(x.to_f64().exp2())),
        log: each(&|x| log_argument(x).ln()),
        log2: each(&|x| R::from_f64(log_argument(x).to_f64().log2())),
        safe_exp: each(&safe_exp),
        softplus: each(&softplus),
        sigmoid: sigmoid(x),
        silu: each(&silu),
    }
}

/// Returns `e^x` for `x <= 0`, else 0. No exponent that the rule uses is positive, so a positive one belongs to a masked element, which must
/// not overflow.
#[must_use]
pub fn safe_exp<R: Real>(x: R) -> R {
    if x <= R::ZERO { x.exp() } else { R::ZERO }
}

/// `x / (1 + e^-x)`.
#[must_use]
pub fn silu<R: Real>(x: R) -> R {
    x * sigmoid(&[x])[0]
}

/// `|x| + 0.001`.
fn log_argument<R: Real>(x: R) -> R {
    let size = if x < R::ZERO { -x } else { x };
    size + R::from_f64(f64::from(LOG_OFFSET))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let x = [3.0f64, -1.0, 0.0];
        let got = ops(&x);
        assert_eq!(got.exp2, [8.0, 0.5, 1.0]);
        assert_eq!(got.exp[2], 1.0);
        assert_eq!(got.safe_exp, [0.0, (-1f64).exp(), 1.0]);
        assert_eq!(got.sigmoid[2], 0.5);
        assert_eq!(got.silu[2], 0.0);
        assert!((got.softplus[2] - 2f64.ln()).abs() < 1e-16);
        // 0.001 is not a float: both logarithms take the f32 nearest to it, so they agree
        for (ln, log2) in got.log.iter().zip(&got.log2) {
            assert!((ln / 2f64.ln() - log2).abs() < 1e-14);
        }
        assert!((got.log[2] - 0.001f64.ln()).abs() < 1e-7);
        assert!((got.log[0] - 3.001f64.ln()).abs() < 1e-7);
        assert_eq!(got.log[1], ops(&[1.0f64]).log[0]);
    }

    #[test]
    fn silu_is_x_from_above_and_nothing_from_below() {
        assert_eq!(silu(100.0f32), 100.0);
        assert_eq!(silu(-200.0f32), 0.0);
        // 3/4 of ln 3
        assert!((silu(3f64.ln()) - 0.75 * 3f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn what_is_beyond_f32() {
        let got = ops(&[100.0f32, -200.0, f32::INFINITY]);
        assert_eq!(got.exp, [f32::INFINITY, 0.0, f32::INFINITY]);
        assert_eq!(got.safe_exp, [0.0, 0.0, 0.0]);
        assert_eq!(got.softplus, [100.0, 0.0, f32::INFINITY]);
        assert_eq!(got.sigmoid, [1.0, 0.0, 1.0]);
    }
}
