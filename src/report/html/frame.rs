//! What every page begins and ends with: `base.html`.

use super::super::plain;

/// The frame of a page. Its body may have a form `filter` with a search and boxes, a place `shown` for how many there are, and what these choose
/// among: elements of the class `item`, with a `data-verdict` that is the value of a box and `data-words` in lower case.
pub struct Frame {
    /// What it is called.
    pub title: &'static str,
    /// Version of deltanet-check.
    pub version: &'static str,
    /// A class and a word: the result.
    pub badge: (&'static str, String),
    /// How far it has come, or what it is.
    pub state: String,
    /// What it is of: names, and what they stand for.
    pub facts: Vec<(&'static str, String)>,
    /// The style.
    pub style: &'static str,
    /// The script.
    pub script: &'static str,
}

impl Frame {
    /// The frame of a page: its title, a word with its class, how far it has come, and what it is of.
    pub fn new(
        title: &'static str,
        (class, word): (&'static str, impl Into<String>),
        state: String,
        facts: Vec<(&'static str, String)>,
    ) -> Frame {
        Frame {
            title,
            version: env!("CARGO_PKG_VERSION"),
            badge: (class, word.into()),
            state: plain::line(&state),
            facts: facts
                .into_iter()
                .map(|(label, text)| (label, plain::line(&text)))
                .collect(),
            style: include_str!("style.css"),
            script: include_str!("script.js"),
        }
    }
}
