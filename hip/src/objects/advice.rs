//! What the program has said about ranges of managed memory. It changes nothing here, but can be asked for.

use std::collections::HashMap;
use std::ops::Range;

use crate::boundary::Address;

/// Advice is about pages of this size.
const PAGE: u64 = 4096;

/// `hipInvalidDeviceId`: said of no place.
pub const NOWHERE: i32 = -2;

/// What was said of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Mostly read.
    pub read_mostly: bool,
    /// Where it should lie: a device, -1 for the host, [`NOWHERE`].
    pub preferred: i32,
    /// Whether the device will use it.
    pub accessed: bool,
    /// Where it was last brought to.
    pub prefetched: i32,
    /// Whether both sides need not see each other's accesses at once.
    pub coarse: bool,
}

impl Default for Advice {
    fn default() -> Advice {
        Advice {
            read_mostly: false,
            preferred: NOWHERE,
            accessed: false,
            prefetched: NOWHERE,
            coarse: false,
        }
    }
}

/// Advice by allocation, a page an entry; allocations that nothing was said of are not in it.
#[derive(Default)]
pub struct Advised {
    by_base: HashMap<Address, Vec<Advice>>,
}

fn pages(range: &Range<u64>) -> Range<usize> {
    (range.start / PAGE) as usize..range.end.div_ceil(PAGE) as usize
}

impl Advised {
    /// Says something of bytes of an allocation.
    pub fn note(&mut self, base: Address, size: u64, bytes: Range<u64>, f: impl Fn(&mut Advice)) {
        let all = pages(&(0..size)).len();
        let advice = self.by_base.entry(base);
        let advice = advice.or_insert_with(|| vec![Advice::default(); all]);
        advice[pages(&bytes)].iter_mut().for_each(f);
    }

    /// What is said of all pages alike, by one of the advice's fields.
    pub fn common<T: PartialEq>(
        &self,
        base: Address,
        bytes: Range<u64>,
        field: impl Fn(&Advice) -> T,
    ) -> Option<T> {
        let Some(advice) = self.by_base.get(&base) else {
            return Some(field(&Advice::default()));
        };
        let mut values = advice[pages(&bytes)].iter().map(field);
        let first = values.next()?;
        values.all(|value| value == first).then_some(first)
    }

    /// Forgets what was said of an allocation.
    pub fn forget(&mut self, base: Address) {
        self.by_base.remove(&base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_of_pages() {
        let mut advised = Advised::default();
        let read = |advised: &Advised, bytes| advised.common(1, bytes, |a| a.read_mostly);
        assert_eq!(read(&advised, 0..10), Some(false));
        advised.note(1, 10_000, 0..5000, |a| a.read_mostly = true);
        assert_eq!(read(&advised, 0..8192), Some(true));
        assert_eq!(read(&advised, 0..8193), None);
        assert_eq!(read(&advised, 8192..10_000), Some(false));
        advised.forget(1);
        assert_eq!(read(&advised, 0..10), Some(false));
    }
}
