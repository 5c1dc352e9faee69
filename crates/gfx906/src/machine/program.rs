//! Code objects in device memory. Their code is decoded once: every dword of an executable segment as the instruction that would begin
//! there.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::forms;
use super::level::Level;
use super::op::Handlers;
use super::op::Op;
use super::region::Region;
use crate::code_object::Kernel;
use crate::isa::{self, Code, Encoding, Flags, Form, Inst, Properties, Row};

/// Instructions of a page. The whole page is decoded when its first instruction runs.
const PAGE: usize = 256;

/// Decoded instructions of a page, one per dword.
#[derive(Clone, Copy, Default)]
pub struct Page<'a> {
    base: u64,
    ops: &'a [Op],
}

impl<'a> Page<'a> {
    /// Returns the instruction at a guest address, if the address is a dword of this page.
    #[inline(always)]
    pub fn fetch(&self, pc: u64) -> Option<&'a Op> {
        // The rotation turns an address between dwords into an index beyond every page.
        let index = pc.wrapping_sub(self.base).rotate_right(2);
        self.ops.get(index as usize)
    }
}

/// The code of one executable segment.
pub struct SegmentCode {
    base: u64,
    words: Arc<Words>,
}

/// Code independent of its address, and its decoded pages.
struct Words {
    code: Vec<u8>,
    pages: Vec<OnceLock<Box<[Op]>>>,
    level: Level,
    /// Bytes of the code in memory, at the address of the first load.
    region: OnceLock<Arc<Region>>,
}

/// Decoded code of earlier loads. Loads of the same code object share it.
#[derive(Clone, Default)]
pub struct CodeCache(Arc<Mutex<Vec<Arc<Words>>>>);

impl CodeCache {
    /// Number of executable segments that are kept.
    const KEPT: usize = 4;

    /// Returns the code of a segment at guest address `base`, with the pages that earlier loads have decoded.
    pub(super) fn program(&self, base: u64, code: &[u8], level: Level) -> SegmentCode {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = kept.iter();
        let same = |words: &&Arc<Words>| words.level == level && words.code == code;
        if let Some(words) = known.find(same).cloned() {
            return SegmentCode { base, words };
        }
        let program = SegmentCode::new(base, code.to_vec(), level);
        if kept.len() < Self::KEPT {
            kept.push(program.words.clone());
        }
        program
    }
}

impl SegmentCode {
    /// Creates the code of a segment at guest address `base`.
    pub fn new(base: u64, code: Vec<u8>, level: Level) -> SegmentCode {
        let pages = (0..code.len().div_ceil(4 * PAGE))
            .map(|_| OnceLock::new())
            .collect();
        let words = Arc::new(Words {
            code,
            pages,
            level,
            region: OnceLock::new(),
        });
        SegmentCode { base, words }
    }

    /// Returns the bytes of the code in memory, shared by all loads at the same address, or `None` if the host lacks the memory.
    pub(super) fn region(&self, name: &str) -> Option<Arc<Region>> {
        let known = self.words.region.get();
        if let Some(region) = known.filter(|region| region.base == self.base) {
            return Some(region.clone());
        }
        let code = &self.words.code;
        let region = Region::try_new(name, self.base, code.len() as u64, false)?;
        region.copy_in(region.offset(self.base), code);
        let region = Arc::new(region.shared());
        // The region of the first address is kept if the code is loaded at another address too.
        let _ = self.words.region.set(region.clone());
        Some(region)
    }

    /// Returns the instruction at a guest address, if the address is a dword of this code.
    pub fn fetch(&self, pc: u64) -> Option<&Op> {
        self.page(pc)?.fetch(pc)
    }

    /// Returns the page with the instruction at a guest address.
    #[inline(never)]
    pub fn page(&self, pc: u64) -> Option<Page<'_>> {
        let number = (pc.checked_sub(self.base)? / (4 * PAGE as u64)) as usize;
        let ops = self.words.pages.get(number)?;
        let page = Page {
            base: self.base + 4 * (PAGE * number) as u64,
            ops: ops.get_or_init(|| self.words.decode_page(number)),
        };
        page.fetch(pc).is_some().then_some(page)
    }
}

impl Words {
    #[cold]
    fn decode_page(&self, page: usize) -> Box<[Op]> {
        let start = page * PAGE * 4;
        let end = (start + PAGE * 4).min(self.code.len() / 4 * 4);
        (start..end).step_by(4).map(|at| self.decode(at)).collect()
    }

    fn decode(&self, at: usize) -> Op {
        let (inst, handlers) = match isa::decode(&self.code[at..]) {
            Ok(inst) => (inst, forms::handlers(&inst)),
            Err(_) => (unknown(&self.code[at..]), Handlers::scalar(forms::illegal)),
        };
        Op::new(inst, &handlers, self.level)
    }
}

/// A code object in device memory.
pub struct Module {
    /// Guest address of link address 0.
    pub base: u64,
    /// Size in device memory in bytes.
    pub(super) size: u64,
    /// Guest addresses of the segments.
    pub(super) segments: Vec<u64>,
    /// Guest address of the buffer in which kernels send requests to the host (the hidden argument `hostcall_buffer`), or 0 if no host
    /// answers.
    pub hostcall: u64,
    /// Guest address of the heap for device-side allocations (the hidden argument `heap_v1`), or 0 if there is none.
    pub heap: u64,
    /// Code of the executable segments.
    pub(super) programs: Vec<SegmentCode>,
    /// Kernels of the code object.
    pub(super) kernels: Arc<[Kernel]>,
}

impl Module {
    /// Finds a kernel by its name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }
}

/// Builds a placeholder for words that are not an instruction.
fn unknown(words: &[u8]) -> Inst {
    static ROW: Row = Row {
        opcode: 0,
        mnemonic: "invalid",
        operands: &[],
        modifiers: Flags::NONE,
        properties: Properties::NONE,
        semantics: None,
    };
    let word = |at: usize| {
        let bytes = words.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |&w| u32::from_le_bytes(w))
    };
    Inst {
        row: &ROW,
        encoding: Encoding::Sopp,
        form: Form::Native,
        size: 4,
        operands: [Code::OFF; 6],
        literal: 0,
        offset: 0,
        modifiers: isa::Modifiers::default(),
        words: [word(0), word(4)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_share_what_was_decoded_and_other_code_does_not() {
        let decoded = CodeCache::default();
        let end = 0xbf81_0000_u32.to_le_bytes();
        let nop = 0xbf80_0000_u32.to_le_bytes();
        let level = Level::host();
        let name = |program: &SegmentCode, base: u64| {
            let op = program.fetch(base).expect("an instruction");
            (std::ptr::from_ref(op), op.inst.row.mnemonic)
        };
        let first = decoded.program(0x1000, &end, level);
        let again = decoded.program(0x8000, &end, level);
        let other = decoded.program(0x1000, &nop, level);
        assert_eq!(name(&first, 0x1000), name(&again, 0x8000));
        assert_eq!(name(&first, 0x1000).1, "s_endpgm");
        assert_eq!(name(&other, 0x1000).1, "s_nop");
        assert!(again.fetch(0x1000).is_none());
    }
}
