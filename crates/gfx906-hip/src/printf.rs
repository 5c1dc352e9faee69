//! Output of kernels: messages that arrive in parts and are formatted as by C's `printf`.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{CString, c_char, c_int};
use std::io::Write;

/// Bits of a part's first word: first part, last part, then three bits for the number of words, then the number of the message.
const BEGIN: u64 = 1;
const END: u64 = 2;
const LENGTH: u32 = 5;
const NUMBER: u32 = 8;

/// Longest text of one conversion. Longer texts are cut.
const LONGEST: usize = 4096;
/// Widest field, and its digits.
const WIDEST: i32 = 999;
const DIGITS: usize = 3;

/// Messages that are not complete yet.
#[derive(Default)]
pub struct Messages {
    begun: HashMap<u64, Vec<u64>>,
    last: u64,
    /// Failed assertions with the number of lanes. Each is printed once, when the kernel has ended.
    failed: BTreeMap<Vec<u8>, u64>,
}

unsafe extern "C" {
    /// The C library's formatter knows every flag and rounds as programs expect.
    fn snprintf(text: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
    /// Prints to the C stream that the program prints to.
    fn printf(format: *const c_char, ...) -> c_int;
}

impl Messages {
    /// Takes a part of a message. Returns the first word of the next part, or the number of bytes that were printed.
    pub fn take(&mut self, words: &[u64; 8]) -> u64 {
        let mut descriptor = words[0];
        if descriptor & BEGIN != 0 {
            self.last += 1;
            let low = descriptor & ((1 << NUMBER) - 1) & !BEGIN;
            descriptor = self.last << NUMBER | low;
            self.begun.insert(self.last, Vec::new());
        }
        let number = descriptor >> NUMBER;
        let length = (descriptor >> LENGTH & 7) as usize;
        let Some(message) = self.begun.get_mut(&number) else {
            return 0;
        };
        message.extend_from_slice(&words[1..=length]);
        if descriptor & END == 0 {
            return descriptor;
        }
        let message = self.begun.remove(&number).unwrap_or_default();
        self.print(&message) as u64
    }

    /// Prints a message of stream, format and arguments. A failed assertion is kept until [`Messages::finish`].
    fn print(&mut self, message: &[u64]) -> usize {
        let (to_stderr, text) = render_message(message);
        let bytes = text.len();
        if to_stderr && is_failed_assertion(&text) {
            *self.failed.entry(text).or_default() += 1;
        } else {
            put(to_stderr, text);
        }
        bytes
    }

    /// Prints the failed assertions, a line each for any number of lanes.
    pub fn finish(&mut self) {
        for (mut text, lanes) in std::mem::take(&mut self.failed) {
            if lanes > 1 {
                let end = text.trim_ascii_end().len();
                text.truncate(end);
                text.extend_from_slice(format!(" In {lanes} lanes.\n").as_bytes());
            }
            put(true, text);
        }
    }
}

/// Returns true for the text that compilers generate for a failed `assert`.
fn is_failed_assertion(text: &[u8]) -> bool {
    const PART: &[u8] = b"Device-side assertion ";
    text.windows(PART.len()).any(|part| part == PART)
}

/// Returns the text of a message, and true if it goes to stderr.
fn render_message(message: &[u64]) -> (bool, Vec<u8>) {
    let mut words = message.iter().copied();
    let to_stderr = words.next() == Some(1);
    let format = take_text(&mut words);
    (to_stderr, render(&format, &mut words))
}

fn put(to_stderr: bool, text: Vec<u8>) {
    if to_stderr {
        // A program without stderr misses the message.
        let _ = std::io::stderr().write_all(&text);
    } else if let Ok(text) = CString::new(text) {
        // SAFETY: the format takes one string, which ends with a NUL.
        unsafe { printf(c"%s".as_ptr(), text.as_ptr()) };
    }
}

/// Takes a string that is packed into words. The last word contains its NUL.
fn take_text(words: &mut impl Iterator<Item = u64>) -> Vec<u8> {
    let mut text = Vec::new();
    for word in words {
        let bytes = word.to_le_bytes();
        match bytes.iter().position(|&b| b == 0) {
            Some(end) => {
                text.extend_from_slice(&bytes[..end]);
                break;
            }
            None => text.extend_from_slice(&bytes),
        }
    }
    text
}

/// Formats arguments. Missing arguments are 0.
fn render(format: &[u8], words: &mut impl Iterator<Item = u64>) -> Vec<u8> {
    let mut text = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.iter().position(|&b| b == b'%') {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let Some(end) = rest
            .iter()
            .position(|b| b.is_ascii_alphabetic() && !b"hlLqjzt".contains(b) || *b == b'%')
        else {
            // This is no conversion, so the text stays as it is.
            text.push(b'%');
            continue;
        };
        let (specification, conversion) = (&rest[..end], rest[end]);
        rest = &rest[end + 1..];
        convert(&mut text, specification, conversion, words);
    }
    text.extend_from_slice(rest);
    text
}

/// Formats one conversion. `specification` has its flags, width, precision and length.
fn convert(
    text: &mut Vec<u8>,
    specification: &[u8],
    conversion: u8,
    words: &mut impl Iterator<Item = u64>,
) {
    let mut flags = vec![b'%'];
    for &byte in specification {
        match byte {
            b'*' => {
                let width = (words.next().unwrap_or(0) as i32).clamp(-WIDEST, WIDEST);
                flags.extend_from_slice(width.to_string().as_bytes());
            }
            b'h' | b'l' | b'L' | b'q' | b'j' | b'z' | b't' => {}
            // The library would pad to any width.
            b'0'..=b'9' if digits_at_end(&flags) >= DIGITS => {}
            b'0'..=b'9' | b'-' | b'+' | b' ' | b'#' | b'.' | b'\'' => flags.push(byte),
            // Arguments by position, and conversions that C does not have.
            _ => return literal(text, specification, conversion),
        }
    }
    let lengths = |length: u8| specification.iter().filter(|&&b| b == length).count();
    let wide = b"lqjzt".iter().any(|&b| lengths(b) != 0);
    let mut next = || words.next().unwrap_or(0);
    match conversion {
        b'%' => text.push(b'%'),
        b'n' => {
            next();
        }
        b's' => {
            let string = CString::new(take_text(words)).unwrap_or_default();
            // SAFETY: the specification takes one string, which ends with a NUL.
            format(text, flags, b"s", |to, size, with| unsafe {
                snprintf(to, size, with, string.as_ptr())
            });
        }
        b'c' => {
            let value = next() as c_int;
            // SAFETY: the specification takes one int.
            format(text, flags, b"c", |to, size, with| unsafe {
                snprintf(to, size, with, value)
            });
        }
        b'd' | b'i' => {
            let value = next();
            let value = match (wide, lengths(b'h')) {
                (true, _) => value as i64,
                (_, 0) => value as i32 as i64,
                (_, 1) => value as i16 as i64,
                _ => value as i8 as i64,
            };
            // SAFETY: the specification takes one long long.
            format(text, flags, b"lld", |to, size, with| unsafe {
                snprintf(to, size, with, value)
            });
        }
        b'u' | b'x' | b'X' | b'o' => {
            let value = next();
            let value = match (wide, lengths(b'h')) {
                (true, _) => value,
                (_, 0) => value as u32 as u64,
                (_, 1) => value as u16 as u64,
                _ => value as u8 as u64,
            };
            let suffix = [b'l', b'l', conversion];
            // SAFETY: the specification takes one unsigned long long.
            format(text, flags, &suffix, |to, size, with| unsafe {
                snprintf(to, size, with, value)
            });
        }
        b'p' => {
            let value = next();
            // SAFETY: the specification takes one pointer, which is not dereferenced. It is passed as an integer is.
            format(text, flags, b"p", |to, size, with| unsafe {
                snprintf(to, size, with, value)
            });
        }
        b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
            let value = f64::from_bits(next());
            // SAFETY: the specification takes one double.
            format(text, flags, &[conversion], |to, size, with| unsafe {
                snprintf(to, size, with, value)
            });
        }
        _ => literal(text, specification, conversion),
    }
}

/// Appends a text that is no conversion.
fn literal(text: &mut Vec<u8>, specification: &[u8], conversion: u8) {
    text.push(b'%');
    text.extend_from_slice(specification);
    text.push(conversion);
}

fn digits_at_end(flags: &[u8]) -> usize {
    let digits = flags.iter().rev().take_while(|b| b.is_ascii_digit());
    digits.count()
}

/// Formats a value. `call` passes the value to the C library.
fn format(
    text: &mut Vec<u8>,
    mut flags: Vec<u8>,
    suffix: &[u8],
    call: impl FnOnce(*mut c_char, usize, *const c_char) -> c_int,
) {
    flags.extend_from_slice(suffix);
    let Ok(specification) = CString::new(flags) else {
        return;
    };
    let mut buffer = [0u8; LONGEST];
    let length = call(buffer.as_mut_ptr().cast(), LONGEST, specification.as_ptr());
    let length = usize::try_from(length).unwrap_or(0).min(LONGEST - 1);
    text.extend_from_slice(&buffer[..length]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render_message(format: &str, words: &[u64]) -> String {
        let text = render(format.as_bytes(), &mut words.iter().copied());
        String::from_utf8(text).expect("ASCII")
    }

    #[test]
    fn conversions_are_those_of_c() {
        assert_eq!(
            render_message("a %d%% %5u|%-4d|", &[u64::MAX, 7, 8]),
            "a -1%     7|8   |"
        );
        assert_eq!(
            render_message("%lu %hhd %hx", &[1 << 40, 0x1ff, 0x1_2345]),
            "1099511627776 -1 2345"
        );
        assert_eq!(
            render_message("%.2f %g", &[2.345f64.to_bits(), 1e-7f64.to_bits()]),
            "2.35 1e-07"
        );
        assert_eq!(
            render_message("%*d|%c|%#x", &[5, 42, 65, 255]),
            "   42|A|0xff"
        );
        let hello = u64::from_le_bytes(*b"hello\0\0\0");
        let long = u64::from_le_bytes(*b"12345678");
        assert_eq!(
            render_message("%s %s, %d", &[hello, long, 0, 3]),
            "hello 12345678, 3"
        );
        assert_eq!(render_message("%y %", &[]), "%y %");
        assert_eq!(render_message("%2$d %n.", &[7]), "%2$d .");
        assert_eq!(render_message("%123456789d", &[7]).len(), 123);
        assert_eq!(render_message("%*d", &[1 << 30, 7]).len(), 999);
        assert_eq!(render_message("%d %s.", &[]), "0 .");
    }

    #[test]
    fn parts_make_a_message() {
        let mut messages = Messages::default();
        let begun = messages.take(&[BEGIN | 1 << LENGTH, 1, 0, 0, 0, 0, 0, 0]);
        let low = begun & !(7 << LENGTH);
        let answer = messages.take(&[
            low | 2 << LENGTH,
            u64::from_le_bytes(*b"abcdefgh"),
            0,
            0,
            0,
            0,
            0,
            0,
        ]);
        assert_eq!(answer >> NUMBER, begun >> NUMBER);
        let printed = messages.take(&[low | END, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(printed, 8);
        assert_eq!(
            messages.take(&[low | END, 0, 0, 0, 0, 0, 0, 0]),
            0,
            "it is over"
        );
    }
}
