//! Check of tensor shapes.

/// Panics unless the tensor has the length of its documented shape.
#[track_caller]
pub(crate) fn expect(operator: &str, tensor: &str, length: usize, shape: &[usize]) {
    let wanted: usize = shape.iter().product();
    assert!(
        length == wanted,
        "{operator}: {tensor} has {length} elements, its shape {shape:?} has {wanted}: pass a slice of that length"
    );
}
