//! Values that a person sees at a moment: registers, LDS, tensors and variables of the source, as a tree.

use gfx906::code_object::{
    ArgKind, NumberKind, SourceType, SourceVariable, VariablePart, VariablePlace,
};
use gfx906::machine::{LANES, Wave};

use super::element::{shown_dword, shown_element};
use super::places::{Place, WaveId};
use super::timeline::Timeline;
use crate::device::TensorView;
use crate::tensor::npy::Dtype;

/// Text of a variable without a place.
pub const NO_PLACE: &str = "no place in the debug information";

/// Number of architected SGPRs that programs name s0 to s101.
const SGPRS: usize = 102;
/// Largest number of lanes whose values a line of text has.
const SHOWN_LANES: usize = 8;

/// A value with parts.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// Variables of a frame of a wave; frame 0 is the innermost.
    Locals(WaveId, usize),
    /// Lanes of a variable, by its number in the frame.
    LocalLanes(WaveId, usize, usize),
    /// Elements of a variable that is an array.
    LocalElements(WaveId, usize, usize),
    /// Arguments of the kernel.
    Arguments,
    /// Special registers of a wave.
    Special(WaveId),
    /// SGPRs of a wave.
    Sgprs(WaveId),
    /// VGPRs of a wave.
    Vgprs(WaveId),
    /// Lanes of a VGPR.
    Vgpr(WaveId, u16),
    /// Dwords of the group's LDS.
    Lds,
    /// All tensors.
    Tensors,
    /// Elements of a tensor, by its number, at the first indices.
    Tensor(usize, Vec<usize>),
}

/// A value as a person sees it.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// Name within its node.
    pub name: String,
    /// The value as text.
    pub text: String,
    /// The type.
    pub type_name: String,
    /// An expression that gives the value; empty if there is none.
    pub expression: String,
    /// The value as a number, if it is one.
    pub number: Option<f64>,
    /// The place, and the size in bytes, if the value has one place.
    pub place: Option<(Place, usize)>,
    /// The parts.
    pub node: Option<Node>,
    /// The number of parts.
    pub parts: usize,
}

/// Returns parts of a node from `start` on.
pub fn items(timeline: &Timeline, node: &Node, start: usize, count: usize) -> Vec<Item> {
    let range = start..start.saturating_add(count);
    let range = range.start..range.end.min(length(timeline, node));
    match node {
        Node::Locals(wave, frame) => {
            let variables = variables(timeline, *wave, *frame);
            let numbered = variables.iter().enumerate();
            let chosen = numbered.filter(|(number, _)| range.contains(number));
            chosen
                .map(|(number, variable)| local(timeline, (*wave, *frame, number), variable))
                .collect()
        }
        Node::LocalLanes(wave, frame, number) => {
            let variables = variables(timeline, *wave, *frame);
            let Some(variable) = variables.get(*number) else {
                return Vec::new();
            };
            range
                .map(|lane| local_lane(timeline, *wave, variable, lane))
                .collect()
        }
        Node::LocalElements(wave, frame, number) => {
            let variables = variables(timeline, *wave, *frame);
            let Some(variable) = variables.get(*number) else {
                return Vec::new();
            };
            range
                .filter_map(|index| local_element(timeline, variable, index))
                .collect()
        }
        Node::Arguments => {
            let all = arguments(timeline);
            all.get(range).unwrap_or_default().to_vec()
        }
        Node::Special(wave) => {
            let all = special(timeline, *wave);
            all.get(range).unwrap_or_default().to_vec()
        }
        Node::Sgprs(wave) => range
            .filter_map(|register| sgpr(timeline, *wave, register))
            .collect(),
        Node::Vgprs(wave) => range
            .filter_map(|register| vgpr(timeline, *wave, register))
            .collect(),
        Node::Vgpr(wave, register) => range
            .filter_map(|lane| vgpr_lane(timeline, *wave, usize::from(*register), lane))
            .collect(),
        Node::Lds => range.filter_map(|word| lds(timeline, 4 * word)).collect(),
        Node::Tensors => range
            .filter_map(|number| tensor(timeline, number, &[]))
            .collect(),
        Node::Tensor(number, prefix) => range
            .filter_map(|index| {
                let mut indices = prefix.clone();
                indices.push(index);
                tensor(timeline, *number, &indices)
            })
            .collect(),
    }
}

/// Returns the number of a node's parts.
pub fn length(timeline: &Timeline, node: &Node) -> usize {
    let wave = |id: &WaveId| wave_of(timeline, *id);
    match node {
        Node::Locals(id, frame) => variables(timeline, *id, *frame).len(),
        Node::LocalLanes(..) | Node::Vgpr(..) => LANES,
        Node::LocalElements(id, frame, number) => {
            let variables = variables(timeline, *id, *frame);
            match variables.get(*number).map(|variable| &variable.ty) {
                Some(SourceType::Array { count, .. }) => {
                    usize::try_from(*count).unwrap_or(usize::MAX)
                }
                _ => 0,
            }
        }
        Node::Arguments => arguments(timeline).len(),
        Node::Special(id) => special(timeline, *id).len(),
        Node::Sgprs(id) => wave(id).map_or(0, |_| SGPRS),
        Node::Vgprs(id) => wave(id).map_or(0, |wave| usize::from(wave.vgprs())),
        Node::Lds => timeline
            .stepper()
            .map_or(0, |stepper| stepper.lds().words().len()),
        Node::Tensors => timeline.tensors().len(),
        Node::Tensor(number, prefix) => {
            let tensor = timeline.tensors().get(*number);
            let axis = tensor.and_then(|tensor| tensor.axes.get(prefix.len()));
            axis.map_or(0, |axis| axis.length)
        }
    }
}

/// Returns the variables of a frame of a wave.
pub fn variables(timeline: &Timeline, wave: WaveId, frame: usize) -> Vec<SourceVariable> {
    let source = timeline.code().and_then(|code| code.source());
    let Some((source, address)) = source.zip(timeline.address(wave)) else {
        return Vec::new();
    };
    let mut frames = source.variables(address);
    if frame < frames.len() {
        frames.swap_remove(frame)
    } else {
        Vec::new()
    }
}

fn wave_of(timeline: &Timeline, id: WaveId) -> Option<&Wave> {
    let stepper = timeline.stepper().filter(|_| timeline.has(id))?;
    stepper.waves().get(id.wave)
}

/// Returns the arguments of the kernel, which no instruction changes.
pub fn arguments(timeline: &Timeline) -> Vec<Item> {
    let Some((stepper, code)) = timeline.stepper().zip(timeline.code()) else {
        return Vec::new();
    };
    let Some(kernel) = code.object.kernel(stepper.kernel()) else {
        return Vec::new();
    };
    let parameters = code.parameters(kernel).unwrap_or_default();
    let arguments = kernel.explicit_args().enumerate();
    arguments
        .map(|(number, argument)| {
            let parameter = parameters.get(number);
            let name = match (parameter, &argument.name) {
                (Some(parameter), _) => parameter.name.clone(),
                (None, Some(name)) => name.clone(),
                (None, None) => format!("argument {number}"),
            };
            let (offset, size) = (argument.offset as usize, argument.size as usize);
            let bytes = stepper.kernarg().get(offset..offset.saturating_add(size));
            let bytes = bytes.unwrap_or_default();
            let guessed = match (&argument.kind, size) {
                (ArgKind::GlobalBuffer, 8) => SourceType::Pointer {
                    to: "void".into(),
                    constant: false,
                },
                _ => SourceType::Other,
            };
            let ty = parameter.map_or(&guessed, |parameter| &parameter.ty);
            let (text, value) = match (ty, bytes.first_chunk()) {
                (SourceType::Other, Some(dword)) if size == 4 => {
                    let bits = u32::from_le_bytes(*dword);
                    (shown_dword(bits), Some(bits.into()))
                }
                _ => typed(timeline, ty, bytes),
            };
            Item {
                expression: format!("args.{name}"),
                name,
                text,
                type_name: ty.name(),
                number: value,
                ..Item::default()
            }
        })
        .collect()
}

/// Returns a scalar register.
pub fn sgpr(timeline: &Timeline, id: WaveId, register: usize) -> Option<Item> {
    let value = *wave_of(timeline, id)?
        .s
        .get(register)
        .filter(|_| register < SGPRS)?;
    let name = format!("s{register}");
    let place = Place::Sgpr {
        wave: id,
        register: register as u16,
    };
    Some(dword(name.clone(), name, value, place))
}

fn dword(name: String, expression: String, value: u32, place: Place) -> Item {
    Item {
        name,
        text: shown_dword(value),
        type_name: "b32".into(),
        expression,
        number: Some(value.into()),
        place: Some((place, 4)),
        ..Item::default()
    }
}

/// Returns a pair of scalar registers.
pub fn sgpr_pair(timeline: &Timeline, id: WaveId, register: usize) -> Option<Item> {
    let wave = wave_of(timeline, id)?;
    let pair = wave
        .s
        .get(register..register + 2)
        .filter(|_| register + 2 <= SGPRS)?;
    let value = u64::from(pair[0]) | u64::from(pair[1]) << 32;
    let name = format!("s[{register}:{}]", register + 1);
    Some(Item {
        text: pointer_text(timeline, value),
        type_name: "b64".into(),
        expression: name.clone(),
        name,
        number: Some(value as f64),
        place: Some((
            Place::Sgpr {
                wave: id,
                register: register as u16,
            },
            8,
        )),
        ..Item::default()
    })
}

/// Returns a vector register with its lanes.
pub fn vgpr(timeline: &Timeline, id: WaveId, register: usize) -> Option<Item> {
    let wave = wave_of(timeline, id)?;
    let lanes = wave
        .v
        .get(register)
        .filter(|_| register < usize::from(wave.vgprs()))?;
    let name = format!("v{register}");
    let first = lanes[0];
    let text = if lanes.iter().all(|&lane| lane == first) {
        format!("{first:#010x} in all lanes")
    } else {
        let shown = lanes.iter().take(SHOWN_LANES);
        let shown: Vec<String> = shown.map(|lane| format!("{lane:#x}")).collect();
        format!("{} …", shown.join(", "))
    };
    Some(Item {
        text,
        type_name: "b32 of 64 lanes".into(),
        expression: name.clone(),
        name,
        node: Some(Node::Vgpr(id, register as u16)),
        parts: LANES,
        ..Item::default()
    })
}

/// Returns a lane of a vector register.
pub fn vgpr_lane(timeline: &Timeline, id: WaveId, register: usize, lane: usize) -> Option<Item> {
    let wave = wave_of(timeline, id)?;
    let registers = wave
        .v
        .get(register)
        .filter(|_| register < usize::from(wave.vgprs()));
    let value = *registers?.get(lane)?;
    let place = Place::Vgpr {
        wave: id,
        register: register as u16,
        lane,
    };
    let off = if wave.exec() >> lane & 1 == 0 {
        " (not in EXEC)"
    } else {
        ""
    };
    let mut item = dword(
        format!("[{lane}]"),
        format!("v{register}[{lane}]"),
        value,
        place,
    );
    item.text += off;
    Some(item)
}

/// Returns the special registers of a wave.
pub fn special(timeline: &Timeline, id: WaveId) -> Vec<Item> {
    let Some((wave, stepper)) = wave_of(timeline, id).zip(timeline.stepper()) else {
        return Vec::new();
    };
    let pair = |low: usize| u64::from(wave.s[low]) | u64::from(wave.s[low + 1]) << 32;
    let plain = |name: &str, text: String, number: f64, type_name: &str| Item {
        name: name.into(),
        text,
        type_name: type_name.into(),
        expression: name.to_lowercase(),
        number: Some(number),
        ..Item::default()
    };
    let mask = |name: &str, value: u64| {
        let text = format!("{value:#018x} ({} lanes)", value.count_ones());
        plain(name, text, value as f64, "64 lanes")
    };
    let pc = wave.pc.wrapping_sub(stepper.base());
    let [x, y, z] = stepper.group();
    vec![
        mask("EXEC", wave.exec()),
        mask("VCC", wave.vcc()),
        plain(
            "SCC",
            u8::from(wave.scc).to_string(),
            wave.scc.into(),
            "bit",
        ),
        plain("PC", format!("{pc:#x}"), pc as f64, "link address"),
        plain("M0", shown_dword(wave.s[124]), wave.s[124].into(), "b32"),
        plain(
            "MODE",
            format!("{:#x}", wave.mode_bits()),
            wave.mode_bits().into(),
            "b32",
        ),
        plain(
            "FLAT_SCRATCH",
            format!("{:#018x}", pair(102)),
            pair(102) as f64,
            "b64",
        ),
        plain("WAVE", id.wave.to_string(), id.wave as f64, "number"),
        plain("GROUP.X", x.to_string(), x.into(), "number"),
        plain("GROUP.Y", y.to_string(), y.into(), "number"),
        plain("GROUP.Z", z.to_string(), z.into(), "number"),
    ]
}

/// Returns the dword of LDS at a byte.
pub fn lds(timeline: &Timeline, byte: usize) -> Option<Item> {
    let at = u32::try_from(byte).ok()?;
    let place = Place::Lds(at);
    let bytes = place.read(timeline, 4)?;
    let value = u32::from_le_bytes(bytes.try_into().ok()?);
    let name = format!("lds[{byte}]");
    Some(dword(format!("[{byte}]"), name, value, place))
}

/// Returns a tensor, a part of it or an element, at the first indices.
pub fn tensor(timeline: &Timeline, number: usize, indices: &[usize]) -> Option<Item> {
    let tensor = timeline.tensors().get(number)?;
    let inside = indices.len() <= tensor.axes.len();
    let mut axes = indices.iter().zip(&tensor.axes);
    if !inside || !axes.all(|(&index, axis)| index < axis.length) {
        return None;
    }
    let list: Vec<String> = indices.iter().map(ToString::to_string).collect();
    let list = list.join(",");
    let (name, expression) = match indices.last() {
        None => (tensor.name.clone(), tensor.name.clone()),
        Some(last) => (format!("[{last}]"), format!("{}[{list}]", tensor.name)),
    };
    if indices.len() < tensor.axes.len() {
        let rest = &tensor.axes[indices.len()..];
        let lengths: Vec<String> = rest.iter().map(|axis| axis.length.to_string()).collect();
        let names: Vec<&str> = rest.iter().map(|axis| axis.name.as_str()).collect();
        let named = names.iter().all(|name| !name.is_empty());
        let names = if named {
            format!(" ({})", names.join(", "))
        } else {
            String::new()
        };
        let type_name = format!("{}[{}]", tensor.dtype.name(), lengths.join(","));
        let at = address(tensor, indices)?;
        return Some(Item {
            name,
            text: format!("{type_name}{names} at {at:#x}"),
            type_name,
            expression,
            parts: rest[0].length,
            node: Some(Node::Tensor(number, indices.to_vec())),
            ..Item::default()
        });
    }
    let place = Place::Memory(address(tensor, indices)?);
    let size = tensor.dtype.size;
    let (text, value) = match place.read(timeline, size) {
        Some(bytes) => shown_element(tensor.dtype, &bytes),
        None => ("not in memory".into(), None),
    };
    Some(Item {
        name,
        text,
        type_name: tensor.dtype.name(),
        expression,
        number: value,
        place: Some((place, size)),
        ..Item::default()
    })
}

/// Returns the guest address of an element.
fn address(tensor: &TensorView, indices: &[usize]) -> Option<u64> {
    let mut element = 0usize;
    for (&index, &stride) in indices.iter().zip(&tensor.strides) {
        element = element.checked_add(index.checked_mul(stride)?)?;
    }
    let bytes = element.checked_mul(tensor.dtype.size)?;
    tensor.address.checked_add(bytes as u64)
}

/// Returns an address as text, with the tensor that it is in.
fn pointer_text(timeline: &Timeline, value: u64) -> String {
    let holds = |tensor: &&TensorView| {
        let elements = tensor.axes.iter().zip(&tensor.strides);
        let last: usize = elements
            .map(|(axis, stride)| axis.length.saturating_sub(1).saturating_mul(*stride))
            .sum();
        let bytes = (last as u64 + 1).saturating_mul(tensor.dtype.size as u64);
        value >= tensor.address && value - tensor.address < bytes
    };
    match timeline.tensors().iter().find(holds) {
        Some(tensor) if value == tensor.address => format!("{value:#x} (${})", tensor.name),
        Some(tensor) => {
            let offset = value - tensor.address;
            format!("{value:#x} (${} + {offset})", tensor.name)
        }
        None => format!("{value:#x}"),
    }
}

/// Returns a value of the source's type as text, and as a number if it is one.
fn typed(timeline: &Timeline, ty: &SourceType, bytes: &[u8]) -> (String, Option<f64>) {
    match ty {
        SourceType::Number { kind, size, .. } => {
            let kind = match kind {
                NumberKind::Float => 'f',
                NumberKind::Signed => 'i',
                NumberKind::Unsigned => 'u',
                NumberKind::Boolean => 'b',
            };
            let size = usize::try_from(*size).unwrap_or(0);
            match bytes.get(..size) {
                Some(bytes) => shown_element(Dtype { kind, size }, bytes),
                None => ("known in part only".into(), None),
            }
        }
        SourceType::Pointer { .. } => match bytes.first_chunk() {
            Some(address) => (pointer_text(timeline, u64::from_le_bytes(*address)), None),
            None => ("known in part only".into(), None),
        },
        _ => {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            (format!("bytes {}", digits.join(" ")), None)
        }
    }
}

/// Returns the bytes of a variable in a lane, or the reason why they are not known.
fn lane_bytes(
    timeline: &Timeline,
    id: WaveId,
    variable: &SourceVariable,
    lane: usize,
) -> Result<Vec<u8>, &'static str> {
    const GONE: &str = "its place does not exist";
    let size = variable.ty.size().unwrap_or(4);
    let size = usize::try_from(size).unwrap_or(4).min(4096);
    let read = |place: Place, bytes: usize| place.read(timeline, bytes).ok_or(GONE);
    match &variable.place {
        VariablePlace::Parts(parts) => {
            let mut bytes = Vec::new();
            for part in parts {
                let place = match *part {
                    VariablePart::Sgpr(register) => Place::Sgpr { wave: id, register },
                    VariablePart::Vgpr(register) => Place::Vgpr {
                        wave: id,
                        register,
                        lane,
                    },
                    VariablePart::Missing(_) => return Err("known in part only"),
                };
                let rest = size.saturating_sub(bytes.len());
                // A single register without pieces stands for the tuple that begins with it.
                let wanted = if parts.len() == 1 { rest } else { rest.min(4) };
                bytes.extend(read(place, wanted)?);
            }
            Ok(bytes)
        }
        VariablePlace::Constant(bytes) => {
            let mut bytes = bytes.clone();
            bytes.resize(size.max(bytes.len()), 0);
            Ok(bytes)
        }
        VariablePlace::Lds(at) => read(Place::Lds(u32::try_from(*at).map_err(|_| GONE)?), size),
        VariablePlace::Memory(at) => {
            let base = timeline.stepper().ok_or(GONE)?.base();
            read(Place::Memory(base.wrapping_add(*at)), size)
        }
        VariablePlace::Scratch { base, offset } => {
            let (stepper, wave) = timeline.stepper().zip(wave_of(timeline, id)).ok_or(GONE)?;
            let base = wave.s.get(usize::from(*base)).ok_or(GONE)? / LANES as u32;
            let first = i64::from(base).checked_add(*offset).ok_or(GONE)?;
            let first = u64::try_from(first).map_err(|_| GONE)?;
            let mut bytes = Vec::new();
            for byte in first..first.saturating_add(size as u64) {
                let address = stepper.scratch_byte(id.wave, lane, byte).ok_or(GONE)?;
                bytes.extend(read(Place::Memory(address), 1)?);
            }
            Ok(bytes)
        }
        VariablePlace::Nowhere => Err(NO_PLACE),
        VariablePlace::Unsupported => Err("its place has a form that `debug` does not read"),
    }
}

/// Returns true if a variable has a value of its own in each lane.
fn by_lane(variable: &SourceVariable) -> bool {
    match &variable.place {
        VariablePlace::Parts(parts) => parts
            .iter()
            .any(|part| matches!(part, VariablePart::Vgpr(_))),
        VariablePlace::Scratch { .. } => true,
        _ => false,
    }
}

/// Returns a variable of the source by its wave, frame and number.
pub fn local(
    timeline: &Timeline,
    (id, frame, number): (WaveId, usize, usize),
    variable: &SourceVariable,
) -> Item {
    let mut item = Item {
        name: variable.name.clone(),
        type_name: variable.ty.name(),
        expression: variable.name.clone(),
        ..Item::default()
    };
    let lanes = by_lane(variable);
    let shared = matches!(
        variable.place,
        VariablePlace::Lds(_) | VariablePlace::Memory(_)
    );
    if let (SourceType::Array { count, .. }, true) = (&variable.ty, shared) {
        item.text = format!("{} elements", count);
        item.node = Some(Node::LocalElements(id, frame, number));
        item.parts = usize::try_from(*count).unwrap_or(usize::MAX);
        return item;
    }
    if !lanes {
        match lane_bytes(timeline, id, variable, 0) {
            Ok(bytes) => (item.text, item.number) = typed(timeline, &variable.ty, &bytes),
            Err(reason) => item.text = reason.into(),
        }
        return item;
    }
    let texts: Vec<String> = (0..LANES)
        .map(|lane| local_lane(timeline, id, variable, lane).text)
        .collect();
    item.text = if texts.iter().all(|text| *text == texts[0]) {
        format!("{} in all lanes", texts[0])
    } else {
        format!("{} …", texts[..SHOWN_LANES].join(", "))
    };
    item.node = Some(Node::LocalLanes(id, frame, number));
    item.parts = LANES;
    item
}

/// Returns a variable of the source in a lane.
pub fn local_lane(timeline: &Timeline, id: WaveId, variable: &SourceVariable, lane: usize) -> Item {
    let (text, number) = match lane_bytes(timeline, id, variable, lane) {
        Ok(bytes) => typed(timeline, &variable.ty, &bytes),
        Err(reason) => (reason.into(), None),
    };
    Item {
        name: format!("[{lane}]"),
        text,
        type_name: variable.ty.name(),
        expression: format!("{}[{lane}]", variable.name),
        number,
        ..Item::default()
    }
}

/// Returns an element of a variable that is an array in LDS or in memory.
pub fn local_element(timeline: &Timeline, variable: &SourceVariable, index: usize) -> Option<Item> {
    let SourceType::Array { element, count } = &variable.ty else {
        return None;
    };
    if index as u64 >= *count {
        return None;
    }
    let size = element.size()?;
    let offset = size.checked_mul(index as u64)?;
    let place = match variable.place {
        VariablePlace::Lds(at) => Place::Lds(u32::try_from(at.checked_add(offset)?).ok()?),
        VariablePlace::Memory(at) => {
            let base = timeline.stepper()?.base();
            Place::Memory(base.wrapping_add(at).wrapping_add(offset))
        }
        _ => return None,
    };
    let size = usize::try_from(size).ok()?.min(4096);
    let (text, number) = match place.read(timeline, size) {
        Some(bytes) => typed(timeline, element, &bytes),
        None => ("its place does not exist".into(), None),
    };
    Some(Item {
        name: format!("[{index}]"),
        text,
        type_name: element.name(),
        expression: format!("{}[{index}]", variable.name),
        number,
        place: Some((place, size)),
        ..Item::default()
    })
}
