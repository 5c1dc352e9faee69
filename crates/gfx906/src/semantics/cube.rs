//! Cube-map coordinates of a direction (x, y, z): the face, the coordinates on the face, and the major axis.

use super::format::Format;
use super::{Mode, arithmetic};

/// The axis of the largest magnitude. Among equal magnitudes z comes before y, and y before x.
#[derive(Clone, Copy)]
struct Major {
    y: bool,
    z: bool,
}

impl Major {
    #[inline(always)]
    fn new(x: f32, y: f32, z: f32) -> Major {
        let (x, y, z) = (x.abs(), y.abs(), z.abs());
        Major {
            y: y >= x,
            z: (z >= x) & (z >= y),
        }
    }

    /// Selects the argument of this axis.
    #[inline(always)]
    fn pick(self, x: f32, y: f32, z: f32) -> f32 {
        let r = if self.y { y } else { x };
        if self.z { z } else { r }
    }
}

/// Computes a function of the major axis and the coordinates. The sources and the result follow the mode's flushing, and a NaN is quieted.
#[inline(always)]
fn cube(mode: Mode, x: f32, y: f32, z: f32, function: impl Fn(Major, f32, f32, f32) -> f32) -> f32 {
    let (x, y, z) = (x.source(mode), y.source(mode), z.source(mode));
    function(Major::new(x, y, z), x, y, z)
        .quiet_if_nan()
        .result(mode)
}

instructions! {
    /// The face: 0 to 5 for +x, -x, +y, -y, +z, -z.
    cubeid_f32(mode: Mode, x: f32, y: f32, z: f32) -> f32 where [IN32 OUT32] {
        cube(mode, x, y, z, |major, x, y, z| {
            let face = major.pick(0.0, 2.0, 4.0);
            face + if major.pick(x, y, z) < 0.0 { 1.0 } else { 0.0 }
        })
    }
    /// The coordinate along the face.
    cubesc_f32(mode: Mode, x: f32, y: f32, z: f32) -> f32 where [IN32 OUT32] {
        cube(mode, x, y, z, |major, x, _, z| {
            major.pick(if x < 0.0 { z } else { -z }, x, if z < 0.0 { -x } else { x })
        })
    }
    /// The coordinate down the face.
    cubetc_f32(mode: Mode, x: f32, y: f32, z: f32) -> f32 where [IN32 OUT32] {
        cube(mode, x, y, z, |major, _, y, z| major.pick(-y, if y < 0.0 { -z } else { z }, -y))
    }
    /// Twice the major axis.
    cubema_f32(mode: Mode, x: f32, y: f32, z: f32) -> f32 where [ROUND32 IN32 OUT32] {
        cube(mode, x, y, z, |major, x, y, z| arithmetic::mul(mode, 2.0, major.pick(x, y, z)))
    }
}
