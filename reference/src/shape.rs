//! The check of a tensor's length against its shape.

/// Panics unless the tensor has the length of its documented shape.
#[track_caller]
pub(crate) fn expect(operator: &str, tensor: &str, length: usize, shape: &[usize]) {
    let expected: usize = shape.iter().product();
    assert!(
        length == expected,
        "{operator}: {tensor} has {length} elements, its shape {shape:?} has {expected}: pass a slice of that length"
    );
}
