//! Guards: pattern on both sides of every device buffer, compared bit for bit afterwards.
//!
//! A framed buffer is `[GUARD_BYTES of pattern][payload][GUARD_BYTES of pattern]`. The payload keeps the alignment of
//! the allocation, and the upper guard begins at the very next byte. The pattern depends on the position, so that a
//! guard moved by some bytes is as wrong as one overwritten.

use crate::verdict::{Problem, Side};

/// Size of each guard: eight rows of 128 f32.
pub const GUARD_BYTES: usize = 4096;

/// The pattern at one byte of a guard.
fn pattern(side: Side, at: usize) -> u8 {
    let salt = match side {
        Side::Before => 0x9E37_79B9u32,
        Side::After => 0x85EB_CA6B,
    };
    let mixed = (at as u32 ^ salt).wrapping_mul(0x2C1B_3C6D);
    (mixed >> 24) as u8 ^ (mixed >> 11) as u8
}

/// What to upload for a payload: guard, payload, guard.
pub fn frame(payload: &[u8]) -> Vec<u8> {
    let mut image = Vec::with_capacity(payload.len() + 2 * GUARD_BYTES);
    image.extend((0..GUARD_BYTES).map(|at| pattern(Side::Before, at)));
    image.extend_from_slice(payload);
    image.extend((0..GUARD_BYTES).map(|at| pattern(Side::After, at)));
    image
}

/// The payload within a framed buffer read back. Empty if `image` is shorter than its two guards.
pub fn payload(image: &[u8]) -> &[u8] {
    image
        .len()
        .checked_sub(GUARD_BYTES)
        .and_then(|end| image.get(GUARD_BYTES..end))
        .unwrap_or(&[])
}

/// Whether the guards of a framed buffer read back are untouched. The upper guard is looked at first: running off
/// the end is the commoner fault.
pub fn check(buffer: &str, image: &[u8]) -> Option<Problem> {
    let size = payload(image).len();
    let after = GUARD_BYTES + size;
    [
        (Side::After, after, size as i64),
        (Side::Before, 0, -(GUARD_BYTES as i64)),
    ]
    .into_iter()
    .find_map(|(side, start, origin)| {
        let mut changed = (0..GUARD_BYTES)
            .filter(|&at| image.get(start + at).copied() != Some(pattern(side, at)));
        let first = changed.next()?;
        // Below the buffer the byte next to it is the one that tells: count outwards from there.
        let nearest = match side {
            Side::After => first,
            Side::Before => changed.clone().next_back().unwrap_or(first),
        };
        Some(Problem::GuardOverwritten {
            buffer: buffer.to_string(),
            side,
            offset: origin + nearest as i64,
            count: 1 + changed.count(),
            size,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn untouched_guards_are_fine_and_the_payload_comes_back() {
        let image = frame(&[1, 2, 3]);
        assert_eq!(image.len(), 3 + 2 * GUARD_BYTES);
        assert_eq!(payload(&image), [1, 2, 3]);
        assert_eq!(check("x", &image), None);
        assert_eq!(check("x", &frame(&[])), None);
    }

    #[test]
    fn any_single_byte_of_either_guard_is_noticed() {
        let image = frame(&[0; 5]);
        for at in (0..GUARD_BYTES).chain(GUARD_BYTES + 5..image.len()) {
            let mut touched = image.clone();
            touched[at] ^= 1;
            let Some(Problem::GuardOverwritten {
                offset,
                count,
                size,
                ..
            }) = check("x", &touched)
            else {
                panic!("byte {at} was not noticed");
            };
            assert_eq!(offset, at as i64 - GUARD_BYTES as i64);
            assert_eq!((count, size), (1, 5));
        }
    }

    #[test]
    fn writing_the_payload_is_not_a_guard_problem() {
        let mut image = frame(&[0; 5]);
        image[GUARD_BYTES..GUARD_BYTES + 5].fill(0xFF);
        assert_eq!(check("x", &image), None);
    }

    #[test]
    fn the_pattern_is_no_constant_fill() {
        for constant in 0..=255 {
            let mut image = frame(&[]);
            image[GUARD_BYTES..GUARD_BYTES + 64].fill(constant);
            let Some(Problem::GuardOverwritten { count, .. }) = check("x", &image) else {
                panic!("a fill with {constant} was not noticed");
            };
            assert!(count >= 56, "fill {constant}: {count} of 64 bytes noticed");
        }
    }

    #[test]
    fn a_short_read_is_a_damaged_guard_and_not_a_panic() {
        assert!(check("x", &[]).is_some());
        assert!(payload(&[0; 100]).is_empty());
    }

    #[test]
    fn below_the_buffer_the_nearest_byte_is_named() {
        let mut image = frame(&[0; 8]);
        for byte in &mut image[GUARD_BYTES - 12..GUARD_BYTES - 4] {
            *byte ^= 0xFF;
        }
        assert_eq!(
            check("x", &image),
            Some(Problem::GuardOverwritten {
                buffer: "x".into(),
                side: Side::Before,
                offset: -5,
                count: 8,
                size: 8,
            })
        );
    }
}
