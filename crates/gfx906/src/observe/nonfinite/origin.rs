//! Origins, and the list of them.

use std::collections::{HashMap, HashSet};
use std::fmt;

use super::super::sanitize::Site;
use crate::code_object::Lines;

/// Number of an origin; 0 stands for a value without one.
pub(super) type Mark = u32;

/// Most origins of values that are computed. A later one counts as the last one of the same instruction.
const COMPUTED: usize = 1 << 16;
/// Most origins of values that are loaded, and of values that are stored without a computation.
const MOVED: usize = 1 << 12;

/// The instruction from which a non-finite value comes, in one lane.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The kernel.
    pub kernel: String,
    /// The instruction.
    pub site: Site,
    /// The work-group.
    pub group: [u32; 3],
    /// Number of the wave within the group.
    pub wave: u32,
    /// The lane; none for a load by the wave as a whole.
    pub lane: Option<usize>,
    /// The value: `inf`, `-inf` or `NaN`.
    pub value: String,
    /// The way in which the value came about.
    pub cause: Cause,
}

/// The way in which an instruction got a non-finite value.
#[derive(Clone, Debug, PartialEq)]
pub enum Cause {
    /// The instruction computed it of its operands.
    Computed {
        /// The operands as text: `v3 = inf`, or a constant.
        operands: Vec<String>,
        /// The origin of an infinite operand; 0 if it has none.
        earlier: u32,
    },
    /// The instruction loaded it from memory that no kernel had stored it to.
    Loaded {
        /// Guest address.
        address: u64,
    },
    /// The instruction stored it to device memory, and no instruction computed it: a constant.
    Stored,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Site { pc, text, source } = &self.site;
        match source {
            Some(source) => write!(f, "{source}: `{text}`")?,
            None => write!(f, "{pc:#x}: `{text}`")?,
        }
        match &self.cause {
            Cause::Computed { operands, .. } => {
                write!(f, " made {} of {}", self.value, operands.join(", "))?;
            }
            Cause::Loaded { address } => write!(f, " loaded {} from {address:#x}", self.value)?,
            Cause::Stored => write!(f, " stored {}, which no instruction computed", self.value)?,
        }
        Ok(())
    }
}

impl Origin {
    /// Returns the work-group, the wave and the lane as text.
    pub fn place(&self) -> String {
        let [x, y, z] = self.group;
        let wave = format!("work-group ({x},{y},{z}), wave {}", self.wave);
        match self.lane {
            Some(lane) => format!("{wave}, lane {lane}"),
            None => wave,
        }
    }
}

/// The origins that an observer has seen.
#[derive(Default)]
pub(super) struct Origins {
    all: Vec<Origin>,
    computed: usize,
    loaded: usize,
    stored: usize,
    /// The last origin of each instruction.
    last: HashMap<u64, Mark>,
    /// Loaded and stored values that an instruction has used as floating-point numbers.
    used: HashSet<Mark>,
}

impl Origins {
    /// Adds an origin. If there are too many, its mark is that of the last one of the same instruction.
    #[cold]
    pub(super) fn add(&mut self, origin: Origin) -> Mark {
        let (count, most) = match origin.cause {
            Cause::Computed { .. } => (&mut self.computed, COMPUTED),
            Cause::Loaded { .. } => (&mut self.loaded, MOVED),
            Cause::Stored => (&mut self.stored, MOVED),
        };
        let pc = origin.site.pc;
        if *count == most {
            return self.last.get(&pc).copied().unwrap_or(0);
        }
        *count += 1;
        self.all.push(origin);
        let mark = Mark::try_from(self.all.len()).unwrap_or(0);
        self.last.insert(pc, mark);
        mark
    }

    /// Returns the origin of a mark.
    pub(super) fn get(&self, mark: Mark) -> Option<&Origin> {
        self.all.get((mark as usize).checked_sub(1)?)
    }

    /// Notes that an instruction has used a value as a floating-point number, and the value as that instruction sees it.
    pub(super) fn note_use(&mut self, mark: Mark, value: impl FnOnce() -> String) {
        let origin = (mark as usize).checked_sub(1);
        let Some(origin) = origin.and_then(|index| self.all.get_mut(index)) else {
            return;
        };
        let moved = matches!(origin.cause, Cause::Loaded { .. } | Cause::Stored);
        if moved && self.used.insert(mark) {
            origin.value = value();
        }
    }

    /// Returns true if a value is surely a floating-point number: an instruction computed it as one, or has used it as one.
    pub(super) fn is_float(&self, mark: Mark) -> bool {
        let computed = |origin: &Origin| matches!(origin.cause, Cause::Computed { .. });
        self.used.contains(&mark) || self.get(mark).is_some_and(computed)
    }

    /// Returns the origin of a mark, and the earlier ones that it was made of.
    pub(super) fn chain(&self, mark: Mark) -> Vec<&Origin> {
        let next = |one: &&Origin| match one.cause {
            Cause::Computed { earlier, .. } => self.get(earlier),
            Cause::Loaded { .. } | Cause::Stored => None,
        };
        std::iter::successors(self.get(mark), next).collect()
    }

    /// Looks up the source lines of the origins of a kernel.
    pub(super) fn look_up(&mut self, kernel: &str, lines: &Lines) {
        for one in self.all.iter_mut().filter(|one| one.kernel == kernel) {
            if one.site.source.is_none() {
                one.site.look_up(lines);
            }
        }
    }
}
