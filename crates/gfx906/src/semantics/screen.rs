//! The screen's partition among four shader engines.

/// Returns the shader engine of a tile of 32 by 32 pixels. Only the low two bits of its coordinates count.
fn engine(x: u32, y: u32) -> u32 {
    let bit = |v: u32, n: u32| v >> n & 1;
    (bit(x, 0) ^ bit(y, 1)) << 1 | bit(y, 0) ^ bit(x, 1)
}

instructions! {
    /// The shader engines that a rectangle covers, one bit each. The tiles go from `a[7:6]`, `a[5:4]` (left, upper) to `a[3:2]`, `a[1:0]`
    /// (right, lower), each modulo 4.
    screen_partition_4se_b32(a: u32) -> u32 {
        let field = |shift: u32| a >> shift & 3;
        let (left, upper) = (field(6), field(4));
        let [width, height] = [field(2).wrapping_sub(left) & 3, field(0).wrapping_sub(upper) & 3];
        let mut engines = 0;
        for x in 0..=width {
            for y in 0..=height {
                engines |= 1 << engine(left + x, upper + y);
            }
        }
        engines
    }
}
