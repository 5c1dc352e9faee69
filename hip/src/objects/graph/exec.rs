//! Graphs as they are launched: a copy of all that their nodes say.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{Graphs, What};
use crate::boundary::Address;
use crate::error::{HipError, Outcome};
use crate::objects::work::Work;
use crate::queue::Ticket;

/// A graph that can be launched.
#[derive(Clone)]
pub struct Exec {
    /// In the order in which the nodes were added to the graph.
    pub steps: Vec<Step>,
    /// An order in which they may be done.
    order: Vec<usize>,
    /// What it was made with.
    pub flags: u64,
    /// References to objects of the program's that it holds.
    pub users: Vec<(Address, u32)>,
    /// The end of its last launch: the next one comes behind it, whatever its stream.
    pub launched: Option<Arc<Ticket>>,
}

/// A node of it.
#[derive(Clone)]
pub struct Step {
    /// The node of the graph that it was made from.
    pub node: Address,
    /// What it does.
    pub what: Doing,
    /// The steps before it.
    after: Vec<usize>,
    /// Whether it is done at all.
    pub enabled: bool,
}

/// What a step does.
#[derive(Clone)]
pub enum Doing {
    /// What its node says.
    Node(What),
    /// A graph of its own.
    Graph(Exec),
}

/// Why a graph cannot take the place of another: the values of `hipGraphExecUpdateResult`, and the node.
pub type Mismatch = (u32, Address);

const TOPOLOGY: u32 = 2;
const NODE_TYPE: u32 = 3;
const PARAMETERS: u32 = 5;

impl Exec {
    /// Of a graph; the error is `InvalidValue` where its nodes run in a circle.
    pub fn new(graphs: &Graphs, graph: Address, flags: u64) -> Outcome<Exec> {
        let nodes = &graphs.graph(graph)?.nodes;
        let mut steps = Vec::with_capacity(nodes.len());
        let places: HashMap<Address, usize> = nodes.iter().copied().zip(0..).collect();
        for &node in nodes {
            let found = graphs.node(node)?;
            let what = match &found.what {
                What::Child(child) => Doing::Graph(Exec::new(graphs, *child, flags)?),
                what => Doing::Node(what.clone()),
            };
            let place = |before| places.get(before).copied();
            let after: Option<Vec<usize>> = found.after.iter().map(place).collect();
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

    /// The steps that are done, in an order in which they may be.
    pub fn in_order(&self) -> impl Iterator<Item = &Step> {
        let steps = self.order.iter().map(|&n| &self.steps[n]);
        steps.filter(|step| step.enabled)
    }

    /// What is done, in an order in which it may be, what graphs within do too.
    pub fn each(&self, f: &mut impl FnMut(&What)) {
        for step in self.in_order() {
            match &step.what {
                Doing::Node(what) => f(what),
                Doing::Graph(graph) => graph.each(f),
            }
        }
    }

    /// The step of a node of the graph, or of a graph within.
    pub fn step(&mut self, node: Address) -> Outcome<&mut Step> {
        self.find(node).ok_or(HipError::InvalidValue)
    }

    fn find(&mut self, node: Address) -> Option<&mut Step> {
        if let Some(n) = self.steps.iter().position(|step| step.node == node) {
            return Some(&mut self.steps[n]);
        }
        self.steps.iter_mut().find_map(|step| match &mut step.what {
            Doing::Graph(graph) => graph.find(node),
            Doing::Node(_) => None,
        })
    }

    /// Takes over what another graph's nodes say, if nothing else differs. The steps keep the nodes they were made from.
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
                (Doing::Graph(a), Doing::Graph(b)) => a.compare(b)?,
                (Doing::Node(a), Doing::Node(b)) => same(a, b).map_err(|why| (why, new.node))?,
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
                (Doing::Graph(old), Doing::Graph(new)) => old.take(new),
                (old, new) => *old = new.clone(),
            }
        }
    }
}

/// Whether a node may take another's place, or why not.
pub fn same(old: &What, new: &What) -> Result<(), u32> {
    match (old, new) {
        (What::Work(Work::Copy(old)), What::Work(Work::Copy(new))) if old.form == new.form => {
            // A copy that goes another way is another kind of copy for a card.
            if old.direction != new.direction {
                return Err(PARAMETERS);
            }
        }
        (What::Work(Work::Kernel(_)), What::Work(Work::Kernel(_)))
        | (What::Work(Work::Fill(_)), What::Work(Work::Fill(_)))
        | (What::Work(Work::Host(_)), What::Work(Work::Host(_)))
        | (What::Empty, What::Empty)
        | (What::Allocate(..), What::Allocate(..))
        | (What::Free(_), What::Free(_))
        | (What::Record(_), What::Record(_))
        | (What::Wait(_), What::Wait(_)) => {}
        _ => return Err(NODE_TYPE),
    }
    Ok(())
}

/// An order in which each step comes behind those before it; none where steps wait for each other in a circle. Of steps that may come
/// next it is the one that was added first.
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
