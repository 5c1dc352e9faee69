//! The judgement of a trial's buffers: guards, then unchanged inputs.

use crate::report::model::Problem;
use crate::tensor::Axis;

use super::guards;
use crate::tensor::guards::{Guards, payload};
use crate::tensor::{self, ElementKind};

/// A device buffer read back after the launches.
#[derive(Clone, Copy, Debug)]
pub struct BufferAfter<'a> {
    /// The buffer's name.
    pub name: &'a str,
    /// The type of the buffer's elements.
    pub kind: ElementKind,
    /// The buffer's axes, outermost first.
    pub axes: &'a [Axis],
    /// The bytes of the buffer with its guards, as [`crate::tensor::guards::frame`] laid them out.
    pub image: &'a [u8],
    /// Sizes of the guards.
    pub guards: Guards,
    /// The uploaded bytes of an input that must stay unchanged.
    pub unchanged: Option<&'a [u8]>,
}

/// Returns the first problem of the buffers. Every guard goes before every input.
pub fn judge_buffers(buffers: &[BufferAfter<'_>]) -> Option<Problem> {
    let guard = buffers
        .iter()
        .find_map(|buffer| guards::check(buffer.name, buffer.image, buffer.guards));
    guard.or_else(|| buffers.iter().find_map(input_changed))
}

fn input_changed(buffer: &BufferAfter<'_>) -> Option<Problem> {
    let was = buffer.unchanged?;
    let is = payload(buffer.image, buffer.guards);
    if was == is {
        return None;
    }
    let size = buffer.kind.size();
    let element = |bytes: &[u8], at: usize| -> Vec<u8> {
        bytes.iter().copied().skip(at * size).take(size).collect()
    };
    let total = was.len().max(is.len()).div_ceil(size);
    let mut changed = (0..total).filter(|&at| element(was, at) != element(is, at));
    let first = changed.next()?;
    Some(Problem::InputChanged {
        input: buffer.name.to_string(),
        axes: buffer.axes.to_vec(),
        index: tensor::index(buffer.axes, first),
        was: buffer.kind.value(&element(was, first)),
        is: buffer.kind.value(&element(is, first)),
        count: 1 + changed.count(),
        total,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::encode;
    use crate::tensor::guards::{GUARD_BYTES, frame};

    fn buffer<'a>(
        name: &'a str,
        axes: &'a [Axis],
        image: &'a [u8],
        was: Option<&'a [u8]>,
    ) -> BufferAfter<'a> {
        BufferAfter {
            name,
            kind: ElementKind::F32,
            axes,
            image,
            guards: Guards::FULL,
            unchanged: was,
        }
    }

    #[test]
    fn an_input_must_be_unchanged_bit_for_bit() {
        let axes = [Axis::new("row", 2), Axis::new("column", 2)];
        let was = encode(&[1.0f32, 2.0, 0.0, 4.0]);
        let is = frame(&encode(&[1.0f32, 2.0, -0.0, 5.0]), Guards::FULL);
        let problem = judge_buffers(&[buffer("a", &axes, &is, Some(&was))]);
        assert_eq!(
            problem,
            Some(Problem::InputChanged {
                input: "a".into(),
                axes: axes.to_vec(),
                index: vec![1, 0],
                was: 0.0,
                is: -0.0,
                count: 2,
                total: 4,
            })
        );
        let same = frame(&was, Guards::FULL);
        assert_eq!(
            judge_buffers(&[buffer("a", &axes, &same, Some(&was))]),
            None
        );
        // An output has nothing to be compared with here.
        assert_eq!(judge_buffers(&[buffer("a", &axes, &is, None)]), None);
    }

    #[test]
    fn an_input_that_comes_back_short_has_changed() {
        let axes = [Axis::new("element", 2)];
        let was = encode(&[1.0f32, 2.0]);
        let is = frame(&was[..4], Guards::FULL);
        let problem = judge_buffers(&[buffer("a", &axes, &is, Some(&was))]);
        assert!(matches!(
            problem,
            Some(Problem::InputChanged {
                count: 1,
                total: 2,
                ..
            })
        ));
    }

    #[test]
    fn a_guard_comes_before_an_input_even_of_a_later_buffer() {
        let axes = [Axis::new("element", 1)];
        let was = encode(&[1.0f32]);
        let changed = frame(&encode(&[2.0f32]), Guards::FULL);
        let mut damaged = frame(&was, Guards::FULL);
        damaged[GUARD_BYTES + 4] ^= 0x10;
        let problem = judge_buffers(&[
            buffer("in", &axes, &changed, Some(&was)),
            buffer("out", &axes, &damaged, None),
        ]);
        assert!(
            matches!(problem, Some(Problem::GuardOverwritten { buffer, offset: 4, .. }) if buffer == "out")
        );
    }
}
