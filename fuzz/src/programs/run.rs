//! Runs a program on the machine, at a feature level of the host and on a number of threads.

use gfx906::code_object::CodeObject;
use std::ops::Range;

use gfx906::machine::{Gpu, Launch, LaunchError, Level, Limits, Observer};

use super::{RandomProgram, Tally};

/// The frame: a code object with a long sequence of s_endpgm, which programs replace.
const FRAME: &[u8] = include_bytes!("../../../crates/gfx906/tests/random/program.co");
const S_ENDPGM: [u8; 4] = 0xbf81_0000u32.to_le_bytes();
/// Bytes of memory of a work-group.
const GROUP_MEMORY: usize = 0x4000;
/// Work-groups of a launch.
const GROUPS: u32 = 2;
/// The number of wave instructions that a program may execute.
const BUDGET: u64 = 20_000;

/// The end of a program.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every wave ended.
    Ended,
    /// A wave trapped, with this report.
    Trapped(String),
    /// The budget was used up, with this report.
    Hung(String),
}

/// The results of a run, which other runs must equal.
#[derive(Clone, Debug, PartialEq)]
pub struct RunResult {
    /// The end of the program.
    pub end: End,
    /// Number of wave instructions if the program ended, else 0.
    pub instructions: u64,
    /// Sum of the hashes of the registers of waves that ended.
    pub registers: u64,
    /// The memory of all groups.
    pub memory: Vec<u8>,
}

/// The frame with a program, and the initial memory of the program.
pub struct Machine {
    frame: CodeObject,
    /// Index of the executable segment.
    segment: usize,
    /// Bytes of the segment that a program may replace.
    room: Range<usize>,
    initial_memory: Vec<u8>,
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}

impl Machine {
    /// Reads the frame and finds the room for programs.
    pub fn new() -> Machine {
        let frame = CodeObject::parse(FRAME).expect("the frame");
        let segment = frame.image.segments.iter().position(|s| s.executable);
        let segment = segment.expect("code");
        let code = &frame.image.segments[segment].data;
        let is_room = |at: &usize| code[*at..].chunks_exact(4).take(900).all(|w| w == S_ENDPGM);
        let start = (0..code.len() - 3600).step_by(4).find(is_room);
        let start = start.expect("room for a program in the frame");
        let words = code[start..].chunks_exact(4);
        let room = start..start + 4 * words.take_while(|w| *w == S_ENDPGM).count();
        Machine {
            frame,
            segment,
            room,
            initial_memory: Vec::new(),
        }
    }

    /// Puts a program into the frame. A longer program is cut off.
    pub fn load(&mut self, program: &RandomProgram) {
        let code = &mut self.frame.image.segments[self.segment].data[self.room.clone()];
        let words = program.words.iter().chain(std::iter::repeat(&0xbf81_0000));
        for (to, word) in code.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let bytes = program.memory.iter().flat_map(|w| w.to_le_bytes());
        self.initial_memory = bytes.cycle().take(GROUPS as usize * GROUP_MEMORY).collect();
    }

    /// Runs the program that was loaded last.
    pub fn run(&self, block: u32, level: Level, threads: usize, tally: &mut Tally) -> RunResult {
        let result = self.run_observed(block, level, threads, tally, |tally, start, _| {
            tally.start = start;
        });
        RunResult {
            registers: tally.registers,
            ..result
        }
    }

    /// Runs the program that was loaded last under an observer. Before the launch, `prepare` gets the observer, the address of the program
    /// and the range of its memory.
    pub fn run_observed<O: Observer>(
        &self,
        block: u32,
        level: Level,
        threads: usize,
        observer: &mut O,
        prepare: impl FnOnce(&mut O, u64, Range<u64>),
    ) -> RunResult {
        // Each run has a GPU of its own, so that addresses are the same in every run.
        let gpu = Gpu::new();
        let bytes = self.initial_memory.len() as u64;
        let data = gpu.alloc("data", bytes).expect("memory");
        gpu.write(data, &self.initial_memory)
            .expect("the groups' memory");
        let module = gpu
            .load_at(&self.frame, level)
            .expect("memory for the code");
        let code = &self.frame.image.segments[self.segment];
        let start = module.base + code.address + self.room.start as u64;
        prepare(observer, start, data..data + bytes);
        let launch = Launch {
            grid: [GROUPS, 1, 1],
            block: [block, 1, 1],
            dynamic_lds: 0,
            kernarg: &data.to_le_bytes(),
            limits: Limits {
                instructions: BUDGET,
                ..Limits::default()
            },
            threads,
        };
        let launched = gpu.launch_observed(&module, "program", &launch, observer);
        let mut memory = vec![0; self.initial_memory.len()];
        gpu.read(data, &mut memory).expect("the groups' memory");
        let (end, instructions) = match launched {
            Ok(counters) => (End::Ended, counters.instructions),
            Err(LaunchError::Trap(trap)) => {
                let report = trap.to_string();
                assert!(report.contains("program"), "{report}");
                let hung = matches!(trap.kind, gfx906::machine::TrapKind::Hang { .. });
                (
                    if hung {
                        End::Hung(report)
                    } else {
                        End::Trapped(report)
                    },
                    0,
                )
            }
            Err(error) => panic!("{error}"),
        };
        RunResult {
            end,
            instructions,
            registers: 0,
            memory,
        }
    }
}
