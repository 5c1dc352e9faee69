//! Propagation of undefined bits through instructions that do not access memory.

use super::rule::Rule;
use super::shadow::{Origin, Shadow};
use crate::isa::uses::{SCC, Uses};
use crate::isa::{Access, Code, Flags, Form, Inst, Properties, Role, Type};
use crate::machine::shapes::addresses::each;
use crate::machine::shapes::exchange::swizzled;
use crate::machine::{LANES, Op, Wave, source_lane};

/// A value and its undefined bits.
#[derive(Clone, Copy, Default)]
struct Bits {
    value: u64,
    undefined: u64,
}

/// A source.
#[derive(Clone, Copy)]
struct Source {
    code: Code,
    ty: Type,
    /// Number of the source for modifiers; `None` for other sources.
    number: Option<usize>,
}

/// An instruction that is about to run, and the undefined bits before it.
pub struct Alu<'a> {
    shadow: &'a mut Shadow,
    wave: &'a Wave,
    op: &'a Op,
    inst: &'a Inst,
    uses: &'a Uses,
    sources: [Option<Source>; 3],
    /// Mask of lanes among the sources.
    mask: Option<Code>,
    /// Lanes in which the instruction has an effect.
    lanes: u64,
    origin: Origin,
    /// Origin of values that come from inactive lanes, if the instruction can read some.
    pub inactive: Option<Origin>,
}

fn is_half(ty: Type) -> bool {
    matches!(ty, Type::B16 | Type::U16 | Type::I16 | Type::F16)
}

fn is_pair(ty: Type) -> bool {
    matches!(ty, Type::B16x2 | Type::U16x2 | Type::I16x2 | Type::F16x2)
}

/// Returns the width of a type's value in bits.
fn width(ty: Type) -> u32 {
    match ty.registers() {
        2 => 64,
        _ if is_half(ty) => 16,
        _ => 32,
    }
}

fn ones(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

/// Sets every bit from the lowest set bit upwards.
fn upwards(x: u64) -> u64 {
    x | x.wrapping_neg()
}

impl<'a> Alu<'a> {
    /// Prepares an instruction of a wave. The caller has checked an index in M0.
    pub fn new(
        shadow: &'a mut Shadow,
        wave: &'a Wave,
        op: &'a Op,
        inst: &'a Inst,
        uses: &'a Uses,
        lanes: u64,
        all_lanes: bool,
    ) -> Alu<'a> {
        let mut sources = [None; 3];
        let mut count = 0;
        let mut mask = inst.has(Properties::DIVISION_STEP).then_some(Code::VCC);
        for (operand, &code) in inst.row.operands.iter().zip(&inst.operands) {
            let number = match operand.role {
                Role::Src0 => Some(0),
                Role::Src1 => Some(1),
                Role::Src2 => Some(2),
                _ => None,
            };
            let accumulates = inst.has(Properties::ACCUMULATES);
            match (operand.access, operand.role) {
                (Access::Write, _) => continue,
                // Most instructions that read their destination keep a part of it.
                (_, Role::Vdst) if operand.access == Access::ReadWrite && !accumulates => continue,
                (_, Role::Vcc) => mask = Some(code),
                (_, Role::Simm16 | Role::Literal) if count < 3 => {
                    sources[count] = Some(Source {
                        code: Code::OFF,
                        ty: operand.ty,
                        number,
                    });
                    count += 1;
                }
                _ if operand.ty == Type::Mask => mask = Some(code),
                _ if count < 3 => {
                    sources[count] = Some(Source {
                        code,
                        ty: operand.ty,
                        number,
                    });
                    count += 1;
                }
                _ => {}
            }
        }
        let origin = shadow.first_of(&uses.reads, if all_lanes { !0 } else { lanes });
        let origin = origin.map_or(0, |register| shadow.origin(register));
        Alu {
            shadow,
            wave,
            op,
            inst,
            uses,
            sources,
            mask,
            lanes,
            origin,
            inactive: None,
        }
    }

    /// Returns the value of a register or constant as a lane reads it.
    fn raw(&self, source: &Source, lane: usize) -> Bits {
        let Source { code, ty, .. } = *source;
        let wide = ty.registers() == 2;
        let join =
            |low: u32, high: u32| u64::from(low) | if wide { u64::from(high) << 32 } else { 0 };
        match code.0 {
            first @ 256..512 => {
                let v = usize::from(first) - 256;
                let next = 256 + ((first - 255) & 255);
                Bits {
                    value: join(self.wave.v[v][lane], self.wave.v[(v + 1) & 255][lane]),
                    undefined: join(self.shadow.get(first, lane), self.shadow.get(next, lane)),
                }
            }
            first @ 0..128 => Bits {
                value: if wide {
                    self.wave.scalar64(code, 0)
                } else {
                    self.wave.scalar32(code, 0).into()
                },
                undefined: join(self.shadow.get(first, 0), self.shadow.get(first + 1, 0)),
            },
            251 => {
                let undefined =
                    self.shadow.get(Code::VCC.0, 0) | self.shadow.get(Code::VCC.0 + 1, 0);
                Bits {
                    value: 0,
                    undefined: u64::from(undefined != 0),
                }
            }
            253 => Bits {
                value: self.wave.scc.into(),
                undefined: (self.shadow.get(SCC, 0) & 1).into(),
            },
            _ if code == Code::OFF => Bits {
                value: self.inst.literal.into(),
                undefined: 0,
            },
            _ if wide => Bits {
                value: self.wave.scalar64(code, self.inst.literal),
                undefined: 0,
            },
            _ => Bits {
                value: self.wave.scalar32(code, self.inst.literal).into(),
                undefined: 0,
            },
        }
    }

    /// Returns a source as a lane reads it, after modifiers that move its bits.
    fn fetch(&self, n: usize, lane: usize) -> Bits {
        let Some(source) = &self.sources[n] else {
            return Bits::default();
        };
        let m = &self.inst.modifiers;
        let number = source.number.unwrap_or(7);
        let mut lane = lane;
        if self.inst.form == Form::Dpp && number == 0 {
            match source_lane(m.dpp_ctrl, lane) {
                Some(from) if self.wave.exec() >> from & 1 != 0 => lane = from,
                _ => return Bits::default(),
            }
        }
        let raw = self.raw(source, lane);
        let change = |f: &dyn Fn(u64) -> u64| Bits {
            value: f(raw.value),
            undefined: f(raw.undefined),
        };
        if self.inst.form == Form::Sdwa && number < 2 {
            let (shift, bits) = match m.src_sel[number] {
                byte @ 0..=3 => (8 * u32::from(byte), 8),
                word @ 4..=5 => (16 * u32::from(word - 4), 16),
                _ => (0, 32),
            };
            let signed = m.sext >> number & 1 != 0;
            return change(&|x| {
                let x = x >> shift & ones(bits);
                let signs = if signed && x >> (bits - 1) & 1 != 0 {
                    !ones(bits)
                } else {
                    0
                };
                (x | signs) & ones(32)
            });
        }
        if is_half(source.ty) && source.code != Code::OFF {
            let shift = if number < 3 && m.op_sel >> number & 1 != 0 {
                16
            } else {
                0
            };
            return change(&|x| x >> shift & 0xffff);
        }
        raw
    }

    /// Returns all sources in a lane.
    fn fetch_all(&self, lane: usize) -> [Bits; 3] {
        [0, 1, 2].map(|n| self.fetch(n, lane))
    }

    /// Returns, for a lane's bit of the mask among the sources, the bit's value and true if the bit is undefined.
    fn mask_bit(&self, lane: usize) -> (bool, bool) {
        let Some(code) = self.mask.filter(|code| code.0 < 128) else {
            return (false, false);
        };
        let undefined = self.shadow.get(code.0 + lane as u16 / 32, 0);
        let value = self.wave.scalar64(code, 0);
        (value >> lane & 1 != 0, undefined >> (lane % 32) & 1 != 0)
    }

    /// Returns the undefined bits of the result in a lane, for a rule that works per lane.
    fn result(&self, rule: Rule, width: u32, lane: usize) -> Bits {
        let [a, b, c] = self.fetch_all(lane);
        let mask = self.mask_bit(lane);
        let undefined = [a.undefined, b.undefined, c.undefined];
        let values = [a.value, b.value, c.value];
        let any = undefined[0] | undefined[1] | undefined[2] | u64::from(mask.1);
        let by_scc = matches!(rule, Rule::ByScc | Rule::Replace);
        if any == 0 && !by_scc {
            return Bits::default();
        }
        let all = ones(width);
        let m = &self.inst.modifiers;
        match rule {
            Rule::Defined => Bits::default(),
            // Saturation depends on the highest bits, and a changed sign makes equal values differ.
            Rule::Sum(..) if m.flags.has(Flags::CLAMP) => Bits {
                value: 0,
                undefined: all,
            },
            Rule::Choice if mask.1 && (m.neg | m.abs) != 0 => Bits {
                value: 0,
                undefined: all,
            },
            Rule::Bitwise(f) => bitwise(f, [a, b, c], all),
            Rule::Move(f, controls) => {
                let control = |n: usize| controls >> n & 1 != 0;
                if (0..3).any(|n| control(n) && undefined[n] != 0) {
                    return Bits {
                        value: 0,
                        undefined: all,
                    };
                }
                let with = |bits: [u64; 3]| {
                    f(std::array::from_fn(|n| {
                        if control(n) { values[n] } else { bits[n] }
                    }))
                };
                // Bits that are set for all values of the sources do not count.
                Bits {
                    value: f(values) & all,
                    undefined: (with(undefined) ^ with([0; 3])) & all,
                }
            }
            Rule::Sum(f, controls) => {
                let control = |n: usize| controls >> n & 1 != 0;
                if (0..3).any(|n| control(n) && undefined[n] != 0) {
                    return Bits {
                        value: 0,
                        undefined: all,
                    };
                }
                let with =
                    std::array::from_fn(|n| if control(n) { values[n] } else { undefined[n] });
                Bits {
                    value: 0,
                    undefined: upwards(f(with) | u64::from(mask.1)) & all,
                }
            }
            Rule::Choice => match mask {
                (_, true) => Bits {
                    value: 0,
                    undefined: (a.value ^ b.value | undefined[0] | undefined[1]) & all,
                },
                (true, _) => Bits {
                    value: b.value,
                    undefined: b.undefined & all,
                },
                (false, _) => Bits {
                    value: a.value,
                    undefined: a.undefined & all,
                },
            },
            Rule::ByScc | Rule::Replace => {
                let scc = self.raw(
                    &Source {
                        code: Code(253),
                        ty: Type::B32,
                        number: None,
                    },
                    0,
                );
                // The old value comes first; it remains if SCC is clear.
                let (yes, no) = if matches!(rule, Rule::ByScc) {
                    (a, b)
                } else {
                    (b, a)
                };
                let undefined = match (scc.undefined != 0, scc.value != 0) {
                    (true, _) => a.value ^ b.value | a.undefined | b.undefined,
                    (_, true) => yes.undefined,
                    _ => no.undefined,
                };
                Bits {
                    value: 0,
                    undefined: undefined & all,
                }
            }
            Rule::Equal => {
                let known = !(a.undefined | b.undefined);
                let differ = (a.value ^ b.value) & known != 0;
                Bits {
                    value: 0,
                    undefined: if differ { 0 } else { all },
                }
            }
            Rule::Bit => {
                let bit = a.undefined >> (b.value & 63) & 1 != 0 || b.undefined != 0;
                Bits {
                    value: 0,
                    undefined: if bit { all } else { 0 },
                }
            }
            Rule::All(f) => Bits {
                value: 0,
                undefined: if f(undefined) != 0 || mask.1 { all } else { 0 },
            },
            _ => Bits {
                value: 0,
                undefined: all,
            },
        }
    }

    /// Runs the propagation. Returns the bits of EXEC that become undefined, and their origin.
    pub fn run(mut self, rule: Rule) -> (u64, Origin) {
        match rule {
            Rule::FirstLane | Rule::Lane => self.read_into_scalar(matches!(rule, Rule::FirstLane)),
            Rule::ToLane => self.write_one_lane(),
            Rule::Swap => self.swap(),
            Rule::FromLanes | Rule::ToLanes | Rule::Swizzle => self.exchange(rule),
            Rule::SaveExec(f) | Rule::WriteExec(f) => {
                let source = self.fetch(0, 0);
                let exec = Bits {
                    value: self.wave.exec(),
                    undefined: 0,
                };
                let made = bitwise(f, [source, exec, Bits::default()], !0);
                let kept = if matches!(rule, Rule::WriteExec(_)) {
                    made.undefined
                } else {
                    0
                };
                self.scalar(self.inst.operands[0], 64, kept);
                self.condition(made);
                return (made.undefined, self.origin);
            }
            _ if self.inst.encoding.is_vector() => return self.vector(rule),
            _ => return self.scalars(rule),
        }
        (0, self.origin)
    }

    /// Sets the condition of SCC, which is true if the result is not 0.
    fn condition(&mut self, result: Bits) {
        if self.uses.writes.has(SCC) {
            let undefined = result.undefined != 0 && result.value & !result.undefined == 0;
            self.shadow.put(SCC, 0, undefined.into(), self.origin);
        }
    }

    fn scalar(&mut self, to: Code, width: u32, undefined: u64) {
        if to.0 >= 126 {
            return;
        }
        self.shadow.put(to.0, 0, undefined as u32, self.origin);
        if width == 64 && to.0 < 125 {
            self.shadow
                .put(to.0 + 1, 0, (undefined >> 32) as u32, self.origin);
        }
    }

    fn scalars(&mut self, rule: Rule) -> (u64, Origin) {
        let destination = self.inst.row.operands.iter().zip(&self.inst.operands);
        let destination = destination
            .clone()
            .find(|(o, _)| o.access != Access::Read)
            .map(|(o, code)| (o.ty, *code));
        let Some((ty, to)) = destination else {
            let made = self.result(rule, 1, 0);
            if self.uses.writes.has(SCC) {
                self.shadow
                    .put(SCC, 0, made.undefined as u32 & 1, self.origin);
            }
            return (0, self.origin);
        };
        let carry = self.inst.has(Properties::SCALAR_CARRY);
        let mut made = self.result(rule, width(ty), 0);
        if carry && self.shadow.get(SCC, 0) != 0 {
            made.undefined |= ones(width(ty));
        }
        self.scalar(to, width(ty), made.undefined);
        // A carry depends on the bits that are shifted out too.
        if matches!(rule, Rule::Sum(..)) && made.undefined == 0 {
            let sources = [0, 1, 2].map(|n| self.fetch(n, 0).undefined);
            made.undefined = u64::from(sources != [0; 3]);
        }
        match rule {
            Rule::Bitwise(_) | Rule::Move(..) => self.condition(made),
            _ => self.condition(Bits { value: 0, ..made }),
        }
        let exec = match to.0 {
            126 => made.undefined,
            127 => made.undefined << 32,
            _ => 0,
        };
        (exec, self.origin)
    }

    fn vector(&mut self, rule: Rule) -> (u64, Origin) {
        let (mut to, mut masks) = (None, [None; 2]);
        let operands = self.inst.row.operands.iter().zip(&self.inst.operands);
        for (operand, &code) in operands.filter(|(o, _)| o.access != Access::Read) {
            match (operand.role, code.as_vgpr()) {
                (Role::Vdst, Some(_)) => to = Some((operand.ty, code.0)),
                _ => masks[usize::from(masks[0].is_some())] = Some(code),
            }
        }
        let lanes = self.written();
        let mut bits = 0;
        let mut made = [0; LANES];
        for lane in each(lanes) {
            let width = to.map_or(1, |(ty, _)| width(ty));
            let undefined = match rule {
                Rule::Halves => self.halves(lane),
                _ => self.result(rule, width, lane).undefined,
            };
            made[lane] = undefined;
            // Carries depend on all bits.
            bits |= u64::from(undefined != 0) << lane;
        }
        if let Some((ty, register)) = to {
            self.put(register, width(ty), lanes, &made);
        }
        let mut exec = 0;
        for code in masks.into_iter().flatten() {
            self.scalar(code, 64, bits);
            exec |= if code == Code::EXEC { bits } else { 0 };
        }
        if self.inst.has(Properties::COMPARES_TO_EXEC) {
            exec = bits;
        }
        (exec, self.origin)
    }

    /// Returns the lanes whose result is written.
    fn written(&self) -> u64 {
        if self.inst.form != Form::Dpp {
            return self.lanes;
        }
        let m = &self.inst.modifiers;
        let lanes = self.lanes & self.op.plan.dpp_lanes;
        if m.flags.has(Flags::BOUND_CTRL) {
            return lanes;
        }
        let live = |lane: &usize| {
            source_lane(m.dpp_ctrl, *lane).is_some_and(|from| self.wave.exec() >> from & 1 != 0)
        };
        each(lanes)
            .filter(live)
            .fold(0, |lanes, lane| lanes | 1 << lane)
    }

    /// Writes a result, or the part of a register that it fills.
    fn put(&mut self, register: u16, width: u32, lanes: u64, made: &[u64; LANES]) {
        let origin = self.origin;
        for lane in each(lanes) {
            let mut low = made[lane] as u32;
            if let Some(fill) = self.op.plan.fill {
                let placed = low << fill.shift & fill.field;
                let top = fill.field & !(fill.field >> 1);
                let signs = if placed & top != 0 { fill.signs } else { 0 };
                low = placed | signs | self.shadow.get(register, lane) & fill.stay;
            }
            let origin = if made[lane] == 0 && low != 0 {
                self.shadow.origin(register)
            } else {
                origin
            };
            self.shadow.put(register, lane, low, origin);
            if width == 64 {
                self.shadow.put(
                    256 + ((register - 255) & 255),
                    lane,
                    (made[lane] >> 32) as u32,
                    origin,
                );
            }
        }
    }

    /// Returns the two halves of a packed result.
    fn halves(&self, lane: usize) -> u64 {
        let m = &self.inst.modifiers;
        let mut made = 0;
        for (half, select) in [(0, m.op_sel), (1, m.op_sel_hi)] {
            let some = self.sources.iter().flatten().any(|source| {
                let number = source.number.unwrap_or(0);
                let shift = if is_pair(source.ty) && select >> number & 1 != 0 {
                    16
                } else {
                    0
                };
                self.raw(source, lane).undefined >> shift & 0xffff != 0
            });
            made |= if some { 0xffff << (16 * half) } else { 0 };
        }
        made
    }

    /// Propagates one lane's value to a scalar register.
    fn read_into_scalar(&mut self, first: bool) {
        let chosen = self.fetch(1, 0);
        let lane = match first {
            true => self.wave.exec().trailing_zeros() as usize % LANES,
            false => chosen.value as usize % LANES,
        };
        let value = self.fetch(0, lane);
        let on = self.wave.exec() >> lane & 1 != 0;
        let source = self.sources[0].map_or(0, |source| source.code.0);
        let outdated = !first && !on && self.shadow.is_outdated(source, lane);
        let inactive = self.inactive.filter(|_| outdated && value.undefined == 0);
        self.origin = inactive.unwrap_or(self.origin);
        let undefined = if inactive.is_some() || !first && chosen.undefined != 0 {
            !0
        } else {
            value.undefined
        };
        self.scalar(self.inst.operands[0], 32, undefined);
    }

    /// Propagates a scalar to one lane.
    fn write_one_lane(&mut self) {
        let (value, chosen) = (self.fetch(0, 0), self.fetch(1, 0));
        let register = self.inst.operands[0].0;
        if register >= 256 {
            let origin = self.origin;
            if chosen.undefined != 0 {
                return each(!0).for_each(|lane| self.shadow.put(register, lane, !0, origin));
            }
            self.shadow.put(
                register,
                chosen.value as usize % LANES,
                value.undefined as u32,
                origin,
            );
        }
    }

    fn swap(&mut self) {
        let [a, b] = [0, 1].map(|n| self.inst.operands[n].0);
        let origins = [a, b].map(|register| self.shadow.origin(register));
        for lane in each(self.lanes) {
            let bits = [a, b].map(|register| self.shadow.get(register, lane));
            self.shadow.put(a, lane, bits[1], origins[1]);
            self.shadow.put(b, lane, bits[0], origins[0]);
        }
    }

    /// Propagates through lane exchanges: `ds_bpermute_b32`, `ds_permute_b32`, `ds_swizzle_b32`.
    fn exchange(&mut self, rule: Rule) {
        let [addr, data] = [Role::Addr, Role::Data].map(|role| self.inst.by_role(role).0);
        let on = |lane: usize| self.wave.exec() >> lane & 1 != 0;
        let named = |lane: usize| {
            let address =
                self.wave.v[usize::from(addr) - 256][lane].wrapping_add(self.inst.offset as u32);
            address as usize / 4 % LANES
        };
        let mut made = [0; LANES];
        // An inactive lane reads as 0, which is no value of the program.
        let absent = self.inactive.map_or(0, |_| u64::from(u32::MAX));
        let mut any_absent = false;
        for lane in each(self.lanes) {
            match rule {
                Rule::Swizzle => {
                    let pattern = self.inst.offset as u32 & 0xffff;
                    let from = lane & 32 | swizzled(pattern, lane as u32 & 31) as usize;
                    any_absent |= !on(from);
                    made[lane] = if on(from) {
                        self.shadow.get(addr, from).into()
                    } else {
                        absent
                    };
                }
                Rule::FromLanes => {
                    let from = named(lane);
                    any_absent |= !on(from);
                    let value = if on(from) {
                        self.shadow.get(data, from)
                    } else {
                        absent as u32
                    };
                    let chosen = if self.shadow.get(addr, lane) != 0 {
                        !0
                    } else {
                        0
                    };
                    made[lane] = u64::from(value | chosen);
                }
                _ => {
                    let chosen = if self.shadow.get(addr, lane) != 0 {
                        !0
                    } else {
                        0
                    };
                    made[named(lane)] = u64::from(self.shadow.get(data, lane) | chosen);
                }
            }
        }
        if any_absent {
            self.origin = self.inactive.unwrap_or(self.origin);
        }
        let register = self.inst.by_role(Role::Vdst).0;
        self.put(register, 32, self.lanes, &made);
    }
}

/// Evaluates a function of each bit of the sources. A result bit is undefined if it depends on the values chosen for the undefined bits.
fn bitwise(f: fn([u64; 3]) -> u64, sources: [Bits; 3], all: u64) -> Bits {
    let (mut ever, mut always) = (0, !0);
    for way in 0..8 {
        let taken = |n: usize| {
            let Bits { value, undefined } = sources[n];
            if way >> n & 1 != 0 {
                value | undefined
            } else {
                value & !undefined
            }
        };
        let made = f([taken(0), taken(1), taken(2)]);
        ever |= made;
        always &= made;
    }
    Bits {
        value: f(sources.map(|bits| bits.value)) & all,
        undefined: (ever ^ always) & all,
    }
}

/// Returns the registers that an instruction names, as if it had no index.
pub fn named(inst: &Inst) -> Uses {
    if !inst.has(Properties::RELATIVE_MOVE) {
        return inst.register_uses();
    }
    let mut uses = Uses::default();
    let count = inst.row.operands[0].ty.registers() as u16;
    uses.writes.add(inst.operands[0].0, count);
    if inst.operands[1].0 < 128 {
        uses.reads.add(inst.operands[1].0, count);
    }
    uses
}
