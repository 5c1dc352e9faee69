//! Selection of an image's texels by a coordinate.

/// Treatment of a texel number beyond the image's side, as samplers number it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clamp {
    /// The image repeats.
    Wrap,
    /// The image repeats, and every other copy is mirrored.
    Mirror,
    /// The last texel continues.
    Last,
    /// The image is mirrored once; then the last texel continues.
    MirrorOnceLast,
    /// The texels have the border's colour.
    Border,
    /// The image is mirrored once; then the texels have the border's colour.
    MirrorOnceBorder,
}

impl Clamp {
    /// Reads the treatment from a sampler's field. A border of half a texel is not supported and gives `None`.
    pub fn new(field: u32) -> Option<Clamp> {
        Some(match field {
            0 => Clamp::Wrap,
            1 => Clamp::Mirror,
            2 => Clamp::Last,
            3 => Clamp::MirrorOnceLast,
            6 => Clamp::Border,
            7 => Clamp::MirrorOnceBorder,
            _ => return None,
        })
    }

    /// Returns the texel for a number that may be beyond a side of `size` texels, or `None` for the border.
    pub fn texel(self, number: i64, size: u32) -> Option<u32> {
        let size = i64::from(size.max(1));
        // Mirrored, -1 is 0, because a texel's middle lies between two numbers.
        let mirrored = if number < 0 { !number } else { number };
        let texel = match self {
            Clamp::Wrap => number.rem_euclid(size),
            Clamp::Mirror => {
                let position = number.rem_euclid(2 * size);
                position.min(2 * size - 1 - position)
            }
            Clamp::Last => number.clamp(0, size - 1),
            Clamp::MirrorOnceLast => mirrored.min(size - 1),
            Clamp::Border => number,
            Clamp::MirrorOnceBorder => mirrored,
        };
        (0..size).contains(&texel).then_some(texel as u32)
    }
}

/// Converts a coordinate in texels to a fixed-point number with `bits` fractional bits, rounded to nearest even. A NaN becomes 0.
fn fixed(coordinate: f64, bits: i32) -> i64 {
    // Beyond 32 bits all numbers are equally far outside.
    let bounded = coordinate.clamp(-(2f64.powi(32)), 2f64.powi(32));
    (bounded * 2f64.powi(bits)).round_ties_even() as i64
}

/// Returns the texel in which a coordinate lies. Hardware first rounds the coordinate to six fractional bits, unless the sampler truncates.
pub fn nearest_texel(coordinate: f64, truncates: bool) -> i64 {
    if truncates {
        return fixed(coordinate.floor(), 0);
    }
    fixed(coordinate, 6) >> 6
}

/// Returns the first of the two texels between whose middles a coordinate lies, and the weight of the second in 256ths.
pub fn neighbour_texels(coordinate: f64) -> (i64, u32) {
    let position = fixed(coordinate - 0.5, 8);
    (position >> 8, (position & 255) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_three_texels_goes_on_on_both_sides() {
        let row = |field| -> Vec<Option<u32>> {
            let clamp = Clamp::new(field).expect("a clamp");
            (-4..7).map(|number| clamp.texel(number, 3)).collect()
        };
        let all = |texels: [u32; 11]| texels.map(Some).to_vec();
        assert_eq!(row(0), all([2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0]));
        assert_eq!(row(1), all([2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0]));
        assert_eq!(row(2), all([0, 0, 0, 0, 0, 1, 2, 2, 2, 2, 2]));
        assert_eq!(row(3), all([2, 2, 1, 0, 0, 1, 2, 2, 2, 2, 2]));
        let n = None;
        let (a, b, c) = (Some(0), Some(1), Some(2));
        assert_eq!(row(6), [n, n, n, n, a, b, c, n, n, n, n]);
        assert_eq!(row(7), [n, c, b, a, a, b, c, n, n, n, n]);
        assert_eq!((Clamp::new(4), Clamp::new(5)), (None, None));
    }

    #[test]
    fn a_coordinate_is_rounded_before_its_fraction_is_dropped() {
        assert_eq!(nearest_texel(2.0, false), 2);
        assert_eq!(nearest_texel(2.98, false), 2);
        // The coordinate is within a 128th of the next texel.
        assert_eq!(nearest_texel(2.995, false), 3);
        assert_eq!(nearest_texel(2.995, true), 2);
        assert_eq!(nearest_texel(-0.25, false), -1);
        assert_eq!(nearest_texel(-0.001, false), 0);
        assert_eq!(nearest_texel(f64::NAN, false), 0);
        assert!(nearest_texel(f64::INFINITY, false) > 1 << 30);
        assert!(nearest_texel(f64::NEG_INFINITY, true) < -(1 << 30));
    }

    #[test]
    fn weights_are_distances_from_the_middles() {
        assert_eq!(neighbour_texels(2.5), (2, 0));
        assert_eq!(neighbour_texels(3.0), (2, 128));
        assert_eq!(neighbour_texels(0.0), (-1, 128));
        assert_eq!(neighbour_texels(2.75), (2, 64));
        assert_eq!(neighbour_texels(2.5 + 1.0 / 1024.0), (2, 0));
    }
}
