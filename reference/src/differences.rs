//! Finite differences, which test gradients.

/// Distance of the two points of a central difference.
const STEP: f64 = 1e-5;

/// Asserts that a gradient has the slopes of the loss. `loss(at, step)` is the loss with element `at` moved by `step`.
pub(crate) fn assert_gradient(gradient: &[f64], loss: impl Fn(usize, f64) -> f64, what: &str) {
    for (at, &computed) in gradient.iter().enumerate() {
        let slope = (loss(at, STEP) - loss(at, -STEP)) / (2.0 * STEP);
        assert!(
            (slope - computed).abs() < 1e-8 * slope.abs().max(1.0),
            "{what}[{at}]: {computed}, slope {slope}"
        );
    }
}
