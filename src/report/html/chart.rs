//! A picture with log axes, coloured by the classes of the page's style.

use std::fmt::Write as _;

use super::svg::escape;

/// The room around a picture for the labels of its axes: left, right, above, below.
type Margins = [f64; 4];

/// A picture in SVG with logarithmic axes.
pub struct Chart {
    text: String,
    size: [f64; 2],
    margins: Margins,
    /// The powers of ten at the ends of both axes.
    powers: [[f64; 2]; 2],
}

/// Returns whole powers of ten that all values lie between, at least one decade apart.
fn decades(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let sized = values.filter(|value| *value > 0.0 && value.is_finite());
    let (low, high) = sized.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value.log10()), high.max(value.log10()))
    });
    if low > high {
        return [0.0, 1.0];
    }
    let low = low.floor();
    [low, high.ceil().max(low + 1.0)]
}

impl Chart {
    /// Makes a picture of a size whose axes hold some values.
    pub fn new(
        label: &str,
        size: [f64; 2],
        margins: Margins,
        x: impl Iterator<Item = f64>,
        y: impl Iterator<Item = f64>,
    ) -> Chart {
        let [width, height] = size;
        Chart {
            text: format!(
                "<svg class=\"chart\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {width} {height}\" style=\"max-width:{width}px\">",
                escape(label)
            ),
            size,
            margins,
            powers: [decades(x), decades(y)],
        }
    }

    /// Returns the values at the ends of the x axis.
    pub fn ends(&self) -> [f64; 2] {
        self.powers[0].map(|power| 10f64.powf(power))
    }

    /// Returns the value at the lower end of the y axis.
    pub fn floor(&self) -> f64 {
        10f64.powf(self.powers[1][0])
    }

    fn share(&self, axis: usize, value: f64) -> f64 {
        let [low, high] = self.powers[axis];
        if value <= 0.0 {
            return 0.0;
        }
        ((value.log10() - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// Returns the distance of a value from the left.
    pub fn x(&self, value: f64) -> f64 {
        let [left, right, ..] = self.margins;
        left + self.share(0, value) * (self.size[0] - left - right)
    }

    /// Returns the distance of a value from the top.
    pub fn y(&self, value: f64) -> f64 {
        let [.., above, below] = self.margins;
        self.size[1] - below - self.share(1, value) * (self.size[1] - above - below)
    }

    /// Draws a rectangle from one corner to another, both in the picture's coordinates.
    pub fn area(&mut self, from: [f64; 2], to: [f64; 2], class: &str, title: &str) {
        let [x, y] = [from[0].min(to[0]), from[1].min(to[1])];
        // A thinner rectangle cannot be seen.
        let [width, height] = [0, 1].map(|axis| (to[axis] - from[axis]).abs().max(2.0));
        let _ = write!(
            self.text,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"><title>{}</title></rect>",
            escape(title)
        );
    }

    /// Draws a line between two places of the picture.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2], class: &str) {
        let _ = write!(
            self.text,
            "<line class=\"{class}\" x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\"/>",
            from[0], from[1], to[0], to[1]
        );
    }

    /// Draws words at a place; `anchor` is `start`, `middle` or `end`.
    pub fn words(&mut self, at: [f64; 2], anchor: &str, class: &str, text: &str) {
        let [x, y] = at;
        let _ = write!(
            self.text,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        );
    }

    /// Draws a line at decades of the x axis, with labels by `name`.
    pub fn decades_across(&mut self, name: impl Fn(f64) -> String) {
        let [low, high] = self.powers[0];
        let (top, bottom) = (self.margins[2], self.size[1] - self.margins[3]);
        let every = ((high - low) / 6.0).ceil().max(1.0);
        let mut power = low;
        while power <= high {
            let x = self.x(10f64.powf(power));
            self.line([x, top], [x, bottom], "grid");
            self.words(
                [x, bottom + 13.0],
                "middle",
                "tick",
                &name(10f64.powf(power)),
            );
            power += every;
        }
    }

    /// Draws a line at each decade of the y axis, with labels by `name`.
    pub fn decades_up(&mut self, name: impl Fn(f64) -> String) {
        let [low, high] = self.powers[1];
        let (left, right) = (self.margins[0], self.size[0] - self.margins[1]);
        let mut power = low;
        while power <= high {
            let y = self.y(10f64.powf(power));
            self.line([left, y], [right, y], "grid");
            self.words(
                [left - 5.0, y + 3.0],
                "end",
                "tick",
                &name(10f64.powf(power)),
            );
            power += 1.0;
        }
    }

    /// Returns the finished picture.
    pub fn done(self) -> String {
        self.text + "</svg>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_hold_whole_decades_and_at_least_one() {
        assert_eq!(decades([3e-6, 4e-3].into_iter()), [-6.0, -2.0]);
        assert_eq!(decades([1.0].into_iter()), [0.0, 1.0]);
        assert_eq!(decades([0.0, f64::NAN].into_iter()), [0.0, 1.0]);
    }

    #[test]
    fn a_decade_is_as_long_as_the_next() {
        let all = || [1.0, 100.0].into_iter();
        let chart = Chart::new("<x>", [220.0, 120.0], [10.0; 4], all(), all());
        assert_eq!([1.0, 10.0, 100.0].map(|x| chart.x(x)), [10.0, 110.0, 210.0]);
        assert_eq!([1.0, 10.0, 100.0].map(|y| chart.y(y)), [110.0, 60.0, 10.0]);
        assert_eq!((chart.x(0.0), chart.x(1e9)), (10.0, 210.0));
        assert!(
            chart
                .done()
                .starts_with("<svg class=\"chart\" role=\"img\" aria-label=\"&lt;x&gt;\"")
        );
    }
}
