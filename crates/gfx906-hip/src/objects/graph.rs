//! Graphs: nodes of work and the order between them.

pub mod capture;
pub mod exec;
pub mod memory;
pub mod users;

use std::collections::{BTreeSet, HashMap};

use super::work::Work;
use crate::boundary::Address;
use crate::error::{HipError, HipResult};
use crate::handles::{Handles, Tag};
use capture::Captures;
use exec::{Exec, StepAction};
use memory::GraphMemory;
use users::{UserDestructor, Users};

/// Operation of a node.
#[derive(Clone)]
pub enum NodeAction {
    /// No operation; the node only orders others.
    Empty,
    /// Work.
    Work(Work),
    /// Record of an event.
    Record(Address),
    /// Wait for an event.
    Wait(Address),
    /// Child graph.
    Child(Address),
    /// Allocation of memory, which exists from the creation of the node: address and bytes.
    Allocate(Address, usize),
    /// End of use of an allocating node's memory.
    Free(Address),
}

/// Node of a graph.
#[derive(Clone)]
pub struct Node {
    /// Graph of the node.
    pub graph: Address,
    /// Operation of the node.
    pub what: NodeAction,
    /// Nodes that the node depends on.
    pub after: Vec<Address>,
    /// Node that this node was cloned from.
    pub origin: Option<Address>,
    /// Pointers to a kernel's arguments, as the program's queries return them.
    pub shown: Box<[Address]>,
    /// Kernel attributes that the program has set. They have no effect.
    pub attributes: HashMap<u32, [u8; 32]>,
}

/// Graph of nodes.
#[derive(Clone, Default)]
pub struct Graph {
    /// Nodes in the order of their addition.
    pub nodes: Vec<Address>,
    /// True for the graph of a child node, which is destroyed with the node.
    pub is_child: bool,
    /// Graph that this graph was cloned from.
    pub origin: Option<Address>,
    /// References to user objects that the graph holds.
    pub users: HashMap<Address, u32>,
}

/// Edge from the first node to the second.
pub type Edge = (Address, Address);

/// Table of all graphs of the process.
pub struct Graphs {
    graphs: Handles<Graph>,
    nodes: Handles<Node>,
    /// Executable graphs.
    pub execs: Handles<Exec>,
    /// User objects.
    pub users: Users,
    /// Captures under way.
    pub captures: Captures,
    /// Memory that graphs own.
    pub memory: GraphMemory,
}

impl Graphs {
    /// Returns a table without graphs.
    pub fn new() -> Graphs {
        Graphs {
            graphs: Handles::new(Tag::Graph),
            nodes: Handles::new(Tag::Node),
            execs: Handles::new(Tag::Exec),
            users: Users::new(),
            captures: Captures::default(),
            memory: GraphMemory::default(),
        }
    }

    /// Creates a graph.
    pub fn create(&mut self) -> Address {
        self.graphs.insert(Graph::default())
    }

    /// Returns a graph.
    pub fn graph(&self, graph: Address) -> HipResult<&Graph> {
        self.graphs.get(graph).ok_or(HipError::InvalidValue)
    }

    /// Returns a graph.
    pub fn graph_mut(&mut self, graph: Address) -> HipResult<&mut Graph> {
        self.graphs.get_mut(graph).ok_or(HipError::InvalidValue)
    }

    /// Returns a node.
    pub fn node(&self, node: Address) -> HipResult<&Node> {
        self.nodes.get(node).ok_or(HipError::InvalidValue)
    }

    /// Returns a node.
    pub fn node_mut(&mut self, node: Address) -> HipResult<&mut Node> {
        self.nodes.get_mut(node).ok_or(HipError::InvalidValue)
    }

    /// Checks that nodes belong to a graph and differ from each other.
    pub fn check_nodes(&self, graph: Address, nodes: &[Address]) -> HipResult {
        let mut seen = BTreeSet::new();
        for &node in nodes {
            if self.node(node)?.graph != graph || !seen.insert(node) {
                return Err(HipError::InvalidValue);
            }
        }
        Ok(())
    }

    /// Adds a node that depends on others.
    pub fn add(
        &mut self,
        graph: Address,
        after: Vec<Address>,
        what: NodeAction,
    ) -> HipResult<Address> {
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

    /// Removes a node with its edges.
    pub fn remove(&mut self, node: Address) -> HipResult {
        let removed = self.nodes.remove(node).ok_or(HipError::InvalidValue)?;
        if let Some(graph) = self.graphs.get_mut(removed.graph) {
            graph.nodes.retain(|&dependent| dependent != node);
            for dependent in graph.nodes.clone() {
                self.node_mut(dependent)?
                    .after
                    .retain(|&before| before != node);
            }
        }
        self.gone(&removed);
        Ok(())
    }

    fn gone(&mut self, node: &Node) {
        if let NodeAction::Child(child) = node.what {
            // A child graph is destroyed only with its node.
            let _ = self.destroy(child);
        }
    }

    /// Destroys a graph with its nodes. Returns the references to user objects that it held.
    pub fn destroy(&mut self, graph: Address) -> HipResult<Vec<(Address, u32)>> {
        let removed = self.graphs.remove(graph).ok_or(HipError::InvalidValue)?;
        for node in removed.nodes {
            if let Some(node) = self.nodes.remove(node) {
                self.gone(&node);
            }
        }
        Ok(removed.users.into_iter().collect())
    }

    /// Clones a graph with its nodes.
    pub fn clone_graph(&mut self, graph: Address) -> HipResult<Address> {
        let original = self.graph(graph)?.clone();
        let clone = self.create();
        let mut names = HashMap::new();
        for &node in &original.nodes {
            let mut copy = self.node(node)?.clone();
            if let NodeAction::Child(child) = copy.what {
                let child = self.clone_graph(child)?;
                self.graph_mut(child)?.is_child = true;
                copy.what = NodeAction::Child(child);
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

    /// Returns the edges of a graph.
    pub fn edges(&self, graph: Address) -> HipResult<Vec<Edge>> {
        let mut edges = Vec::new();
        for &node in &self.graph(graph)?.nodes {
            edges.extend(self.node(node)?.after.iter().map(|&before| (before, node)));
        }
        Ok(edges)
    }

    /// Returns the nodes that depend on a node directly.
    pub fn dependents(&self, node: Address) -> HipResult<Vec<Address>> {
        let edges = self.edges(self.node(node)?.graph)?;
        let behind = edges.into_iter().filter(|edge| edge.0 == node);
        Ok(behind.map(|edge| edge.1).collect())
    }

    /// Returns the nodes without dependencies.
    pub fn roots(&self, graph: Address) -> HipResult<Vec<Address>> {
        let mut roots = self.graph(graph)?.nodes.clone();
        roots.retain(|&node| self.node(node).is_ok_and(|node| node.after.is_empty()));
        Ok(roots)
    }

    /// Adds new edges between nodes of a graph.
    pub fn connect(&mut self, graph: Address, edges: &[Edge]) -> HipResult {
        self.graph(graph)?;
        for &(from, to) in edges {
            let is_of_graph = self.node(from)?.graph == graph && self.node(to)?.graph == graph;
            if !is_of_graph || from == to || self.node(to)?.after.contains(&from) {
                return Err(HipError::InvalidValue);
            }
        }
        for &(from, to) in edges {
            self.node_mut(to)?.after.push(from);
        }
        Ok(())
    }

    /// Removes existing edges between nodes of a graph.
    pub fn disconnect(&mut self, graph: Address, edges: &[Edge]) -> HipResult {
        self.graph(graph)?;
        for &(from, to) in edges {
            let is_of_graph = self.node(from)?.graph == graph && self.node(to)?.graph == graph;
            if !is_of_graph || !self.node(to)?.after.contains(&from) {
                return Err(HipError::InvalidValue);
            }
        }
        for &(from, to) in edges {
            self.node_mut(to)?.after.retain(|&before| before != from);
        }
        Ok(())
    }

    /// Returns the node of a clone that corresponds to a node of the original.
    pub fn find_in_clone(&self, original: Address, clone: Address) -> HipResult<Address> {
        let nodes = self.graph(clone)?.nodes.iter().copied();
        let mut nodes = nodes.filter(|&node| {
            self.node(node)
                .is_ok_and(|node| node.origin == Some(original))
        });
        nodes.next().ok_or(HipError::InvalidValue)
    }

    /// Creates a graph from the steps of an executable graph, and returns its handle.
    pub fn add_exec(&mut self, exec: &Exec) -> HipResult<Address> {
        let graph = self.create();
        let mut nodes = Vec::new();
        for step in exec.in_order() {
            let what = match &step.what {
                StepAction::Node(what) => what.clone(),
                StepAction::Graph(inner) => {
                    let child = self.add_exec(inner)?;
                    self.graph_mut(child)?.is_child = true;
                    NodeAction::Child(child)
                }
            };
            // The nodes form a chain, since a launch does them one after the other.
            let after = nodes.last().copied().into_iter().collect();
            nodes.push(self.add(graph, after, what)?);
        }
        Ok(graph)
    }

    /// Forgets all graphs: `hipDeviceReset`. Returns the destructors of the user objects that only graphs held.
    pub fn clear(&mut self) -> Vec<UserDestructor> {
        let of_graphs = self.graphs.clear().flat_map(|graph| graph.users);
        let of_execs = self.execs.clear().flat_map(|exec| exec.users);
        let held = of_graphs.chain(of_execs).collect();
        self.nodes.clear().for_each(drop);
        self.captures = Captures::default();
        self.users.release_all(held)
    }
}

#[cfg(test)]
mod tests;
