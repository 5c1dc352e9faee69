//! The explanation of an element as a page with a picture of its graph. It needs no other file and no network.

use std::io;

use askama::Template;

use super::picture::picture;
use super::{ElementReport, NodeReport};
use crate::report::Frame;
use crate::text::{demangled, escaped, shortest};

#[derive(Template)]
#[template(path = "element.html")]
struct Page {
    frame: Frame,
    departures: Vec<String>,
    not_compared: String,
    picture: String,
    sources: Vec<SourceView>,
    others: Vec<String>,
    nodes: Vec<NodeView>,
}

struct SourceView {
    tensor: String,
    elements: Vec<String>,
    count: usize,
    axes: String,
    values: String,
}

struct NodeView {
    place: String,
    text: String,
    runs: u64,
    values: u64,
    value: String,
    lane: String,
}

/// Renders the page. `facts` describe the run: names and values.
///
/// # Errors
/// The page's template cannot be rendered.
pub fn page(report: &ElementReport, facts: Vec<(&'static str, String)>) -> io::Result<String> {
    let (class, verdict) = match report.wrong {
        true => ("fail", "wrong"),
        false => ("pass", "right"),
    };
    let state = format!(
        "{} of {}: got {}, reference {}, allowed error {:.1e}",
        report.element,
        report.test,
        shortest(report.got),
        shortest(report.expected),
        report.allowed
    );
    let sources = report.sources.iter().map(|source| SourceView {
        tensor: escaped(&source.tensor),
        elements: source.elements.clone(),
        count: source.count,
        axes: source.axes.join(", "),
        values: source
            .values
            .iter()
            .map(|value| shortest(value.value.0))
            .collect::<Vec<_>>()
            .join(", "),
    });
    let page = Page {
        frame: Frame::new("deltanet-check explain", (class, verdict), state, facts),
        departures: report.departures.iter().map(|one| escaped(one)).collect(),
        not_compared: report.not_compared.join(", "),
        picture: picture(report),
        sources: sources.collect(),
        others: report
            .others
            .iter()
            .map(|other| escaped(&other.text))
            .collect(),
        nodes: report.nodes.iter().map(node).collect(),
    };
    let mut text = page.render().map_err(io::Error::other)?;
    text.push('\n');
    Ok(text)
}

fn node(node: &NodeReport) -> NodeView {
    let place = node.source.clone();
    let place = place.unwrap_or_else(|| format!("{:#x}", node.pc));
    let [x, y, z] = node.group;
    NodeView {
        place: escaped(&place),
        text: escaped(&node.text),
        runs: node.runs,
        values: node.values,
        value: node.value.clone().unwrap_or_default(),
        lane: format!(
            "{}: group ({x},{y},{z}), wave {}, lane {}",
            escaped(&demangled(&node.kernel)),
            node.wave,
            node.lane
        ),
    }
}
