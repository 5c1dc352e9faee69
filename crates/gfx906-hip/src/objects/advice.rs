//! Advice of the program about ranges of managed memory. It has no effect, but programs can query it.

use std::collections::HashMap;
use std::ops::Range;

use crate::boundary::Address;

/// Size of the pages that have advice.
const PAGE: u64 = 4096;

/// `hipInvalidDeviceId`: stands for no location.
pub const NOWHERE: i32 = -2;

/// Advice about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    /// The page is mostly read.
    pub read_mostly: bool,
    /// Preferred location: a device, -1 for the host, or [`NOWHERE`].
    pub preferred: i32,
    /// The device will access the page.
    pub accessed: bool,
    /// Location of the last prefetch.
    pub prefetched: i32,
    /// Host and device need not see each other's accesses at once.
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

/// Advice by allocation, an entry per page. Allocations without advice are not in the table.
#[derive(Default)]
pub struct AdviceTable {
    by_base: HashMap<Address, Vec<Advice>>,
}

fn pages(range: &Range<u64>) -> Range<usize> {
    (range.start / PAGE) as usize..range.end.div_ceil(PAGE) as usize
}

impl AdviceTable {
    /// Changes the advice about bytes of an allocation.
    pub fn note(&mut self, base: Address, size: u64, bytes: Range<u64>, f: impl Fn(&mut Advice)) {
        let page_count = pages(&(0..size)).len();
        let advice = self.by_base.entry(base);
        let advice = advice.or_insert_with(|| vec![Advice::default(); page_count]);
        advice[pages(&bytes)].iter_mut().for_each(f);
    }

    /// Returns a field of the advice, if all pages have the same value.
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

    /// Forgets the advice about an allocation.
    pub fn forget(&mut self, base: Address) {
        self.by_base.remove(&base);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_is_of_pages() {
        let mut advised = AdviceTable::default();
        let read = |advised: &AdviceTable, bytes| advised.common(1, bytes, |a| a.read_mostly);
        assert_eq!(read(&advised, 0..10), Some(false));
        advised.note(1, 10_000, 0..5000, |a| a.read_mostly = true);
        assert_eq!(read(&advised, 0..8192), Some(true));
        assert_eq!(read(&advised, 0..8193), None);
        assert_eq!(read(&advised, 8192..10_000), Some(false));
        advised.forget(1);
        assert_eq!(read(&advised, 0..10), Some(false));
    }
}
