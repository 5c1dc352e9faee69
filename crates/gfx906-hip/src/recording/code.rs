//! Code object of records: its ELF file, written once, and the variables that the program has changed since the code was loaded.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::Path;

use gfx906::code_object::CodeObject;
use gfx906::machine::Gpu;

use super::files;
use crate::boundary::Address;

/// Name of the code object in the directory of a record.
const CODE: &str = "code.co";

/// Copy of a code object for records.
pub struct RecordedCode {
    elf: Vec<u8>,
    /// Name of its file, made from its content, so that all processes use the same file.
    file: String,
    /// Address and initial content of each variable.
    variables: BTreeMap<String, (Address, Vec<u8>)>,
}

impl RecordedCode {
    /// Copies a code object that has just been loaded. Returns none if launches are not recorded.
    pub fn copy_if_recording(
        gpu: &Gpu,
        bytes: &[u8],
        variables: &HashMap<String, (Address, u64)>,
    ) -> Option<RecordedCode> {
        if !super::is_on() {
            return None;
        }
        let elf = CodeObject::elf(bytes).ok()?.into_owned();
        let mut hash = DefaultHasher::new();
        elf.hash(&mut hash);
        let file = format!("code-{:016x}.co", hash.finish());
        // Kernel descriptors are objects too.
        let variables = variables.iter().filter(|(name, _)| !name.ends_with(".kd"));
        let variables = variables.filter_map(|(name, (address, size))| {
            let held = memory(gpu, *address, *size).ok()?;
            Some((name.clone(), (*address, held)))
        });
        let variables = variables.collect();
        Some(RecordedCode {
            elf,
            file,
            variables,
        })
    }

    /// Returns the bytes that the file will take, or 0 if it exists.
    pub fn unwritten(&self, directory: &Path) -> u64 {
        let there = self.is_in(directory);
        if there { 0 } else { self.elf.len() as u64 }
    }

    fn is_in(&self, directory: &Path) -> bool {
        let metadata = std::fs::metadata(directory.join(&self.file));
        metadata.is_ok_and(|metadata| metadata.len() == self.elf.len() as u64)
    }

    /// Writes the file to the directory of all records unless it exists, and gives the record in `record` a link to it. A record with all its
    /// files below its own directory replays wherever it is moved. Returns the name of the link.
    pub fn write(&self, directory: &Path, record: &Path) -> io::Result<&'static str> {
        let shared = directory.join(&self.file);
        if !self.is_in(directory) {
            files::write(&shared, &self.elf)?;
        }
        let own = record.join(CODE);
        // A file system without links has copies.
        std::fs::hard_link(&shared, &own).or_else(|_| files::write(&own, &self.elf))?;
        Ok(CODE)
    }

    /// Returns the variables whose content has changed since the code was loaded.
    pub fn changed(&self, gpu: &Gpu) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut changed = Vec::new();
        for (name, (address, loaded)) in &self.variables {
            let held = memory(gpu, *address, loaded.len() as u64)?;
            if held != *loaded {
                changed.push((name.clone(), held));
            }
        }
        Ok(changed)
    }
}

fn memory(gpu: &Gpu, address: Address, size: u64) -> io::Result<Vec<u8>> {
    let mut held = vec![0; usize::try_from(size).map_err(io::Error::other)?];
    if !held.is_empty() {
        gpu.read(address, &mut held).map_err(io::Error::other)?;
    }
    Ok(held)
}
