//! What vector registers hold in the lanes that are on, and in those that went off; and what is known of masks of lanes.
//!
//! Lanes are told apart by levels, each of some lanes of the one before: those that are on where a mask is saved, and those that stay on. All that
//! go off then keep what they held, apart from those that were off before, until a mask brings them back.

use std::collections::BTreeMap;
use std::sync::Arc;

use gfx906::isa::Code;
use gfx906::isa::uses::RegisterSet;

use super::state::Value;

/// The vector registers, of all lanes alike.
type Vectors = Arc<[Value; 256]>;

/// What is known of a mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mask {
    /// All its lanes are of this level: of level 0 is every lane.
    pub level: usize,
    /// It is all lanes of the level.
    pub whole: bool,
    /// It has at least one lane.
    pub some: bool,
}

impl Mask {
    /// Lanes of both.
    pub fn and(self, other: Mask) -> Mask {
        Mask {
            level: self.level.max(other.level),
            ..Mask::default()
        }
    }

    /// Lanes of either.
    pub fn or(self, other: Mask) -> Mask {
        let all = |one: Mask, other: Mask| one.whole && one.level <= other.level;
        Mask {
            level: self.level.min(other.level),
            whole: all(self, other) || all(other, self),
            some: self.some || other.some,
        }
    }

    /// One mask or another.
    pub fn either(self, other: Mask) -> Mask {
        Mask {
            level: self.level.min(other.level),
            whole: self.whole && other.whole && self.level == other.level,
            some: self.some && other.some,
        }
    }

    /// Some of its lanes.
    pub fn part(self) -> Mask {
        Mask {
            level: self.level,
            ..Mask::default()
        }
    }

    /// Where there are no more levels than these.
    fn cut(self, level: usize) -> Mask {
        if self.level <= level {
            return self;
        }
        Mask {
            level,
            whole: false,
            some: self.some,
        }
    }
}

/// Where half of a mask may be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// A scalar register.
    Scalar(u16),
    /// A lane of a VGPR.
    Lane(u8, u8),
}

/// Half of a mask that is all lanes of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Half {
    level: usize,
    is_high: bool,
    /// The level has at least one lane.
    some: bool,
}

/// Lanes that hold the same, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Held {
    vectors: Vectors,
    /// The registers that one of them, on some path here, has not written.
    unwritten: RegisterSet,
}

impl Held {
    /// What no lane holds.
    fn none() -> Held {
        Held {
            vectors: Arc::new([Value::Unwritten; 256]),
            unwritten: RegisterSet::default(),
        }
    }

    /// These lanes or others, of which `merge` makes one value of two.
    fn with(&self, other: &Held, merge: impl Fn(Value, Value) -> Value) -> Held {
        let (ours, others) = (&self.vectors, &other.vectors);
        let vectors = if Arc::ptr_eq(ours, others) || ours == others {
            Arc::clone(ours)
        } else {
            Arc::new(std::array::from_fn(|at| merge(ours[at], others[at])))
        };
        Held {
            vectors,
            unwritten: self.unwritten.or(&other.unwritten),
        }
    }

    /// These lanes and others.
    fn and(&self, other: &Held) -> Held {
        self.with(other, Value::or)
    }
}

/// The lanes of a wave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lanes {
    on: Held,
    /// By level: what those of its lanes hold that are neither on nor of the next one.
    off: Vec<Held>,
    /// Whether at least one lane is on: so it is where a wave begins.
    some: bool,
    /// Whether no lane is on.
    none: bool,
    /// The scalar pairs that hold masks of which something is known.
    masks: BTreeMap<u16, Mask>,
    /// What is known of halves that were put into lanes, and of those that came back alone.
    halves: BTreeMap<Place, Half>,
}

impl Lanes {
    /// Of a wave that nothing is known of.
    pub fn new() -> Lanes {
        Lanes {
            on: Held {
                unwritten: vectors(),
                ..Held::none()
            },
            off: vec![Held::none()],
            some: true,
            none: false,
            masks: BTreeMap::new(),
            halves: BTreeMap::new(),
        }
    }

    /// The level that lanes are of that are on.
    fn level(&self) -> usize {
        self.off.len() - 1
    }

    /// Whether at least one lane is on.
    pub fn has_some(&self) -> bool {
        self.some
    }

    /// Whether no lane is on.
    pub fn has_none(&self) -> bool {
        self.none
    }

    /// At least one lane is on.
    pub fn set_some(&mut self) {
        self.some = true;
    }

    /// No lane is on.
    pub fn set_none(&mut self) {
        self.none = true;
    }

    /// What a register holds in lanes that are on.
    pub fn get(&self, vgpr: u8) -> Value {
        self.on.vectors[usize::from(vgpr)]
    }

    /// The vector registers that a lane that is on may not have written.
    pub fn unwritten(&self) -> &RegisterSet {
        &self.on.unwritten
    }

    /// What it holds in any lane.
    pub fn anywhere(&self, vgpr: u8) -> Value {
        let off = self.off.iter().map(|off| off.vectors[usize::from(vgpr)]);
        off.fold(self.get(vgpr), Value::or)
    }

    /// Writes a register in the lanes that are on.
    pub fn set(&mut self, vgpr: u8, value: Value) {
        self.forget_lanes(vgpr);
        Arc::make_mut(&mut self.on.vectors)[usize::from(vgpr)] = value;
        self.on.unwritten.remove(256 + u16::from(vgpr), 1);
    }

    /// Writes a register in one lane, on or off, if it is known which.
    pub fn set_one(&mut self, vgpr: u8, lane: Option<u8>, value: Value) {
        match lane {
            Some(lane) => {
                self.halves.remove(&Place::Lane(vgpr, lane));
            }
            None => self.forget_lanes(vgpr),
        }
        for held in self.off.iter_mut().chain([&mut self.on]) {
            let held = &mut Arc::make_mut(&mut held.vectors)[usize::from(vgpr)];
            *held = held.or(value);
        }
    }

    /// What is known of the mask that a source is.
    pub fn mask(&self, source: Code) -> Mask {
        match source {
            Code::EXEC => Mask {
                level: self.level(),
                whole: false,
                some: self.some,
            },
            // No lane, and every one.
            Code(128) => self.mask(Code::EXEC).part(),
            Code(193) => Mask {
                some: true,
                ..Mask::default()
            },
            Code(pair) => self.masks.get(&pair).copied().unwrap_or_default(),
        }
    }

    /// A scalar pair holds a mask.
    pub fn keep(&mut self, pair: u16, mask: Mask) {
        self.masks.insert(pair, mask.cut(self.level()));
    }

    /// A scalar register holds something else than it did.
    pub fn forget(&mut self, number: u16) {
        self.masks
            .retain(|pair, _| *pair != number && pair + 1 != number);
        self.halves.remove(&Place::Scalar(number));
    }

    /// The lanes of a VGPR hold something else than they did.
    fn forget_lanes(&mut self, vgpr: u8) {
        let is_other = |place: &Place| !matches!(place, Place::Lane(of, _) if *of == vgpr);
        self.halves.retain(|place, _| is_other(place));
    }

    /// Half of a mask goes where half of one may be kept.
    pub fn carry(&mut self, from: Place, to: Place) {
        let known = self.halves.get(&from).copied();
        let known = known.or_else(|| match from {
            Place::Scalar(number) => [(number, false), (number.wrapping_sub(1), true)]
                .into_iter()
                .find_map(|(pair, is_high)| {
                    let mask = self.masks.get(&pair).filter(|mask| mask.whole)?;
                    Some(Half {
                        level: mask.level,
                        is_high,
                        some: mask.some,
                    })
                }),
            Place::Lane(..) => None,
        });
        match known {
            Some(half) => {
                self.halves.insert(to, half);
            }
            None => {
                self.halves.remove(&to);
            }
        }
        let Place::Scalar(number) = to else { return };
        let half = |number: u16| self.halves.get(&Place::Scalar(number)).copied();
        // Both halves are those of all lanes of one level.
        let pair = number & !1;
        if let (Some(low), Some(high)) = (half(pair), half(pair + 1))
            && low.level == high.level
            && (low.is_high, high.is_high) == (false, true)
        {
            let whole = Mask {
                level: low.level,
                whole: true,
                some: low.some || high.some,
            };
            self.masks.insert(pair, whole);
        }
    }

    /// The lanes that are on are the next level, of which none is off yet.
    fn begin(&mut self) {
        self.off.push(Held::none());
    }

    /// The mask of the lanes that are on is saved in a pair: they are the next level.
    pub fn save(&mut self, pair: u16) {
        self.begin();
        let whole = Mask {
            whole: true,
            ..self.mask(Code::EXEC)
        };
        self.keep(pair, whole);
    }

    /// The mask of the lanes that are on is saved in a pair, and some go off: those that stay are a level of their own.
    pub fn save_and_narrow(&mut self, pair: u16) {
        self.save(pair);
        self.narrow();
        self.begin();
    }

    /// Lanes go off.
    pub fn narrow(&mut self) {
        self.mix();
        self.none = false;
        self.some = false;
    }

    /// Lanes of a mask come on besides those that are.
    pub fn widen(&mut self, mask: Mask) {
        self.some |= mask.some;
        self.bring(mask);
    }

    /// The lanes of a mask are on in place of those that were.
    pub fn exchange(&mut self, mask: Mask) {
        self.some = mask.some;
        self.bring(mask);
        if !mask.whole {
            self.mix();
            self.begin();
        }
    }

    /// All lanes of a mask's level may be on; those of a whole level are.
    fn bring(&mut self, mask: Mask) {
        self.none = false;
        self.cut(mask.level);
        if let Some(off) = self.off.last() {
            self.on = self.on.and(off);
        }
        if mask.whole {
            self.off.pop();
            self.cut(mask.level - 1);
        }
    }

    /// Lanes that are on may have gone off.
    fn mix(&mut self) {
        if let Some(off) = self.off.last_mut() {
            *off = self.on.and(off);
        }
    }

    /// No levels are told apart beyond this one.
    fn cut(&mut self, level: usize) {
        for inner in self.off.split_off((level + 1).min(self.off.len())) {
            if let Some(off) = self.off.last_mut() {
                *off = inner.and(off);
            }
        }
        for mask in self.masks.values_mut() {
            *mask = mask.cut(level);
        }
        self.halves.retain(|_, half| half.level <= level);
    }

    /// These lanes or others, of which `merge` makes one value of two.
    pub fn with(&self, other: &Lanes, merge: impl Fn(Value, Value) -> Value + Copy) -> Lanes {
        let level = self.level().min(other.level());
        let [one, other] = [self, other].map(|lanes| {
            let mut lanes = lanes.clone();
            lanes.cut(level);
            lanes
        });
        let masks = one.masks.iter().filter_map(|(pair, mask)| {
            let other = other.masks.get(pair)?;
            Some((*pair, mask.either(*other)))
        });
        let halves = one.halves.iter().filter_map(|(place, half)| {
            let other = other.halves.get(place)?;
            let is_same = (half.level, half.is_high) == (other.level, other.is_high);
            let some = half.some && other.some;
            is_same.then_some((*place, Half { some, ..*half }))
        });
        let off = one.off.iter().zip(&other.off);
        Lanes {
            on: one.on.with(&other.on, merge),
            off: off.map(|(one, other)| one.with(other, merge)).collect(),
            some: one.some && other.some,
            none: one.none && other.none,
            masks: masks.collect(),
            halves: halves.collect(),
        }
    }
}

/// All vector registers.
fn vectors() -> RegisterSet {
    let mut all = RegisterSet::default();
    all.add(256, 256);
    all
}
