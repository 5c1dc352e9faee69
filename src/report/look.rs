//! The look of text: colours, marks and the width of the lines.

use comfy_table::{ContentArrangement, Table as Grid};
use textwrap::core::display_width;
use textwrap::{Options, WordSplitter};

/// Lines with the label that stands before each.
pub(super) type Lines = Vec<(&'static str, String)>;

/// The label of a command. Long commands are broken as a shell allows.
pub(super) const RERUN: &str = "rerun";
/// The label of a picture, whose lines are never broken.
pub(super) const MAP: &str = "map";
/// Columns before the text of a labelled line.
const INDENT: usize = 11;
/// The least number of columns that text is laid out for. Nothing readable fits below it.
const NARROWEST: usize = 40;

/// The look of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// True if text has colours, whatever the stream is.
    pub color: bool,
    /// True if pictures have block elements of Unicode instead of plain characters.
    pub blocks: bool,
    /// Columns that a line may have. None for a pipe, where lines are never broken, so that programs can read them.
    pub width: Option<usize>,
}

impl Look {
    /// Paints text in a colour, given by its code for terminals.
    pub(super) fn paint(self, text: &str, code: &str) -> String {
        match self.color {
            true => format!("\x1b[{code}m{text}\x1b[0m"),
            false => text.to_owned(),
        }
    }

    /// Returns the columns that a line may have, if lines are limited.
    pub(super) fn room(self) -> Option<usize> {
        self.width.map(|width| width.max(NARROWEST))
    }

    /// Breaks text into lines that fit. Lines after the first are indented by `indent`.
    pub(super) fn fitted(self, text: &str, indent: usize) -> String {
        let Some(width) = self.room() else {
            return text.to_owned();
        };
        let indent = " ".repeat(indent);
        wrap(text, width, &indent, true).join("\n")
    }

    /// Returns lines with their labels. Consecutive lines of one label have it once.
    pub(super) fn labelled(self, lines: &Lines) -> String {
        let (mut text, mut last) = (String::new(), "");
        for (label, line) in lines {
            let shown = if *label == last { "" } else { label };
            let whole = format!("  {shown:<8} {line}");
            let whole = whole.trim_end();
            text += &match (self.room(), *label) {
                (Some(width), RERUN) => {
                    let indent = " ".repeat(INDENT + 2);
                    wrap(whole, width - 2, &indent, false).join(" \\\n")
                }
                (Some(width), MAP) if display_width(whole) > width => continue,
                (Some(_), label) if label != MAP => self.fitted(whole, INDENT),
                _ => whole.to_owned(),
            };
            text.push('\n');
            last = label;
        }
        text
    }
}

/// Breaks the cells of a table so that the table fits into a number of columns, if they are limited.
pub fn fit(grid: &mut Grid, columns: Option<usize>) {
    let room = columns.map(|columns| columns.max(NARROWEST));
    if let Some(room) = room.and_then(|room| u16::try_from(room).ok()) {
        grid.set_content_arrangement(ContentArrangement::Dynamic);
        grid.set_width(room);
    }
}

fn wrap(text: &str, width: usize, indent: &str, words: bool) -> Vec<String> {
    let options = Options::new(width)
        .subsequent_indent(indent)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(words);
    let lines = textwrap::wrap(text, options);
    lines.into_iter().map(|line| line.into_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Look = Look {
        color: false,
        blocks: false,
        width: Some(40),
    };

    #[test]
    fn a_pipe_gets_whole_lines() {
        let lines = vec![("wrong", "a word ".repeat(40)), ("", "more".into())];
        assert_eq!(Look::default().labelled(&lines).lines().count(), 2);
    }

    #[test]
    fn lines_fit_and_stand_under_their_text() {
        let lines = vec![("wrong", "one two three four five six seven eight".into())];
        assert_eq!(
            NARROW.labelled(&lines),
            "  wrong    one two three four five six\n           seven eight\n"
        );
    }

    #[test]
    fn a_broken_command_is_one_that_a_shell_takes() {
        let command = "deltanet-check --test x --seed 0 --registry /a/long/path/to/mine.toml";
        let text = NARROW.labelled(&vec![(RERUN, command.into())]);
        let joined = text.replace(" \\\n", " ");
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&joined)[1..], words(command));
        assert!(text.lines().count() > 2, "{text}");
    }

    #[test]
    fn pictures_are_whole_or_not_there() {
        let lines = vec![(MAP, "x".repeat(64)), (MAP, "legend".into())];
        assert_eq!(NARROW.labelled(&lines), "  map      legend\n");
        let wide = Look {
            width: Some(80),
            ..NARROW
        };
        assert_eq!(wide.labelled(&lines).lines().count(), 2);
    }
}
