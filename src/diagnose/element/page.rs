//! The explanation of an element as a page with a picture of its graph.

use std::io;

use super::ElementReport;

/// Renders the page.
///
/// # Errors
/// The page's template cannot be rendered.
pub fn page(_report: &ElementReport) -> io::Result<String> {
    Ok(String::new())
}
