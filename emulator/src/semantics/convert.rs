//! Conversions between number types, with the hardware's rounding and saturation.

use super::{Mode, Round, exact};

instructions! {
    /// Toward zero, saturated; NaN to 0.
    cvt_i32_f32(mode: Mode, a: f32) -> i32 { let _ = mode; a as i32 }
    /// Toward zero, saturated; NaN to 0.
    cvt_u32_f32(mode: Mode, a: f32) -> u32 { let _ = mode; a as u32 }
    /// Rounded as the mode says.
    cvt_f32_i32(mode: Mode, a: i32) -> f32 {
        if mode.round32 == Round::NearestEven { a as f32 } else { exact::from_integer(mode.round32, i128::from(a)) }
    }
    /// Rounded as the mode says.
    cvt_f32_u32(mode: Mode, a: u32) -> f32 {
        if mode.round32 == Round::NearestEven { a as f32 } else { exact::from_integer(mode.round32, i128::from(a)) }
    }
}
