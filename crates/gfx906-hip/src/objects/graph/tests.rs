//! Tests of nodes, edges, clones and updates, without a device.

use super::exec::{Exec, StepAction};
use super::*;
use crate::objects::work::{Fill, Rows, Size};

fn fill(value: u32) -> NodeAction {
    let fill = Fill {
        to: Rows::single_row(4096),
        size: Size::single_row(4),
        value,
        element: 4,
    };
    NodeAction::Work(Work::Fill(fill))
}

/// Returns a graph whose second and third node depend on the first, and the fourth on both.
fn diamond(graphs: &mut Graphs) -> (Address, [Address; 4]) {
    let graph = graphs.create();
    let mut add = |after: &[Address], value| {
        let added = graphs.add(graph, after.to_vec(), fill(value));
        added.expect("nodes of the graph")
    };
    let a = add(&[], 0);
    let (b, c) = (add(&[a], 1), add(&[a], 2));
    let d = add(&[b, c], 3);
    (graph, [a, b, c, d])
}

fn values(exec: &Exec) -> Vec<u32> {
    let mut values = Vec::new();
    exec.each(&mut |what| match what {
        NodeAction::Work(Work::Fill(fill)) => values.push(fill.value),
        _ => panic!("a fill"),
    });
    values
}

#[test]
fn nodes_and_edges_are_told() {
    let mut graphs = Graphs::new();
    let (graph, [a, b, c, d]) = diamond(&mut graphs);
    assert_eq!(graphs.roots(graph), Ok(vec![a]));
    assert_eq!(graphs.dependents(a), Ok(vec![b, c]));
    assert_eq!(
        graphs.edges(graph),
        Ok(vec![(a, b), (a, c), (b, d), (c, d)])
    );
    assert_eq!(
        graphs.connect(graph, &[(a, b)]),
        Err(HipError::InvalidValue)
    );
    assert_eq!(
        graphs.disconnect(graph, &[(a, d)]),
        Err(HipError::InvalidValue)
    );
    assert_eq!(graphs.disconnect(graph, &[(b, d)]), Ok(()));
    assert_eq!(graphs.remove(c), Ok(()));
    assert_eq!(graphs.edges(graph), Ok(vec![(a, b)]));
    assert_eq!(graphs.roots(graph), Ok(vec![a, d]));
    let twice = graphs.add(graph, vec![a, a], NodeAction::Empty);
    assert_eq!(twice, Err(HipError::InvalidValue));
    let (_, others) = diamond(&mut graphs);
    let foreign = graphs.add(graph, vec![others[0]], NodeAction::Empty);
    assert_eq!(foreign, Err(HipError::InvalidValue));
    assert_eq!(graphs.destroy(graph), Ok(vec![]));
    assert!(graphs.node(a).is_err() && graphs.node(others[0]).is_ok());
}

#[test]
fn steps_are_done_behind_what_they_wait_for() {
    let mut graphs = Graphs::new();
    let (graph, [a, b, c, d]) = diamond(&mut graphs);
    // A node that is added last and comes first.
    let first = graphs.add(graph, vec![], fill(9)).expect("a node");
    assert_eq!(graphs.connect(graph, &[(first, a)]), Ok(()));
    let mut exec = Exec::new(&graphs, graph, 0).expect("no circle");
    assert_eq!(values(&exec), [9, 0, 1, 2, 3]);
    exec.step(c).expect("a step").enabled = false;
    assert_eq!(values(&exec), [9, 0, 1, 3]);
    // A cycle has no order of execution.
    assert_eq!(graphs.connect(graph, &[(d, first)]), Ok(()));
    assert!(Exec::new(&graphs, graph, 0).is_err());
    let _ = b;
}

#[test]
fn clones_have_nodes_of_their_own_and_children_go_with_their_nodes() {
    let mut graphs = Graphs::new();
    let (inner, nodes) = diamond(&mut graphs);
    let child = graphs.clone_graph(inner).expect("a graph");
    let outer = graphs.create();
    let node = graphs.add(outer, vec![], NodeAction::Child(child));
    let node = node.expect("a node");
    let origins = graphs.graph(child).expect("there").nodes.clone();
    let origins = origins.iter().map(|&n| graphs.node(n).expect("there"));
    assert!(origins.map(|n| n.origin).eq(nodes.map(Some)));
    graphs.destroy(inner).expect("a graph");
    let exec = Exec::new(&graphs, outer, 0).expect("no circle");
    assert_eq!(values(&exec), [0, 1, 2, 3]);
    assert_eq!(graphs.remove(node), Ok(()));
    assert!(graphs.graph(child).is_err());
    assert_eq!(values(&exec), [0, 1, 2, 3]);
}

#[test]
fn an_update_takes_what_nodes_say_and_nothing_else() {
    let mut graphs = Graphs::new();
    let (graph, _) = diamond(&mut graphs);
    let mut exec = Exec::new(&graphs, graph, 0).expect("no circle");
    let (updated, [_, b, c, d]) = diamond(&mut graphs);
    graphs.node_mut(b).expect("there").what = fill(77);
    let new = Exec::new(&graphs, updated, 0).expect("no circle");
    assert_eq!(exec.update(&new), Ok(()));
    assert_eq!(values(&exec), [0, 77, 2, 3]);
    // Another operation, another edge, another node.
    graphs.node_mut(c).expect("there").what = NodeAction::Empty;
    let new = Exec::new(&graphs, updated, 0).expect("no circle");
    assert_eq!(exec.update(&new), Err((3, c)));
    graphs.node_mut(c).expect("there").what = fill(5);
    graphs.disconnect(updated, &[(b, d)]).expect("an edge");
    let new = Exec::new(&graphs, updated, 0).expect("no circle");
    assert_eq!(exec.update(&new), Err((2, d)));
    graphs.remove(d).expect("a node");
    let new = Exec::new(&graphs, updated, 0).expect("no circle");
    assert_eq!(exec.update(&new), Err((2, 0)));
    assert_eq!(values(&exec), [0, 77, 2, 3]);
    let step = exec.steps.first().expect("a step");
    assert!(matches!(step.what, StepAction::Node(_)));
}

#[test]
fn the_last_reference_gives_an_object_up() {
    unsafe extern "C" fn destroy(_object: Address) {}
    let mut users = Users::new();
    let user = users.create(17, destroy, 2);
    assert_eq!(users.retain(user, 1), Ok(()));
    assert!(matches!(users.release(user, 2), Ok(None)));
    // A release of more references than there are does nothing.
    assert!(matches!(users.release(user, 2), Ok(None)));
    let destructors = users.release_all(vec![(user, 1), (99, 1)]);
    assert!(matches!(destructors[..], [(_, 17)]));
    assert!(users.retain(user, 1).is_err());
}

extern "C" fn destructor(_: Address) {}

#[test]
fn a_reset_releases_the_user_objects_of_graphs() {
    let mut graphs = Graphs::new();
    let graph = graphs.create();
    let of_graph = graphs.users.create(0x10, destructor, 1);
    let of_both = graphs.users.create(0x20, destructor, 2);
    for user in [of_graph, of_both] {
        let held = &mut graphs.graph_mut(graph).expect("there").users;
        held.insert(user, 1);
    }
    let objects: Vec<Address> = graphs.clear().into_iter().map(|d| d.1).collect();
    assert_eq!(objects, [0x10], "the program holds the other one");
    assert!(graphs.graph(graph).is_err());
    let last = graphs.users.release(of_both, 1).expect("there");
    assert_eq!(last.map(|d| d.1), Some(0x20));
}
