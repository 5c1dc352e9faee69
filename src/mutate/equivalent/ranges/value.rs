//! What is known of a 32-bit word.

/// Between what a word lies, and which of its bits may be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Range {
    /// The least that it may be.
    pub lo: u32,
    /// The most.
    pub hi: u32,
    /// The bits that may be set.
    pub maybe: u32,
}

impl Range {
    /// Anything.
    pub const ANY: Range = Range {
        lo: 0,
        hi: u32::MAX,
        maybe: u32::MAX,
    };
    /// 0 or 1.
    pub const BIT: Range = Range {
        lo: 0,
        hi: 1,
        maybe: 1,
    };

    /// One word.
    pub fn only(word: u32) -> Range {
        Range {
            lo: word,
            hi: word,
            maybe: word,
        }
    }

    /// All from one to another; anything where 64 bits do not fit.
    pub fn between(lo: u64, hi: u64) -> Range {
        match (u32::try_from(lo), u32::try_from(hi)) {
            (Ok(lo), Ok(hi)) if lo <= hi => Range {
                lo,
                hi,
                maybe: u32::MAX,
            }
            .tight(),
            _ => Range::ANY,
        }
    }

    /// With no other bits than these.
    pub fn of_bits(self, bits: u32) -> Range {
        Range {
            maybe: self.maybe & bits,
            ..self
        }
        .tight()
    }

    fn tight(self) -> Range {
        let below = u32::MAX.checked_shr(self.hi.leading_zeros()).unwrap_or(0);
        let maybe = self.maybe & below;
        let hi = self.hi.min(maybe);
        if self.lo >= hi {
            return Range::only(hi);
        }
        Range {
            lo: self.lo,
            hi,
            maybe,
        }
    }

    /// The one word that it can be.
    pub fn one(self) -> Option<u32> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// Whether it is no negative number.
    pub fn is_positive(self) -> bool {
        self.hi < 1 << 31
    }

    /// Whether it can be this word.
    pub fn has(self, word: u32) -> bool {
        (self.lo..=self.hi).contains(&word) && word & !self.maybe == 0
    }

    /// Either of two.
    pub fn or(self, other: Range) -> Range {
        Range {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
            maybe: self.maybe | other.maybe,
        }
    }

    /// Either of two, of which the second came once more around a loop: bounds that move, move by powers of two, so that this ends.
    pub fn widened(self, next: Range) -> Range {
        let both = self.or(next);
        let lo = if next.lo < self.lo {
            both.lo.checked_ilog2().map_or(0, |power| 1 << power)
        } else {
            self.lo
        };
        let hi = if next.hi > self.hi {
            u32::MAX.checked_shr(both.hi.leading_zeros()).unwrap_or(0)
        } else {
            self.hi
        };
        Range {
            lo,
            hi,
            maybe: both.maybe | if next.maybe & !self.maybe != 0 { hi } else { 0 },
        }
    }
}
