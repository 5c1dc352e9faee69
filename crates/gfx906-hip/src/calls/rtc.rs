//! hipRTC: compiles programs while the process runs, by a clang of the host.

mod compiler;
pub mod linker;

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use crate::boundary::{Address, In, Out, Text, put_bytes};
use crate::error::{HipError, HipResult};
use crate::generation::generation;
use crate::handles::{Handles, Tag};
use compiler::{CompileError, CompiledCode, CompiledProgram};
use linker::LinkError;

/// Error codes of hipRTC, by their names without `HIPRTC_ERROR_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum RtcError {
    ProgramCreation = 2,
    InvalidInput = 3,
    InvalidProgram = 4,
    InvalidOption = 5,
    Compilation = 6,
    BuiltinOperation = 7,
    NoNameExpressions = 8,
    NoLoweredNames = 9,
    NameExpressionInvalid = 10,
    Internal = 11,
    Linking = 100,
}

/// Returns the name of a code.
pub fn text_of(code: u32) -> Text {
    Text::from_static(match code {
        0 => c"HIPRTC_SUCCESS",
        1 => c"HIPRTC_ERROR_OUT_OF_MEMORY",
        2 => c"HIPRTC_ERROR_PROGRAM_CREATION_FAILURE",
        3 => c"HIPRTC_ERROR_INVALID_INPUT",
        4 => c"HIPRTC_ERROR_INVALID_PROGRAM",
        5 => c"HIPRTC_ERROR_INVALID_OPTION",
        6 => c"HIPRTC_ERROR_COMPILATION",
        7 => c"HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        8 => c"HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        9 => c"HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        10 => c"HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
        11 => c"HIPRTC_ERROR_INTERNAL_ERROR",
        100 => c"HIPRTC_ERROR_LINKING",
        _ => c"Invalid HIPRTC error code",
    })
}

impl From<HipError> for RtcError {
    fn from(_: HipError) -> RtcError {
        RtcError::InvalidInput
    }
}

impl From<LinkError> for RtcError {
    fn from(wrong: LinkError) -> RtcError {
        match wrong {
            LinkError::Argument | LinkError::Handle | LinkError::Kind | LinkError::Nothing => {
                RtcError::InvalidInput
            }
            LinkError::Input => RtcError::ProgramCreation,
            LinkError::Option => RtcError::InvalidOption,
            LinkError::Link => RtcError::Linking,
            LinkError::NoCompiler => RtcError::BuiltinOperation,
        }
    }
}

type Result<T = ()> = std::result::Result<T, RtcError>;

fn code(result: Result) -> u32 {
    result.map_or_else(|problem| problem as u32, |()| 0)
}

/// Returns hipRTC's code for a step of a link.
pub fn linked(result: std::result::Result<(), LinkError>) -> u32 {
    code(result.map_err(RtcError::from))
}

/// Program: its source and the result of its compilation.
#[derive(Default)]
struct RtcProgram {
    name: String,
    source: String,
    /// Headers of the program: name, text.
    headers: Vec<(String, String)>,
    /// Name expressions whose lowered names are wanted.
    expressions: Vec<String>,
    log: String,
    compiled: Option<CompiledProgram>,
    /// Lowered names that the caller has pointers to, which are never freed.
    lowered: HashMap<String, Text>,
}

// SAFETY: the texts are strings of this crate that are never freed or written.
unsafe impl Send for RtcProgram {}

static PROGRAMS: LazyLock<Mutex<Handles<RtcProgram>>> =
    LazyLock::new(|| Mutex::new(Handles::new(Tag::Program)));

fn programs() -> MutexGuard<'static, Handles<RtcProgram>> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function with a program.
fn with_program<T>(program: Address, f: impl FnOnce(&mut RtcProgram) -> Result<T>) -> Result<T> {
    f(programs()
        .get_mut(program)
        .ok_or(RtcError::InvalidProgram)?)
}

fn texts(count: i32, texts: In<Text>) -> Result<Vec<String>> {
    let count = usize::try_from(count).map_err(|_| RtcError::InvalidInput)?;
    let text = |n| Ok(texts.nth(n)?.get()?);
    (0..count).map(text).collect()
}

pub fn create(
    out: Out<Address>,
    source: Text,
    name: Text,
    count: i32,
    headers: In<Text>,
    names: In<Text>,
) -> u32 {
    let create = || {
        out.required()?;
        let headers = texts(count, headers)?;
        let program = RtcProgram {
            name: name.get().unwrap_or_default(),
            source: source.get()?,
            headers: texts(count, names)?.into_iter().zip(headers).collect(),
            ..RtcProgram::default()
        };
        Ok(out.put(programs().insert(program))?)
    };
    code(create())
}

pub fn destroy(program: Out<Address>) -> u32 {
    let destroy = || {
        let removed = programs().remove(program.get()?);
        removed.ok_or(RtcError::InvalidProgram)?;
        Ok(program.put(0)?)
    };
    code(destroy())
}

pub fn add_expression(program: Address, expression: Text) -> u32 {
    let add = |program: &mut RtcProgram| {
        if program.compiled.is_some() {
            return Err(RtcError::NoNameExpressions);
        }
        program.expressions.push(expression.get()?);
        Ok(())
    };
    code(with_program(program, add))
}

pub fn compile(program: Address, count: i32, options: In<Text>) -> u32 {
    let compile = || {
        let options = texts(count, options)?;
        // The lock is free during the compilation, so that other threads can use their programs.
        let job = with_program(program, |program| Ok(compiler::Job::new(program)))?;
        let (log, compiled) = job.run(&options);
        with_program(program, |program| {
            program.log = log;
            program.compiled = None;
            match compiled {
                Ok(compiled) => program.compiled = Some(compiled),
                Err(CompileError::Compilation) => return Err(RtcError::Compilation),
                Err(CompileError::NoCompiler) => return Err(RtcError::BuiltinOperation),
                Err(CompileError::Host) => return Err(RtcError::Internal),
            }
            Ok(())
        })
    };
    code(compile())
}

pub fn lowered(program: Address, expression: Text, out: Out<Text>) -> u32 {
    let lowered = |program: &mut RtcProgram| {
        let expression = expression.get()?;
        let compiled = program.compiled.as_ref().ok_or(RtcError::NoLoweredNames)?;
        let symbol = compiled.names.get(&expression);
        let symbol = symbol.ok_or(RtcError::NameExpressionInvalid)?;
        let text = program.lowered.entry(expression);
        Ok(out.put(*text.or_insert_with(|| Text::leak(symbol)))?)
    };
    if out.is_null() {
        return code(Err(RtcError::InvalidInput));
    }
    code(with_program(program, lowered))
}

/// Returns the compiled code object, if any.
fn object(program: &RtcProgram) -> Result<&[u8]> {
    match program.compiled.as_ref().map(|compiled| &compiled.code) {
        Some(CompiledCode::Object(object)) => Ok(object),
        _ => Err(RtcError::InvalidProgram),
    }
}

/// Returns the bitcode of a program that was compiled for a later link.
fn bitcode(program: &RtcProgram) -> Result<&[u8]> {
    match program.compiled.as_ref().map(|compiled| &compiled.code) {
        Some(CompiledCode::Bitcode(bitcode)) => Ok(bitcode),
        _ => Err(RtcError::InvalidProgram),
    }
}

/// Stores a size of a program. A missing output is told before a program that does not exist.
fn put_size(
    program: Address,
    out: Out<usize>,
    size: impl FnOnce(&RtcProgram) -> Result<usize>,
) -> u32 {
    let put = || {
        out.required()?;
        with_program(program, |program| Ok(out.put(size(program)?)?))
    };
    code(put())
}

/// Stores bytes of a program. A missing output is told before a program that does not exist.
fn put_code(program: Address, to: Address, bytes: impl Fn(&RtcProgram) -> Result<&[u8]>) -> u32 {
    if to == 0 {
        return code(Err(RtcError::InvalidInput));
    }
    code(with_program(program, |program| {
        Ok(put_bytes(to, bytes(program)?)?)
    }))
}

pub fn code_size(program: Address, out: Out<usize>) -> u32 {
    put_size(program, out, |program| Ok(object(program)?.len()))
}

pub fn get_code(program: Address, to: Address) -> u32 {
    put_code(program, to, object)
}

pub fn bitcode_size(program: Address, out: Out<usize>) -> u32 {
    put_size(program, out, |program| Ok(bitcode(program)?.len()))
}

pub fn get_bitcode(program: Address, to: Address) -> u32 {
    put_code(program, to, bitcode)
}

pub fn link_create(count: u32, options: In<u32>, values: In<Address>, out: Out<Address>) -> u32 {
    let create = || {
        out.required()?;
        Ok(out.put(linker::create(count, options, values)?)?)
    };
    code(create())
}

pub fn link_complete(link: Address, out: Out<Address>, size: Out<usize>) -> u32 {
    let complete = || {
        out.required()?;
        size.required()?;
        let (at, bytes) = linker::complete(link)?;
        out.put(at)?;
        Ok(size.put(bytes)?)
    };
    code(complete())
}

/// Returns the size of the log with its NUL.
pub fn log_size(program: Address, out: Out<usize>) -> u32 {
    put_size(program, out, |program| Ok(program.log.len() + 1))
}

pub fn get_log(program: Address, to: Address) -> u32 {
    if to == 0 {
        return code(Err(RtcError::InvalidInput));
    }
    let log = |program: &mut RtcProgram| {
        let mut text = program.log.clone().into_bytes();
        text.push(0);
        Ok(put_bytes(to, &text)?)
    };
    code(with_program(program, log))
}

pub fn version(major: Out<i32>, minor: Out<i32>) -> u32 {
    let put = || -> HipResult {
        let version = generation().version();
        major.put(version / 10_000_000)?;
        minor.put(version / 100_000 % 100)
    };
    code(put().map_err(RtcError::from))
}
