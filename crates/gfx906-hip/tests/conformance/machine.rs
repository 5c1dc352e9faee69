//! Execution of cases: variables, arguments of calls, and the library under test.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};

use gfx906_hip::api::hipGetProcAddress;
use gfx906_hip::boundary::{Out, Text};

use crate::language::{Argument, Statement, parse};

unsafe extern "C" {
    fn gfx906_set_generation(major: i32);
}

/// Code object of the cases with modules.
static CODE: &[u8] = include_bytes!("../../../../kernels/built/deltanet.co");

/// Registers that pass integers, and words of the stack that a call may need.
const REGISTERS: usize = 6;
const WORDS: usize = 14;

/// Words of a call's arguments on the stack.
#[repr(C)]
struct Stack([u64; WORDS]);

/// Function of HIP. Arguments that it does not take are ignored.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, Stack) -> u32;

/// Library under test.
#[derive(Clone, Copy)]
pub enum Library {
    /// This crate.
    Linked,
    /// Library that the process has loaded: a handle of `dlopen`.
    Loaded(usize),
}

impl Library {
    /// Returns this crate, or the library that `GFX906_CONFORMANCE` names.
    pub fn from_environment() -> Library {
        let Ok(path) = std::env::var("GFX906_CONFORMANCE") else {
            // The codes and numbers of the tables are those of HIP 6.
            // SAFETY: the function takes any number.
            unsafe { gfx906_set_generation(6) };
            return Library::Linked;
        };
        let name = CString::new(path.as_str()).expect("a path");
        // SAFETY: a text with a NUL at its end. The library's constructors are the user's choice.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null(), "{path} cannot be loaded");
        Library::Loaded(handle.expose_provenance())
    }

    fn address(self, name: &str) -> Option<u64> {
        let text = CString::new(name).expect("no NUL in a name");
        let mut address = 0;
        match self {
            Library::Linked => {
                // SAFETY: both pointers are good for the call.
                unsafe {
                    let out = Out::at(&mut address);
                    let status = Out::at(std::ptr::null_mut());
                    hipGetProcAddress(Text::at(text.as_ptr()), out, 800, 0, status);
                }
            }
            Library::Loaded(handle) => {
                let handle = std::ptr::with_exposed_provenance_mut(handle);
                // SAFETY: a handle of `dlopen`, and a text with a NUL at its end.
                address = unsafe { libc::dlsym(handle, text.as_ptr()) } as u64;
            }
        }
        (address != 0).then_some(address)
    }

    /// Returns the name of a code without `hipError`.
    fn name_of(self, code: u32) -> String {
        let Some(address) = self.address("hipGetErrorName") else {
            return code.to_string();
        };
        // SAFETY: the function of this name takes a code and returns a text that stays.
        let name = unsafe {
            let function: extern "C" fn(u32) -> *const c_char =
                std::mem::transmute(address as *const c_void);
            CStr::from_ptr(function(code))
        };
        let name = name.to_string_lossy();
        name.trim_start_matches("hipError")
            .trim_start_matches("hip")
            .to_owned()
    }
}

/// Variables of a case.
pub struct Machine<'a> {
    library: Library,
    /// Statements that make variables, by name.
    objects: &'a HashMap<String, String>,
    variables: HashMap<String, Box<[u64; 32]>>,
    /// Arrays and texts of the case.
    arrays: Vec<Box<[u64]>>,
    texts: Vec<CString>,
}

/// Function for cases with callbacks.
extern "C" fn callback(_: u64, _: u32, _: u64) {}

impl<'a> Machine<'a> {
    /// Returns a machine without variables.
    pub fn new(library: Library, objects: &'a HashMap<String, String>) -> Machine<'a> {
        Machine {
            library,
            objects,
            variables: HashMap::new(),
            arrays: Vec::new(),
            texts: Vec::new(),
        }
    }

    /// Runs a case. The error says which statement has another result.
    pub fn run(&mut self, case: &str) -> Result<(), String> {
        parse(case)?
            .iter()
            .try_for_each(|statement| self.step(statement))
    }

    fn step(&mut self, statement: &Statement) -> Result<(), String> {
        match statement {
            Statement::Call {
                function,
                arguments,
                expected,
                on_thread,
            } => {
                let code = self.call(function, arguments, *on_thread)?;
                let found = self.library.name_of(code);
                if found == *expected {
                    return Ok(());
                }
                Err(format!("{function} returns {found}"))
            }
            Statement::Compare {
                variable,
                word,
                value,
            } => {
                let expected = self.one(value)?;
                let slot = self.variables.get(variable);
                let slot = slot.ok_or_else(|| format!("nothing fills {variable}"))?;
                let found = match word {
                    None => slot[0],
                    Some(word) => slot[word / 2] >> (32 * (word % 2)) & u64::from(u32::MAX),
                };
                if found == expected {
                    return Ok(());
                }
                Err(format!("{variable} is {found:#x}"))
            }
        }
    }

    fn call(&mut self, name: &str, arguments: &[Argument], on_thread: bool) -> Result<u32, String> {
        let address = self.library.address(name);
        let address = address.ok_or_else(|| format!("there is no function {name}"))?;
        let (mut registers, mut stack) = (Vec::new(), Vec::new());
        for argument in arguments {
            let words = self.words(argument)?;
            let in_memory = matches!(argument, Argument::Struct(_));
            if in_memory || registers.len() + words.len() > REGISTERS {
                stack.extend(words);
            } else {
                registers.extend(words);
            }
        }
        registers.resize(REGISTERS, 0);
        assert!(stack.len() <= WORDS, "{name} takes too many arguments");
        stack.resize(WORDS, 0);
        let words: [u64; WORDS] = stack.try_into().map_err(|_| "too many arguments")?;
        let call = move || {
            // SAFETY: an exported function of this name. The case passes what its header asks for, or what it must refuse without a look.
            unsafe {
                let function: Function = std::mem::transmute(address as *const c_void);
                let r = &registers;
                function(r[0], r[1], r[2], r[3], r[4], r[5], Stack(words))
            }
        };
        if on_thread {
            return std::thread::spawn(call)
                .join()
                .map_err(|_| "a panic".to_owned());
        }
        Ok(call())
    }

    fn variable(&mut self, name: &str) -> &mut [u64; 32] {
        self.variables
            .entry(name.to_owned())
            .or_insert_with(|| Box::new([0; 32]))
    }

    fn value(&mut self, name: &str) -> Result<u64, String> {
        if let Some(slot) = self.variables.get(name) {
            return Ok(slot[0]);
        }
        match name {
            "host" | "host2" => {
                self.arrays.push(vec![0; 1024].into());
                let address = self
                    .arrays
                    .last()
                    .map_or(0, |a| a.as_ptr().expose_provenance());
                self.variable(name)[0] = address as u64;
            }
            "code" => self.variable(name)[0] = CODE.as_ptr().expose_provenance() as u64,
            "callback" => self.variable(name)[0] = callback as *const () as u64,
            _ => {
                let made = self.objects.get(name);
                let made = made.ok_or_else(|| format!("there is no object {name}"))?;
                self.run(made).map_err(|error| format!("{name}: {error}"))?;
            }
        }
        Ok(self.variable(name)[0])
    }

    fn one(&mut self, argument: &Argument) -> Result<u64, String> {
        match self.words(argument)?.as_slice() {
            [word] => Ok(*word),
            _ => Err("a structure where a number is meant".to_owned()),
        }
    }

    fn words(&mut self, argument: &Argument) -> Result<Vec<u64>, String> {
        let mut all = |arguments: &[Argument]| -> Result<Vec<u64>, String> {
            arguments
                .iter()
                .map(|argument| self.one(argument))
                .collect()
        };
        Ok(match argument {
            Argument::Number(number) => vec![*number],
            Argument::Sum(terms) => vec![all(terms)?.iter().fold(0, |sum, n| sum.wrapping_add(*n))],
            Argument::Struct(words) => all(words)?,
            Argument::Dim(sizes) => match all(sizes)?.as_slice() {
                [x, y, z] => vec![x | y << 32, *z],
                _ => return Err("a dim3 has three sizes".to_owned()),
            },
            Argument::Array(bytes, elements) => {
                let elements = all(elements)?;
                let words: Box<[u64]> = match bytes {
                    8 => elements.into(),
                    _ => {
                        let low = |n: u64| n & u64::from(u32::MAX);
                        let pair = |pair: &[u64]| low(pair[0]) | pair.get(1).map_or(0, |n| n << 32);
                        // Structures may be longer than the fields that a case names.
                        let pairs = elements.chunks(2).map(pair);
                        pairs.chain([0; 16]).collect()
                    }
                };
                self.arrays.push(words);
                let array = self
                    .arrays
                    .last()
                    .map_or(0, |a| a.as_ptr().expose_provenance());
                vec![array as u64]
            }
            Argument::Text(text) => {
                self.texts
                    .push(CString::new(text.as_str()).map_err(|e| e.to_string())?);
                let text = self
                    .texts
                    .last()
                    .map_or(0, |t| t.as_ptr().expose_provenance());
                vec![text as u64]
            }
            Argument::Value(name) => vec![self.value(name)?],
            Argument::Address(name) => {
                let slot = self.variable(name).as_mut_ptr();
                vec![slot.expose_provenance() as u64]
            }
        })
    }
}
