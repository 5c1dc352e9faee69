//! Messages on a stream: a header with the length, an empty line, and JSON.

use std::io::{self, BufRead, Read as _, Write};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use serde_json::Value;

/// Largest message that is read.
const MAX_MESSAGE: u64 = 16 << 20;
/// Longest line of a header.
const MAX_LINE: u64 = 1 << 10;
/// Largest number of lines of a header.
const MAX_LINES: usize = 32;

/// The reason why a stream cannot be read on.
#[derive(Debug, thiserror::Error)]
pub(super) enum WireError {
    #[error("cannot read standard input: {0}")]
    Read(#[from] io::Error),
    #[error(
        "standard input is not the Debug Adapter Protocol: {0}; an editor starts this command (docs/debug.md)"
    )]
    Protocol(String),
}

/// Reads a message. Returns none at the end of the stream.
pub(super) fn read(input: &mut impl BufRead) -> Result<Option<Value>, WireError> {
    let bad = |what: &str| WireError::Protocol(what.to_owned());
    let mut length = None;
    for number in 0.. {
        let mut line = Vec::new();
        input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return match number {
                0 => Ok(None),
                _ => Err(bad("the input ends within a header")),
            };
        }
        if number == MAX_LINES || line.last() != Some(&b'\n') {
            return Err(bad("a header is too long, or ends early"));
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            break;
        }
        let Some((name, value)) = text.split_once(':') else {
            let shown: String = text.escape_debug().take(40).collect();
            return Err(WireError::Protocol(format!("`{shown}` is no header")));
        };
        if name.trim().eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let length = length.ok_or_else(|| bad("a header has no Content-Length"))?;
    if length > MAX_MESSAGE {
        return Err(WireError::Protocol(format!(
            "a message of {length} bytes is over the limit of {MAX_MESSAGE}"
        )));
    }
    let mut body = Vec::new();
    input.by_ref().take(length).read_to_end(&mut body)?;
    if body.len() as u64 != length {
        return Err(bad("the input ends within a message"));
    }
    let message = serde_json::from_slice(&body);
    message
        .map(Some)
        .map_err(|error| WireError::Protocol(format!("a message is no JSON: {error}")))
}

/// Writes a message.
pub(super) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// Reads the messages of standard input on a thread. The last one is none, or an error.
pub(super) fn messages() -> Receiver<Result<Option<Value>, WireError>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let message = read(&mut input);
            let last = !matches!(message, Ok(Some(_)));
            if sender.send(message).is_err() || last {
                break;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut bytes: &[u8]) -> Result<Vec<Value>, String> {
        let mut messages = Vec::new();
        while let Some(message) = read(&mut bytes).map_err(|error| error.to_string())? {
            messages.push(message);
        }
        Ok(messages)
    }

    #[test]
    fn messages_are_read_as_they_are_written() {
        let all = [serde_json::json!({"seq": 1, "é": "\n"}), Value::Null];
        let mut bytes = Vec::new();
        for message in &all {
            write(&mut bytes, message).expect("a vector");
        }
        assert_eq!(read_all(&bytes).expect("messages"), all);
        assert_eq!(
            read_all(b"content-length:2\nContent-Type: x\n\n{}")
                .expect("one")
                .len(),
            1
        );
    }

    #[test]
    fn other_input_is_refused() {
        for (bytes, told) in [
            (&b"hello\r\n\r\n"[..], "`hello` is no header"),
            (b"\r\n", "no Content-Length"),
            (b"Content-Length: -1\r\n\r\n", "no Content-Length"),
            (b"Content-Length: 99999999999\r\n\r\n", "over the limit"),
            (b"Content-Length: 9\r\n\r\n{}", "ends within a message"),
            (b"Content-Length: 2\r\n", "ends within a header"),
            (b"Content-Length: 2", "ends early"),
            (b"Content-Length: 2\r\n\r\n{]", "no JSON"),
            (&[b'a'; 5000], "too long"),
        ] {
            let error = read_all(bytes).expect_err("not the protocol");
            assert!(error.contains(told), "{error}");
        }
    }
}
