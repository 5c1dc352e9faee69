//! The judgement of guards and of the padding between rows, which no launch may change.

use crate::report::model::Problem;
use crate::tensor::guards::{GuardSide, Guards, pattern, payload};
use crate::tensor::{ElementKind, poison};

/// Checks that the guards of a framed buffer are unchanged. The upper guard is checked first, because overruns at the
/// end are more common.
pub fn check(buffer: &str, image: &[u8], guards: Guards) -> Option<Problem> {
    let size = payload(image, guards).len();
    let after = guards.before + size;
    [
        (GuardSide::After, after, guards.after, size as i64),
        (GuardSide::Before, 0, guards.before, -(guards.before as i64)),
    ]
    .into_iter()
    .find_map(|(side, start, bytes, origin)| {
        let mut changed =
            (0..bytes).filter(|&at| image.get(start + at).copied() != Some(pattern(side, at)));
        let first = changed.next()?;
        // Below the buffer, the changed byte nearest to it is the highest one.
        let nearest = match side {
            GuardSide::After | GuardSide::Between => first,
            GuardSide::Before => changed.clone().next_back().unwrap_or(first),
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

/// Checks that the padding between the rows of a buffer still holds its poison. `between` holds the indices of the
/// padding elements in ascending order.
pub fn check_between(
    buffer: &str,
    payload: &[u8],
    kind: ElementKind,
    between: &[usize],
) -> Option<Problem> {
    let size = kind.size();
    let mut want = vec![0; size];
    poison::fill(kind, &mut want);
    let bytes = between
        .iter()
        .flat_map(|place| place * size..(place + 1) * size);
    let mut changed = bytes.filter(|&at| payload.get(at).copied() != Some(want[at % size]));
    let first = changed.next()?;
    Some(Problem::GuardOverwritten {
        buffer: buffer.to_string(),
        side: GuardSide::Between,
        offset: first as i64,
        count: 1 + changed.count(),
        size: payload.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tensor::guards::{GUARD_BYTES, frame};

    #[test]
    fn untouched_guards_are_fine_and_the_payload_comes_back() {
        let image = frame(&[1, 2, 3], Guards::FULL);
        assert_eq!(image.len(), 3 + 2 * GUARD_BYTES);
        assert_eq!(payload(&image, Guards::FULL), [1, 2, 3]);
        assert_eq!(check("x", &image, Guards::FULL), None);
        assert_eq!(check("x", &frame(&[], Guards::FULL), Guards::FULL), None);
    }

    #[test]
    fn any_single_byte_of_either_guard_is_noticed() {
        let image = frame(&[0; 5], Guards::FULL);
        for at in (0..GUARD_BYTES).chain(GUARD_BYTES + 5..image.len()) {
            let mut touched = image.clone();
            touched[at] ^= 1;
            let Some(Problem::GuardOverwritten {
                offset,
                count,
                size,
                ..
            }) = check("x", &touched, Guards::FULL)
            else {
                panic!("byte {at} was not noticed");
            };
            assert_eq!(offset, at as i64 - GUARD_BYTES as i64);
            assert_eq!((count, size), (1, 5));
        }
    }

    #[test]
    fn writing_the_payload_is_not_a_guard_problem() {
        let mut image = frame(&[0; 5], Guards::FULL);
        image[GUARD_BYTES..GUARD_BYTES + 5].fill(0xFF);
        assert_eq!(check("x", &image, Guards::FULL), None);
    }

    #[test]
    fn the_pattern_is_no_constant_fill() {
        for constant in 0..=255 {
            let mut image = frame(&[], Guards::FULL);
            image[GUARD_BYTES..GUARD_BYTES + 64].fill(constant);
            let Some(Problem::GuardOverwritten { count, .. }) = check("x", &image, Guards::FULL)
            else {
                panic!("a fill with {constant} was not noticed");
            };
            assert!(count >= 56, "fill {constant}: {count} of 64 bytes noticed");
        }
    }

    #[test]
    fn a_short_read_is_a_damaged_guard_and_not_a_panic() {
        assert!(check("x", &[], Guards::FULL).is_some());
        assert!(payload(&[0; 100], Guards::FULL).is_empty());
    }

    #[test]
    fn below_the_buffer_the_nearest_byte_is_named() {
        let mut image = frame(&[0; 8], Guards::FULL);
        for byte in &mut image[GUARD_BYTES - 12..GUARD_BYTES - 4] {
            *byte ^= 0xFF;
        }
        assert_eq!(
            check("x", &image, Guards::FULL),
            Some(Problem::GuardOverwritten {
                buffer: "x".into(),
                side: GuardSide::Before,
                offset: -5,
                count: 8,
                size: 8,
            })
        );
    }

    #[test]
    fn what_is_between_rows_must_be_the_poison_that_was_there() {
        let mut rows = vec![0; 12];
        poison::fill(ElementKind::Bf16, &mut rows);
        // Elements 0, 1, 3 and 4 are the tensor's.
        for element in [0, 1, 3, 4] {
            rows[2 * element] = 7;
        }
        let found = |rows: &[u8]| check_between("x", rows, ElementKind::Bf16, &[2, 5]);
        assert_eq!(found(&rows), None);
        let mut touched = rows.clone();
        (touched[5], touched[10]) = (0, 0);
        assert_eq!(
            found(&touched),
            Some(Problem::GuardOverwritten {
                buffer: "x".into(),
                side: GuardSide::Between,
                offset: 5,
                count: 2,
                size: 12,
            })
        );
        assert!(found(&rows[..11]).is_some(), "one that comes back short");
    }

    /// A device that faults around a buffer leaves only the rest of the buffer's last dword to guard.
    #[test]
    fn a_guard_may_be_of_few_bytes_or_none() {
        let rest = Guards {
            before: 0,
            after: 2,
        };
        let mut image = frame(&[1, 2], rest);
        assert_eq!((image.len(), payload(&image, rest)), (4, &[1, 2][..]));
        assert_eq!(check("x", &image, rest), None);
        image[3] ^= 1;
        let Some(Problem::GuardOverwritten {
            side: GuardSide::After,
            offset: 3,
            count: 1,
            size: 2,
            ..
        }) = check("x", &image, rest)
        else {
            panic!("the last byte was not noticed");
        };
        let none = Guards::default();
        assert_eq!(frame(&[1, 2], none), [1, 2]);
        assert_eq!(check("x", &[1, 2], none), None);
    }
}
