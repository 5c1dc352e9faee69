//! Comparison of the decoder and the disassembler with llvm-mc. `scripts/isa-fuzz.sh` and `scripts/isa-golden.sh` run this example.
//!
//! - `fuzz SEED COUNT` prints COUNT lines of random words for `llvm-mc --disassemble`, each followed by a marker;
//! - `check SEED COUNT` reads llvm-mc's output and compares;
//! - `fields` prints words with every value of every mode-selecting field, and `fields-check` compares;
//! - `golden` prints words for every row in every form, and `golden-join` puts llvm-mc's texts beside them.

mod fields;
mod golden;
mod random;
mod words;

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use gfx906::isa;
use random::Random;

/// `s_nop 0x7fff`, which no generator makes. It separates the words of two tests.
const MARKER: [u8; 4] = [0xff, 0x7f, 0x80, 0xbf];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    let random = |seed: &str, count: &str| {
        let mut random = Random::new(number(seed));
        (0..number(count)).map(move |_| words::random(&mut random))
    };
    let done = match arguments[..] {
        ["fuzz", seed, count] => print(random(seed, count)).map(|()| true),
        ["check", seed, count] => check(random(seed, count)),
        ["fields"] => print(fields::words()).map(|()| true),
        ["fields-check"] => check(fields::words()),
        ["golden"] => golden::words(),
        ["golden-join"] => golden::join(),
        _ => {
            eprintln!(
                "usage: isa_oracle fuzz SEED COUNT | check SEED COUNT | fields | fields-check | golden | golden-join"
            );
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("isa_oracle: {error}");
            ExitCode::from(2)
        }
    }
}

/// Writes one line of bytes for llvm-mc. Brackets keep following words from being read as part of the instruction.
fn line(out: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    out.write_all(b"[")?;
    for byte in bytes {
        write!(out, "{byte:#04x} ")?;
    }
    out.write_all(b"]\n")
}

fn print(words: impl Iterator<Item = (usize, [u8; 8])>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (_, bytes) in words {
        line(&mut out, &bytes)?;
        line(&mut out, &MARKER)?;
    }
    out.flush()
}

/// Disassembles bytes up to the first invalid instruction, in the format of llvm-mc.
fn texts(mut bytes: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    while let Ok(inst) = isa::decode(bytes) {
        texts.push(isa::disassemble(&inst));
        bytes = bytes.get(inst.size()..).unwrap_or_default();
    }
    texts
}

fn check(words: impl Iterator<Item = (usize, [u8; 8])>) -> io::Result<bool> {
    const SHOWN: u64 = 20;
    let mut lines = io::stdin().lock().lines();
    let mut tallies = [Tally::default(); words::SPACES.len()];
    let mut shown = 0;
    for (space, bytes) in words {
        let mut oracle = Vec::new();
        loop {
            let text = lines.next().ok_or_else(|| {
                io::Error::other("llvm-mc's output ends early: it may have crashed")
            })??;
            match text.trim() {
                ".text" | "" => {}
                "s_nop 0x7fff" => break,
                text => oracle.push(text.to_owned()),
            }
        }
        let ours = texts(&bytes);
        let tally = &mut tallies[space];
        tally.words += 1;
        tally.valid += u64::from(!oracle.is_empty());
        tally.differences += u64::from(ours != oracle);
        if ours != oracle && shown < SHOWN {
            shown += 1;
            println!("{bytes:02x?}\n  llvm-mc: {oracle:?}\n  here:    {ours:?}");
        }
    }
    let mut all = Tally::default();
    for (name, tally) in words::SPACES.iter().zip(tallies) {
        println!("{name:8} {tally}");
        all.words += tally.words;
        all.valid += tally.valid;
        all.differences += tally.differences;
    }
    println!("{:8} {all}", "all");
    Ok(all.differences == 0)
}

/// Numbers of an encoding's comparison.
#[derive(Clone, Copy, Default)]
struct Tally {
    words: u64,
    valid: u64,
    differences: u64,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Tally {
            words,
            valid,
            differences,
        } = self;
        write!(
            f,
            "{words:9} words {valid:9} valid {differences:9} differences"
        )
    }
}
