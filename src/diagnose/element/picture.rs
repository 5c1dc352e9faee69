//! The graph of an explanation as a picture.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rust_sugiyama::configure::{Config, RankingType};

use super::ElementReport;
use super::lines::lines;
use crate::text::{escaped, shortest};

/// Size of a box, and the room between boxes.
const WIDTH: f64 = 250.0;
const HEIGHT: f64 = 36.0;
const ROOM: f64 = 34.0;

/// Most letters of a line of a box.
const LETTERS: usize = 38;

/// A box of the picture.
struct Node {
    class: &'static str,
    title: String,
    first: String,
    second: String,
}

/// Draws the element above the source lines that it came through, and the inputs below them.
pub(super) fn picture(report: &ElementReport) -> String {
    let (nodes, edges) = graph(report);
    let sizes: Vec<(u32, (f64, f64))> = (0..nodes.len() as u32)
        .map(|number| (number, (WIDTH, HEIGHT)))
        .collect();
    let config = Config {
        vertex_spacing: ROOM,
        ranking_type: RankingType::Up,
        ..Config::default()
    };
    let parts = rust_sugiyama::from_vertices_and_edges(&sizes, &edges, &config);
    let mut places = vec![(0.0, 0.0); nodes.len()];
    let mut right: f64 = 0.0;
    for (part, ..) in parts {
        let least = |of: fn(&(f64, f64)) -> f64| {
            let all = part.iter().map(|(_, place)| of(place));
            all.fold(f64::INFINITY, f64::min)
        };
        let (left, top) = (least(|place| place.0), least(|place| place.1));
        let mut width: f64 = 0.0;
        for (number, (x, y)) in &part {
            places[*number] = (right + x - left, y - top);
            width = width.max(x - left);
        }
        right += width + WIDTH + ROOM;
    }
    drawn(&nodes, &edges, &places)
}

/// Returns the boxes and the flows between them, from the element down.
fn graph(report: &ElementReport) -> (Vec<Node>, Vec<(u32, u32)>) {
    let (lines, numbers) = lines(report);
    let verdict = if report.wrong { "wrong" } else { "right" };
    let mut nodes = vec![Node {
        class: if report.wrong { "fail" } else { "pass" },
        title: report.test.clone(),
        first: report.element.clone(),
        second: format!("{}, {verdict}", shortest(report.got)),
    }];
    for line in &lines {
        let value = line.value.as_ref();
        let value = value.map_or_else(String::new, |value| format!(" = {value}"));
        nodes.push(Node {
            class: "line",
            title: format!(
                "{}: {} values; last: {}{value}",
                line.place, line.values, line.text
            ),
            first: line.place.rsplit('/').next().unwrap_or_default().to_owned(),
            second: format!("{}{value}", line.text.split(' ').next().unwrap_or_default()),
        });
    }
    let at = |node: usize| numbers[node].map(|line| line as u32 + 1);
    let flows = report.edges.iter();
    let flows = flows.filter_map(|&[from, to]| Some((at(to)?, at(from)?)));
    let mut edges: BTreeSet<(u32, u32)> = flows.filter(|(to, from)| to != from).collect();
    // What nothing uses but the element itself.
    let used: BTreeSet<usize> = report.edges.iter().map(|[from, _]| *from).collect();
    let stores = (0..report.nodes.len()).filter(|node| !used.contains(node));
    edges.extend(stores.filter_map(|node| Some((0, at(node)?))));
    for source in &report.sources {
        let number = nodes.len() as u32;
        let place = source.elements.first().map_or("", String::as_str);
        nodes.push(Node {
            class: "source",
            title: format!("{} elements of {}", source.count, source.tensor),
            first: source.tensor.clone(),
            second: format!(
                "[{place}]{}",
                if source.elements.len() > 1 {
                    ", ..."
                } else {
                    ""
                }
            ),
        });
        let users: BTreeSet<u32> = source.to.iter().filter_map(|&node| at(node)).collect();
        match users.is_empty() {
            true => edges.extend([(0, number)]),
            false => edges.extend(users.into_iter().map(|user| (user, number))),
        }
    }
    for other in &report.others {
        let number = nodes.len() as u32;
        let users: BTreeSet<u32> = other.to.iter().filter_map(|&node| at(node)).collect();
        nodes.push(Node {
            class: "source",
            title: other.text.clone(),
            first: other.text.clone(),
            second: String::new(),
        });
        edges.extend(users.into_iter().map(|user| (user, number)));
    }
    (nodes, edges.into_iter().collect())
}

fn drawn(nodes: &[Node], edges: &[(u32, u32)], places: &[(f64, f64)]) -> String {
    let most = |of: fn(&(f64, f64)) -> f64| places.iter().map(of).fold(0.0, f64::max);
    let (width, height) = (
        most(|place| place.0) + WIDTH + 2.0,
        most(|place| place.1) + HEIGHT + 2.0,
    );
    let mut text = format!(
        "<svg class=\"graph\" role=\"img\" aria-label=\"what the element came from\" viewBox=\"-1 -1 {width:.0} {height:.0}\" style=\"min-width:{:.0}px\">",
        width * 0.6
    );
    for &(to, from) in edges {
        let ((x1, y1), (x2, y2)) = (places[to as usize], places[from as usize]);
        let (x1, x2) = (x1 + WIDTH / 2.0, x2 + WIDTH / 2.0);
        let (class, y1, y2) = match y2 > y1 {
            true => ("flow", y1 + HEIGHT, y2),
            false => ("flow back", y1, y2 + HEIGHT),
        };
        let middle = f64::midpoint(y1, y2);
        let _ = write!(
            text,
            "<path class=\"{class}\" d=\"M{x1:.0} {y1:.0}C{x1:.0} {middle:.0} {x2:.0} {middle:.0} {x2:.0} {y2:.0}\"/>"
        );
    }
    for (node, (x, y)) in nodes.iter().zip(places) {
        let _ = write!(
            text,
            "<g class=\"{}\"><title>{}</title><rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"4\"/>\
             <text x=\"{tx:.0}\" y=\"{:.0}\">{}</text><text class=\"small\" x=\"{tx:.0}\" y=\"{:.0}\">{}</text></g>",
            node.class,
            markup(&node.title),
            y + 14.0,
            markup(&short(&node.first)),
            y + 29.0,
            markup(&short(&node.second)),
            tx = x + 8.0
        );
    }
    text + "</svg>"
}

fn short(text: &str) -> String {
    match text.chars().count() > LETTERS {
        true => text
            .chars()
            .take(LETTERS - 3)
            .chain("...".chars())
            .collect(),
        false => text.to_owned(),
    }
}

fn markup(text: &str) -> String {
    let text = escaped(text);
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
