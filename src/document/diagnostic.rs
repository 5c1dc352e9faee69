//! Complaints about a file, and their layout with file, line and caret.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::files::FileError;
use crate::text::of_same_places;

/// A mistake in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The bytes of the file that the complaint points at.
    pub span: Range<usize>,
    /// The first line: the mistake.
    pub title: String,
    /// The text at the caret.
    pub label: String,
    /// The remedy.
    pub help: String,
}

/// Makes the error of a file with complaints.
pub fn diagnostic(name: &str, text: &str, complaints: &[Complaint]) -> FileError {
    FileError::Diagnostic(render(name, text, complaints))
}

/// True if complaints have colours.
static COLORED: AtomicBool = AtomicBool::new(false);

/// Sets whether complaints have colours. The command line decides this once, for all output.
pub fn color_complaints(colored: bool) {
    COLORED.store(colored, Ordering::Relaxed);
}

/// The number of complaints that are shown; the rest are counted.
const SHOWN: usize = 12;

/// Lays out complaints about a file: for each the title, the line with a caret, and the help.
pub fn render(name: &str, text: &str, complaints: &[Complaint]) -> String {
    let renderer = match COLORED.load(Ordering::Relaxed) {
        true => Renderer::styled(),
        false => Renderer::plain(),
    };
    let text = &of_same_places(text);
    let mut ordered: Vec<&Complaint> = complaints.iter().collect();
    ordered.sort_by_key(|complaint| complaint.span.start);
    let mut parts: Vec<String> = ordered
        .iter()
        .take(SHOWN)
        .map(|complaint| {
            let caret = AnnotationKind::Primary
                .span(clamp(text, &complaint.span))
                .label(&complaint.label);
            let snippet = Snippet::source(text).path(name).annotation(caret);
            let report = Level::ERROR
                .primary_title(&complaint.title)
                .element(snippet)
                .element(Level::HELP.message(&complaint.help));
            renderer.render(&[report])
        })
        .collect();
    if ordered.len() > SHOWN {
        parts.push(format!(
            "and {} more errors in {name}",
            ordered.len() - SHOWN
        ));
    }
    parts.join("\n\n")
}

/// Cuts a span to one line of the text and to character boundaries. The result is empty only at the end
/// of the text.
fn clamp(text: &str, span: &Range<usize>) -> Range<usize> {
    let mut start = span.start.min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let line = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let mut end = span.end.clamp(start, line.max(start));
    while !text.is_char_boundary(end) {
        end += 1;
    }
    if end == start {
        end = text[start..]
            .chars()
            .next()
            .map_or(start, |first| start + first.len_utf8());
    }
    start..end
}
