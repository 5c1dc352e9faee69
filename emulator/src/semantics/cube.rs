//! Cube-map coordinates of a direction (x, y, z): the face, where on it, and the major axis.

use super::format::Format;
use super::{Mode, arithmetic};

/// Which axis has the largest magnitude; of equal ones z before y before x.
#[derive(Clone, Copy, PartialEq)]
enum Axis {
    X,
    Y,
    Z,
}

#[inline(always)]
fn major(x: f32, y: f32, z: f32) -> Axis {
    let (x, y, z) = (x.abs(), y.abs(), z.abs());
    if z >= x && z >= y {
        Axis::Z
    } else if y >= x {
        Axis::Y
    } else {
        Axis::X
    }
}

/// Flushes the sources, computes, flushes and settles the result.
#[inline(always)]
fn cube(mode: Mode, x: f32, y: f32, z: f32, of: impl Fn(Axis, f32, f32, f32) -> f32) -> f32 {
    let (x, y, z) = (x.source(mode), y.source(mode), z.source(mode));
    of(major(x, y, z), x, y, z).quiet_if_nan().result(mode)
}

instructions! {
    /// The face: 0 to 5 for +x, -x, +y, -y, +z, -z.
    cubeid_f32(mode: Mode, x: f32, y: f32, z: f32) -> f32 {
        cube(mode, x, y, z, |axis, x, y, z| {
            let (face, value) = match axis {
                Axis::X => (0.0, x),
                Axis::Y => (2.0, y),
                Axis::Z => (4.0, z),
            };
            if value < 0.0 { face + 1.0 } else { face }
        })
    }
    /// The coordinate along the face.
    cubesc_f32(mode: Mode, x: f32, y: f32, z: f32) -> f32 {
        cube(mode, x, y, z, |axis, x, _, z| match axis {
            Axis::X => if x < 0.0 { z } else { -z },
            Axis::Y => x,
            Axis::Z => if z < 0.0 { -x } else { x },
        })
    }
    /// The coordinate down the face.
    cubetc_f32(mode: Mode, x: f32, y: f32, z: f32) -> f32 {
        cube(mode, x, y, z, |axis, _, y, z| match axis {
            Axis::Y => if y < 0.0 { -z } else { z },
            Axis::X | Axis::Z => -y,
        })
    }
    /// Twice the major axis.
    cubema_f32(mode: Mode, x: f32, y: f32, z: f32) -> f32 {
        cube(mode, x, y, z, |axis, x, y, z| {
            arithmetic::mul(mode, 2.0, match axis { Axis::X => x, Axis::Y => y, Axis::Z => z })
        })
    }
}
