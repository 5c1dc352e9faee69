//! Reads instructions as hex bytes in memory order, one a line, and prints the text of each, or `invalid`.

use std::io::{self, BufRead, Write};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let bytes: Vec<u8> = (0..line.len() / 2)
            .filter_map(|i| u8::from_str_radix(line.get(2 * i..2 * i + 2)?, 16).ok())
            .collect();
        match gfx906::isa::decode(&bytes) {
            Ok(inst) => writeln!(out, "{} {}", inst.size(), gfx906::isa::disassemble(&inst))?,
            Err(error) => writeln!(out, "0 {error:?}")?,
        }
    }
    Ok(())
}
