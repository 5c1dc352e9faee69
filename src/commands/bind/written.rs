//! Pieces of the text of a proposal: keys, quoted texts, and lines with notes.

use super::number::Guess;

/// The text of an argument in a binding.
pub struct WrittenText {
    /// The argument as TOML.
    pub text: String,
    /// Notes on the argument.
    pub comment: Option<String>,
    /// The sizes in it.
    pub uses: Vec<String>,
}

/// The name of a buffer that holds all outputs.
pub const OUTPUTS: &str = "outputs_together";

/// Returns a key of a TOML table, quoted if necessary.
pub fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.chars().all(bare) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

/// Returns a line with notes as its comment.
pub fn line(text: &str, comments: &[String]) -> String {
    match comments {
        [] => format!("{text}\n"),
        _ => format!("{text}   # {}\n", comments.join("; ")),
    }
}

/// Returns the notes on a guess.
pub fn comment(guess: &Guess, what: &str) -> Option<String> {
    let what = if what.is_empty() {
        String::new()
    } else {
        format!("{what} ")
    };
    let others = guess.others.join("\" or \"");
    match (guess.literal, guess.others.is_empty()) {
        (true, _) => Some(format!(
            "? {what}as recorded: no formula of the sizes was found"
        )),
        (false, false) if guess.formula == "1" => Some(format!(
            "{what}or \"{others}\": a record of a larger call tells"
        )),
        (false, false) => Some(format!("{what}or \"{others}\"")),
        (false, true) => None,
    }
}

/// Returns a demangled name without its return type and its arguments.
pub fn short(plain: &str) -> String {
    let short = plain.strip_prefix("void ").unwrap_or(plain);
    short
        .rfind('(')
        .map_or(short, |open| &short[..open])
        .to_owned()
}

/// Returns a text in TOML's quotes.
pub fn quoted(text: &str) -> String {
    toml::Value::String(text.into()).to_string()
}
