//! Functions that change nodes of a graph or of an executable graph.

use super::params::what;
use crate::boundary::{Address, In, Out};
use crate::error::{HipError, HipResult};
use crate::objects::graph::NodeAction;
use crate::objects::graph::exec::{Exec, StepAction, same};
use crate::objects::work::Work;
use crate::runtime::state;

/// Target of a change.
#[derive(Clone, Copy)]
pub enum EditTarget {
    /// The graph itself.
    Graph,
    /// An executable graph that was made from the graph.
    Exec(Address),
}

/// Gives a node another operation of the same kind. The direction of a copy may change if `turn` is true.
fn change(place: EditTarget, node: Address, new: NodeAction, turn: bool) -> HipResult {
    let fits = |old: &NodeAction| match (old, &new) {
        (NodeAction::Work(Work::Copy(_)), NodeAction::Work(Work::Copy(_))) if turn => Ok(()),
        _ => same(old, &new).map_err(|_| HipError::InvalidValue),
    };
    let mut state = state();
    match place {
        EditTarget::Graph => {
            let node = state.graphs.node_mut(node)?;
            fits(&node.what)?;
            node.what = new;
        }
        EditTarget::Exec(exec) => {
            state.graphs.node(node)?;
            let exec = state.graphs.execs.get_mut(exec);
            let step = exec.ok_or(HipError::InvalidValue)?.step(node)?;
            let StepAction::Node(old) = &mut step.what else {
                return Err(HipError::InvalidValue);
            };
            fits(old)?;
            if resizes_rows(old, &new) {
                return Err(HipError::InvalidValue);
            }
            *old = new;
        }
    }
    Ok(())
}

/// Returns true if a fill of several rows takes the place of one of another size, which an executable graph does not allow.
fn resizes_rows(old: &NodeAction, new: &NodeAction) -> bool {
    let (NodeAction::Work(Work::Fill(old)), NodeAction::Work(Work::Fill(new))) = (old, new) else {
        return false;
    };
    new.size.height > 1 && new.size != old.size
}

/// Gives a node another operation of the same kind.
pub fn replace(place: EditTarget, node: Address, new: NodeAction) -> HipResult {
    change(place, node, new, false)
}

/// Replaces a copy of rows by a copy of planes or the reverse. The node keeps its type, and in an executable graph its direction.
pub fn replace_copy(place: EditTarget, node: Address, new: NodeAction) -> HipResult {
    exchange_copies(place, node, new, matches!(place, EditTarget::Graph))
}

/// Replaces a copy by one whose parameters name no direction.
pub fn replace_driver_copy(place: EditTarget, node: Address, new: NodeAction) -> HipResult {
    exchange_copies(place, node, new, true)
}

fn exchange_copies(place: EditTarget, node: Address, new: NodeAction, turn: bool) -> HipResult {
    let (NodeAction::Work(Work::Copy(mut new)), NodeAction::Work(Work::Copy(old))) =
        (new, what(node)?)
    else {
        return Err(HipError::InvalidValue);
    };
    new.form = old.form;
    change(place, node, NodeAction::Work(Work::Copy(new)), turn)
}

pub fn child_step(exec: Address, node: Address, child: Address) -> HipResult {
    let mut state = state();
    let new = Exec::new(&state.graphs, child, 0)?;
    let exec = state.graphs.execs.get_mut(exec);
    let step = exec.ok_or(HipError::InvalidValue)?.step(node)?;
    match &mut step.what {
        StepAction::Graph(old) => old
            .update(&new)
            .map_err(|_| HipError::GraphExecUpdateFailure),
        StepAction::Node(_) => Err(HipError::InvalidValue),
    }
}

/// Returns true for kernels, copies and fills, which launches can leave out.
fn can_be_left_out(what: &StepAction) -> bool {
    matches!(
        what,
        StepAction::Node(NodeAction::Work(
            Work::Kernel(_) | Work::Copy(_) | Work::Fill(_)
        ))
    )
}

pub fn enable(exec: Address, node: Address, enabled: u32) -> HipResult {
    let mut state = state();
    state.graphs.node(node)?;
    let exec = state.graphs.execs.get_mut(exec);
    let step = exec.ok_or(HipError::InvalidValue)?.step(node)?;
    if enabled > 1 || !can_be_left_out(&step.what) {
        return Err(HipError::InvalidValue);
    }
    step.enabled = enabled == 1;
    Ok(())
}

pub fn is_enabled(exec: Address, node: Address, out: Out<u32>) -> HipResult {
    out.required()?;
    let enabled = {
        let mut state = state();
        state.graphs.node(node)?;
        let exec = state.graphs.execs.get_mut(exec);
        let step = exec.ok_or(HipError::InvalidValue)?.step(node)?;
        if !can_be_left_out(&step.what) {
            return Err(HipError::InvalidValue);
        }
        step.enabled
    };
    out.put(enabled.into())
}

/// `hipKernelNodeAttrValue`.
pub type Attribute = [u8; 32];

/// Attributes of kernel nodes: an access window of the cache, a cooperative launch.
const ATTRIBUTES: [u32; 2] = [1, 2];

fn is_kernel(node: Address, attribute: u32) -> HipResult {
    match what(node)? {
        NodeAction::Work(Work::Kernel(_)) if ATTRIBUTES.contains(&attribute) => Ok(()),
        _ => Err(HipError::InvalidValue),
    }
}

/// Stores an attribute, which has no effect.
pub fn attribute(node: Address, attribute: u32, value: In<Attribute>) -> HipResult {
    let value = value.get()?;
    is_kernel(node, attribute)?;
    let mut state = state();
    let node = state.graphs.node_mut(node)?;
    node.attributes.insert(attribute, value);
    Ok(())
}

pub fn get_attribute(node: Address, attribute: u32, out: Out<Attribute>) -> HipResult {
    out.required()?;
    is_kernel(node, attribute)?;
    let value = {
        let state = state();
        let node = state.graphs.node(node)?;
        node.attributes.get(&attribute).copied()
    };
    out.put(value.unwrap_or_default())
}

pub fn copy_attributes(from: Address, to: Address) -> HipResult {
    is_kernel(from, ATTRIBUTES[0])?;
    is_kernel(to, ATTRIBUTES[0])?;
    let mut state = state();
    let attributes = state.graphs.node(from)?.attributes.clone();
    state.graphs.node_mut(to)?.attributes = attributes;
    Ok(())
}
