//! Executable graphs: copies of a graph's nodes in the form that launches use.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{Graphs, NodeAction};
use crate::boundary::Address;
use crate::error::{HipError, HipResult};
use crate::objects::work::Work;
use crate::queue::Ticket;

/// Executable graph.
#[derive(Clone)]
pub struct Exec {
    /// Steps in the order in which the nodes were added to the graph.
    pub steps: Vec<Step>,
    /// Order of execution.
    order: Vec<usize>,
    /// Flags of the graph's creation.
    pub flags: u64,
    /// References to user objects that the graph holds.
    pub users: Vec<(Address, u32)>,
    /// End of the last launch. The next launch waits for it on every stream.
    pub launched: Option<Arc<Ticket>>,
}

/// Step of an executable graph.
#[derive(Clone)]
pub struct Step {
    /// Node that the step was made from.
    pub node: Address,
    /// Operation of the step.
    pub what: StepAction,
    /// Steps that this step depends on.
    after: Vec<usize>,
    /// False if launches leave the step out.
    pub enabled: bool,
}

/// Operation of a step.
#[derive(Clone)]
pub enum StepAction {
    /// Operation of the step's node.
    Node(NodeAction),
    /// Child graph.
    Graph(Exec),
}

/// Reason why a graph cannot update another: a value of `hipGraphExecUpdateResult`, and the node.
pub type Mismatch = (u32, Address);

const TOPOLOGY: u32 = 2;
const NODE_TYPE: u32 = 3;
const PARAMETERS: u32 = 5;

impl Exec {
    /// Makes a graph executable. The error is `InvalidValue` if its nodes form a cycle.
    pub fn new(graphs: &Graphs, graph: Address, flags: u64) -> HipResult<Exec> {
        let nodes = &graphs.graph(graph)?.nodes;
        let mut steps = Vec::with_capacity(nodes.len());
        let places: HashMap<Address, usize> = nodes.iter().copied().zip(0..).collect();
        for &node in nodes {
            let source = graphs.node(node)?;
            let what = match &source.what {
                NodeAction::Child(child) => StepAction::Graph(Exec::new(graphs, *child, flags)?),
                what => StepAction::Node(what.clone()),
            };
            let place = |before| places.get(before).copied();
            let after: Option<Vec<usize>> = source.after.iter().map(place).collect();
            let mut after = after.ok_or(HipError::Unknown)?;
            after.sort_unstable();
            steps.push(Step {
                node,
                what,
                after,
                enabled: true,
            });
        }
        let order = order(&steps).ok_or(HipError::InvalidValue)?;
        Ok(Exec {
            steps,
            order,
            flags,
            users: Vec::new(),
            launched: None,
        })
    }

    /// Returns the enabled steps in order of execution.
    pub fn in_order(&self) -> impl Iterator<Item = &Step> {
        let steps = self.order.iter().map(|&n| &self.steps[n]);
        steps.filter(|step| step.enabled)
    }

    /// Calls a function for each operation in order of execution, child graphs included.
    pub fn each(&self, f: &mut impl FnMut(&NodeAction)) {
        for step in self.in_order() {
            match &step.what {
                StepAction::Node(what) => f(what),
                StepAction::Graph(graph) => graph.each(f),
            }
        }
    }

    /// Returns the step of a node, searching child graphs too.
    pub fn step(&mut self, node: Address) -> HipResult<&mut Step> {
        self.find(node).ok_or(HipError::InvalidValue)
    }

    fn find(&mut self, node: Address) -> Option<&mut Step> {
        if let Some(n) = self.steps.iter().position(|step| step.node == node) {
            return Some(&mut self.steps[n]);
        }
        self.steps.iter_mut().find_map(|step| match &mut step.what {
            StepAction::Graph(graph) => graph.find(node),
            StepAction::Node(_) => None,
        })
    }

    /// Takes over the operations of another graph, if nothing else differs. The steps keep the nodes that they were made from.
    pub fn update(&mut self, new: &Exec) -> Result<(), Mismatch> {
        self.compare(new)?;
        self.take(new);
        Ok(())
    }

    fn compare(&self, new: &Exec) -> Result<(), Mismatch> {
        if self.steps.len() != new.steps.len() {
            return Err((TOPOLOGY, 0));
        }
        for (old, new) in self.steps.iter().zip(&new.steps) {
            match (&old.what, &new.what) {
                (StepAction::Graph(a), StepAction::Graph(b)) => a.compare(b)?,
                (StepAction::Node(a), StepAction::Node(b)) => {
                    same(a, b).map_err(|why| (why, new.node))?
                }
                _ => return Err((NODE_TYPE, new.node)),
            }
            if old.after != new.after {
                return Err((TOPOLOGY, new.node));
            }
        }
        Ok(())
    }

    fn take(&mut self, new: &Exec) {
        for (old, new) in self.steps.iter_mut().zip(&new.steps) {
            match (&mut old.what, &new.what) {
                (StepAction::Graph(old), StepAction::Graph(new)) => old.take(new),
                (old, new) => *old = new.clone(),
            }
        }
    }
}

/// Checks that an operation may replace another. The error is a value of `hipGraphExecUpdateResult`.
pub fn same(old: &NodeAction, new: &NodeAction) -> Result<(), u32> {
    match (old, new) {
        (NodeAction::Work(Work::Copy(old)), NodeAction::Work(Work::Copy(new)))
            if old.form == new.form =>
        {
            // A card distinguishes copies by their direction.
            if old.direction != new.direction {
                return Err(PARAMETERS);
            }
        }
        (NodeAction::Work(Work::Kernel(_)), NodeAction::Work(Work::Kernel(_)))
        | (NodeAction::Work(Work::Fill(_)), NodeAction::Work(Work::Fill(_)))
        | (NodeAction::Work(Work::Host(_)), NodeAction::Work(Work::Host(_)))
        | (NodeAction::Empty, NodeAction::Empty)
        | (NodeAction::Allocate(..), NodeAction::Allocate(..))
        | (NodeAction::Free(_), NodeAction::Free(_))
        | (NodeAction::Record(_), NodeAction::Record(_))
        | (NodeAction::Wait(_), NodeAction::Wait(_)) => {}
        _ => return Err(NODE_TYPE),
    }
    Ok(())
}

/// Returns an order in which each step follows its dependencies, or none if steps form a cycle. Among steps that are ready, the first that
/// was added comes first.
fn order(steps: &[Step]) -> Option<Vec<usize>> {
    let mut left: Vec<usize> = steps.iter().map(|step| step.after.len()).collect();
    let mut behind = vec![Vec::new(); steps.len()];
    for (n, step) in steps.iter().enumerate() {
        step.after.iter().for_each(|&before| behind[before].push(n));
    }
    let free = left.iter().enumerate().filter(|(_, left)| **left == 0);
    let mut free: BTreeSet<usize> = free.map(|(n, _)| n).collect();
    let mut order = Vec::with_capacity(steps.len());
    while let Some(next) = free.pop_first() {
        order.push(next);
        for &n in &behind[next] {
            left[n] -= 1;
            if left[n] == 0 {
                free.insert(n);
            }
        }
    }
    (order.len() == steps.len()).then_some(order)
}
