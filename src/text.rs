//! Foreign text on a terminal: names of files and of kernels, messages of drivers. What could move the cursor, colour the screen or
//! reorder a line is escaped.

use std::path::Path;

/// A file's name.
pub fn shown(path: &Path) -> String {
    escaped(&path.to_string_lossy())
}

/// Text with its control characters escaped, and the marks that reorder what stands around them.
pub fn escaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        let reorders = matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || reorders {
            plain.extend(c.escape_unicode());
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_escaped_and_the_rest_stays() {
        let path = Path::new("a b/\u{1b}[2J\u{7f}\n\u{9b}x\u{202e}é.co");
        let want = "a b/\\u{1b}[2J\\u{7f}\\u{a}\\u{9b}x\\u{202e}é.co";
        assert_eq!(shown(path), want);
    }

    /// A new place that prints a path prints it so: `display()` writes what is in the name.
    #[test]
    fn no_file_of_the_harness_prints_a_path_otherwise() {
        let mut directories = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let (mut seen, mut others) = (0, Vec::new());
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).expect("readable") {
                let path = entry.expect("readable").path();
                if path.is_dir() {
                    directories.push(path);
                } else if path.extension().is_some_and(|end| end == "rs") {
                    seen += 1;
                    let text = std::fs::read_to_string(&path).expect("text");
                    let call = concat!(".disp", "lay()");
                    if text.contains(call) {
                        others.push(path);
                    }
                }
            }
        }
        assert!(seen > 100, "{seen}");
        assert!(others.is_empty(), "{others:?}");
    }
}
