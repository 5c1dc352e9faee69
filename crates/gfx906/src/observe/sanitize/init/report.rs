//! Findings of undefined values: the use that matters, and the origin of the value.

use std::collections::HashMap;

use super::shadow::{Origin, REGISTERS, Shadow};
use crate::isa::{Code, Properties, register_name};
use crate::machine::access::Space;
use crate::observe::sanitize::finding::{Detail, Other};
use crate::observe::sanitize::{Check, CheckedInstruction, Findings, Site};

/// Rule for values from lanes that were inactive.
const INACTIVE_LANE: &str = "inactive lane";

/// Instructions that returned undefined values, or values of inactive lanes.
#[derive(Default)]
pub struct Origins {
    loads: Vec<UndefinedLoad>,
    known: HashMap<(String, u64), Origin>,
}

struct UndefinedLoad {
    site: Site,
    what: String,
    /// True for a value of an inactive lane.
    inactive: bool,
}

impl Origins {
    /// Returns the origin of a value that the instruction loads from a place.
    #[cold]
    pub fn of_load(&mut self, here: &CheckedInstruction<'_>, space: Space, at: u64) -> Origin {
        let key = (here.launch.kernel.clone(), here.pc);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let place = match space {
            Space::Lds => format!("byte {at} of LDS"),
            Space::Scratch => format!("byte {at} of the work-item's stack"),
            Space::Global => match here.launch.memory.find(&mut 0, at) {
                Some((_, block)) => {
                    format!("byte {} of {}", at - block.bytes.start, block.describe())
                }
                None => format!("address {at:#x}"),
            },
        };
        let what = format!("reads {place}, which nobody wrote");
        self.insert(key, here.site(), what, false)
    }

    /// Returns the origin of values that the instruction reads from inactive lanes.
    #[cold]
    pub fn of_inactive_lane(&mut self, here: &CheckedInstruction<'_>) -> Origin {
        let key = (here.launch.kernel.clone(), here.pc);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let what = match here.facts.inst.has(Properties::LDS_LANE_EXCHANGE) {
            true => "reads inactive lanes, for which this card gives 0",
            false => "reads an inactive lane, whose value is older than that of the active ones",
        };
        self.insert(key, here.site(), what.to_owned(), true)
    }

    fn insert(&mut self, key: (String, u64), site: Site, what: String, inactive: bool) -> Origin {
        let origin = REGISTERS + self.loads.len() as Origin;
        self.loads.push(UndefinedLoad {
            site,
            what,
            inactive,
        });
        self.known.insert(key, origin);
        origin
    }

    /// Returns true if an origin is a read of inactive lanes.
    pub fn is_inactive_lane(&self, origin: Origin) -> bool {
        let load = origin
            .checked_sub(REGISTERS)
            .and_then(|n| self.loads.get(n as usize));
        load.is_some_and(|load| load.inactive)
    }

    fn tell(&self, origin: Origin) -> Other {
        let loaded = origin
            .checked_sub(REGISTERS)
            .and_then(|n| self.loads.get(n as usize));
        Other {
            did: match loaded {
                Some(loaded) => loaded.what.clone(),
                None => format!("nobody wrote {}", named(origin as u16)),
            },
            site: loaded.map(|loaded| loaded.site.clone()),
            group: None,
            wave: None,
        }
    }

    /// Returns the key that distinguishes the findings of one instruction.
    fn key(&self, origin: Origin) -> u64 {
        let loaded = origin
            .checked_sub(REGISTERS)
            .and_then(|n| self.loads.get(n as usize));
        loaded.map_or(origin.into(), |loaded| {
            u64::from(REGISTERS) + loaded.site.pc
        })
    }
}

fn named(register: u16) -> String {
    match register {
        crate::isa::uses::SCC => "scc".to_owned(),
        102..=103 => "flat_scratch".to_owned(),
        104..=105 => "xnack_mask".to_owned(),
        106..=107 => "vcc".to_owned(),
        124 => "m0".to_owned(),
        register => register_name(Code(register), 1),
    }
}

/// State of the check at an instruction for which an undefined value may matter.
pub struct UndefinedUse<'a, 'h> {
    /// The instruction.
    pub here: &'a CheckedInstruction<'h>,
    /// Undefined bits before the instruction runs.
    pub shadow: &'a mut Shadow,
    /// Origins of undefined values.
    pub origins: &'a mut Origins,
    /// Findings so far.
    pub findings: &'a mut Findings,
}

impl UndefinedUse<'_, '_> {
    /// Returns those of the given lanes in which a vector register is undefined.
    pub fn lanes_of(&self, register: u16, lanes: u64) -> u64 {
        match register {
            256.. => self.shadow.lanes(register) & lanes,
            _ => 0,
        }
    }

    /// Reports the use of an undefined register.
    #[cold]
    pub fn found(&mut self, kind: &'static str, register: u16, lanes: u64, matters: &str) {
        let origin = self.shadow.origin(register);
        self.note(kind, origin, lanes, || {
            format!("{} {matters} and", named(register))
        });
    }

    /// Reports that EXEC becomes undefined.
    #[cold]
    pub fn exec(&mut self, lanes: u64, origin: Origin) {
        self.note("undefined EXEC", origin, lanes, || {
            "exec says which lanes are on, and".to_owned()
        });
    }

    /// Reports an atomic on memory that nobody wrote.
    #[cold]
    pub fn memory_operand(&mut self, lane: usize, origin: Origin) {
        self.note("undefined atomic", origin, 1 << lane, || {
            "an atomic works on memory that nobody wrote and".to_owned()
        });
    }

    fn note(
        &mut self,
        kind: &'static str,
        origin: Origin,
        lanes: u64,
        what: impl FnOnce() -> String,
    ) {
        let (origins, key) = (&*self.origins, self.origins.key(origin));
        let inactive = origins.is_inactive_lane(origin);
        let kind = if inactive { INACTIVE_LANE } else { kind };
        self.findings
            .note(self.here, Check::Init, kind, key, || Detail {
                lanes,
                what: match inactive {
                    true => format!("{} comes from a lane that was inactive", what()),
                    false => format!("{} is undefined", what()),
                },
                other: Some(origins.tell(origin)),
                cure: match origin {
                    _ if inactive => {
                        "let the lanes that are read take part, or use the value only where they do"
                            .to_owned()
                    }
                    0..REGISTERS => "set it on every way that leads here".to_owned(),
                    _ => "write it before it is read: on all ways, and for all lanes".to_owned(),
                },
            });
    }
}
