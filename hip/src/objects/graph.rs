//! Graphs: nodes of work and the order between them.

pub mod capture;
pub mod exec;
pub mod users;

use std::collections::{BTreeSet, HashMap};

use super::work::Work;
use crate::boundary::Address;
use crate::error::{HipError, Outcome};
use crate::handles::{Handles, Tag};
use capture::Captures;
use exec::{Doing, Exec};
use users::Users;

/// What a node does.
#[derive(Clone)]
pub enum What {
    /// Nothing: it only stands between others.
    Empty,
    /// Work.
    Work(Work),
    /// Records an event.
    Record(Address),
    /// Waits for an event.
    Wait(Address),
    /// A graph within the graph.
    Child(Address),
    /// Memory, which is there from when the node is: address and bytes.
    Allocate(Address, usize),
    /// Memory of such a node is of no use any more.
    Free(Address),
}

/// A node.
#[derive(Clone)]
pub struct Node {
    /// Its graph.
    pub graph: Address,
    /// What it does.
    pub what: What,
    /// The nodes that come before it.
    pub after: Vec<Address>,
    /// In a clone: the node that it is a clone of.
    pub origin: Option<Address>,
    /// Pointers to the arguments of a kernel, as a program that asked got them.
    pub shown: Box<[Address]>,
    /// What programs set as attributes of a kernel: they change nothing here.
    pub attributes: HashMap<u32, [u8; 32]>,
}

/// A graph.
#[derive(Clone, Default)]
pub struct Graph {
    /// Its nodes, in the order in which they were added.
    pub nodes: Vec<Address>,
    /// It is the graph of a child node, and goes with that.
    pub is_child: bool,
    /// The graph that it is a clone of.
    pub origin: Option<Address>,
    /// References to objects of the program's that it holds.
    pub users: HashMap<Address, u32>,
}

/// An edge: from the first to the second.
pub type Edge = (Address, Address);

/// Every graph of the process, and what belongs to them.
pub struct Graphs {
    graphs: Handles<Graph>,
    nodes: Handles<Node>,
    /// Graphs that can be launched.
    pub execs: Handles<Exec>,
    /// Objects of the program's.
    pub users: Users,
    /// What is being captured.
    pub captures: Captures,
    /// Memory that graphs hold.
    pub memory: BTreeSet<Address>,
}

impl Graphs {
    /// None yet.
    pub fn new() -> Graphs {
        Graphs {
            graphs: Handles::new(Tag::Graph),
            nodes: Handles::new(Tag::Node),
            execs: Handles::new(Tag::Exec),
            users: Users::new(),
            captures: Captures::default(),
            memory: BTreeSet::new(),
        }
    }

    /// A new graph.
    pub fn create(&mut self) -> Address {
        self.graphs.insert(Graph::default())
    }

    /// A graph.
    pub fn graph(&self, graph: Address) -> Outcome<&Graph> {
        self.graphs.get(graph).ok_or(HipError::InvalidValue)
    }

    /// A graph.
    pub fn graph_mut(&mut self, graph: Address) -> Outcome<&mut Graph> {
        self.graphs.get_mut(graph).ok_or(HipError::InvalidValue)
    }

    /// A node.
    pub fn node(&self, node: Address) -> Outcome<&Node> {
        self.nodes.get(node).ok_or(HipError::InvalidValue)
    }

    /// A node.
    pub fn node_mut(&mut self, node: Address) -> Outcome<&mut Node> {
        self.nodes.get_mut(node).ok_or(HipError::InvalidValue)
    }

    /// Checks that nodes are a graph's, and none is there twice.
    pub fn check_nodes(&self, graph: Address, nodes: &[Address]) -> Outcome {
        let mut seen = BTreeSet::new();
        for &node in nodes {
            if self.node(node)?.graph != graph || !seen.insert(node) {
                return Err(HipError::InvalidValue);
            }
        }
        Ok(())
    }

    /// Adds a node behind others.
    pub fn add(&mut self, graph: Address, after: Vec<Address>, what: What) -> Outcome<Address> {
        self.graph(graph)?;
        self.check_nodes(graph, &after)?;
        let node = self.nodes.insert(Node {
            graph,
            what,
            after,
            origin: None,
            shown: Box::default(),
            attributes: HashMap::new(),
        });
        self.graph_mut(graph)?.nodes.push(node);
        Ok(node)
    }

    /// Takes a node out, with its edges.
    pub fn remove(&mut self, node: Address) -> Outcome {
        let gone = self.nodes.remove(node).ok_or(HipError::InvalidValue)?;
        if let Some(graph) = self.graphs.get_mut(gone.graph) {
            graph.nodes.retain(|&other| other != node);
            for other in graph.nodes.clone() {
                self.node_mut(other)?.after.retain(|&before| before != node);
            }
        }
        self.gone(&gone);
        Ok(())
    }

    fn gone(&mut self, node: &Node) {
        if let What::Child(child) = node.what {
            // A child is destroyed with its node alone.
            let _ = self.destroy(child);
        }
    }

    /// Destroys a graph with its nodes; the references it held to objects of the program's.
    pub fn destroy(&mut self, graph: Address) -> Outcome<Vec<(Address, u32)>> {
        let gone = self.graphs.remove(graph).ok_or(HipError::InvalidValue)?;
        for node in gone.nodes {
            if let Some(node) = self.nodes.remove(node) {
                self.gone(&node);
            }
        }
        Ok(gone.users.into_iter().collect())
    }

    /// A graph that is the same, of nodes of its own.
    pub fn clone_graph(&mut self, graph: Address) -> Outcome<Address> {
        let original = self.graph(graph)?.clone();
        let clone = self.create();
        let mut names = HashMap::new();
        for &node in &original.nodes {
            let mut copy = self.node(node)?.clone();
            if let What::Child(child) = copy.what {
                let child = self.clone_graph(child)?;
                self.graph_mut(child)?.is_child = true;
                copy.what = What::Child(child);
            }
            copy.graph = clone;
            copy.origin = Some(node);
            copy.shown = Box::default();
            let name = self.nodes.insert(copy);
            names.insert(node, name);
            self.graph_mut(clone)?.nodes.push(name);
        }
        for name in names.values() {
            let after = &mut self.node_mut(*name)?.after;
            for before in after {
                *before = *names.get(before).ok_or(HipError::Unknown)?;
            }
        }
        self.graph_mut(clone)?.origin = Some(graph);
        Ok(clone)
    }

    /// The edges, each from a node to one behind it.
    pub fn edges(&self, graph: Address) -> Outcome<Vec<Edge>> {
        let mut edges = Vec::new();
        for &node in &self.graph(graph)?.nodes {
            edges.extend(self.node(node)?.after.iter().map(|&before| (before, node)));
        }
        Ok(edges)
    }

    /// The nodes right behind a node.
    pub fn behind(&self, node: Address) -> Outcome<Vec<Address>> {
        let edges = self.edges(self.node(node)?.graph)?;
        let behind = edges.into_iter().filter(|edge| edge.0 == node);
        Ok(behind.map(|edge| edge.1).collect())
    }

    /// The nodes with none before them.
    pub fn roots(&self, graph: Address) -> Outcome<Vec<Address>> {
        let mut roots = self.graph(graph)?.nodes.clone();
        roots.retain(|&node| self.node(node).is_ok_and(|node| node.after.is_empty()));
        Ok(roots)
    }

    /// Adds edges between nodes of a graph: none that is there.
    pub fn connect(&mut self, graph: Address, edges: &[Edge]) -> Outcome {
        self.graph(graph)?;
        for &(from, to) in edges {
            let known = self.node(from)?.graph == graph && self.node(to)?.graph == graph;
            if !known || from == to || self.node(to)?.after.contains(&from) {
                return Err(HipError::InvalidValue);
            }
        }
        for &(from, to) in edges {
            self.node_mut(to)?.after.push(from);
        }
        Ok(())
    }

    /// Removes edges between nodes of a graph: all must be there.
    pub fn disconnect(&mut self, graph: Address, edges: &[Edge]) -> Outcome {
        self.graph(graph)?;
        for &(from, to) in edges {
            let known = self.node(from)?.graph == graph && self.node(to)?.graph == graph;
            if !known || !self.node(to)?.after.contains(&from) {
                return Err(HipError::InvalidValue);
            }
        }
        for &(from, to) in edges {
            self.node_mut(to)?.after.retain(|&before| before != from);
        }
        Ok(())
    }

    /// The node that a clone of a graph has for one of the original.
    pub fn find_in_clone(&self, original: Address, clone: Address) -> Outcome<Address> {
        let nodes = self.graph(clone)?.nodes.iter().copied();
        let mut nodes = nodes.filter(|&node| {
            self.node(node)
                .is_ok_and(|node| node.origin == Some(original))
        });
        nodes.next().ok_or(HipError::InvalidValue)
    }

    /// Adds what a graph that can be launched does as a new graph; its handle.
    pub fn add_exec(&mut self, exec: &Exec) -> Outcome<Address> {
        let graph = self.create();
        let mut nodes = Vec::new();
        for step in exec.in_order() {
            let what = match &step.what {
                Doing::Node(what) => what.clone(),
                Doing::Graph(inner) => {
                    let child = self.add_exec(inner)?;
                    self.graph_mut(child)?.is_child = true;
                    What::Child(child)
                }
            };
            // One after the other, as it is launched.
            let after = nodes.last().copied().into_iter().collect();
            nodes.push(self.add(graph, after, what)?);
        }
        Ok(graph)
    }

    /// Forgets everything: `hipDeviceReset`.
    pub fn clear(&mut self) {
        self.graphs.clear().for_each(drop);
        self.nodes.clear().for_each(drop);
        self.execs.clear().for_each(drop);
        self.captures = Captures::default();
    }
}

#[cfg(test)]
mod tests;
