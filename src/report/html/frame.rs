//! The beginning and the end of every page: `base.html`.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest as _, Sha256};

use super::super::plain;

/// The frame of a page. Its body may have a form `filter` with a search field and boxes, and an element `shown` for the number of items.
/// The form filters the elements of class `item` by their `data-verdict`, which is the value of a box, and by their `data-words`, which
/// are in lower case.
pub struct Frame {
    /// The page's title.
    pub title: &'static str,
    /// Version of deltanet-check.
    pub version: &'static str,
    /// The result: a class and a word.
    pub badge: (&'static str, String),
    /// The progress of the run, or a description of the page.
    pub state: String,
    /// Facts about the page's subject: labels, and their texts.
    pub facts: Vec<(&'static str, String)>,
    /// The page's style sheet.
    pub style: &'static str,
    /// The page's script.
    pub script: &'static str,
}

impl Frame {
    /// Makes a frame from the page's title, the result's class and word, the progress, and the facts.
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

    /// Returns the hash by which the page's security policy knows its script, and runs no other.
    pub fn script_hash(&self) -> String {
        BASE64_STANDARD.encode(Sha256::digest(self.script))
    }
}
