//! What crosses the C boundary: pointers of the caller's, each null or good for what its type says.
//!
//! A value of these types exists because a caller of an exported function passed it, and such a caller vouches for its pointers as in
//! C: that is the invariant that the `unsafe` blocks here rest on. Nothing else in the crate touches the caller's memory, but for
//! the words that kernels share with it (`calls/memory/host.rs`).

use std::ffi::{CStr, c_char};

use crate::card::FIRST_ADDRESS;
use crate::error::{HipError, Outcome};

/// A device or host address, or a handle: never looked behind without a check.
pub type Address = u64;

/// The first page is never mapped: pointers there are null pointers with an offset.
const FIRST_PAGE: u64 = 4096;

/// Where a result goes: null, or a place for a `T`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(*mut T);

/// Where arguments are read: null, or one or more `T`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct In<T>(*const T);

/// A string: null, or with a NUL at its end.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

/// A function of the caller's: null, or one that takes what its type says.
pub type Callback<F> = Option<F>;

impl<T: Copy> Out<T> {
    /// A place of the caller's.
    ///
    /// # Safety
    /// Null, or good for writes of a `T` for as long as the value is used.
    pub unsafe fn at(place: *mut T) -> Out<T> {
        Out(place)
    }

    /// The same place, for another type: of functions whose structures differ between versions of HIP.
    pub fn cast<U: Copy>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// Whether there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// That there is a place.
    pub fn required(self) -> Outcome<Out<T>> {
        if self.is_null() {
            return Err(HipError::InvalidValue);
        }
        Ok(self)
    }

    /// Stores a result, or says that there is no place for it.
    pub fn put(self, value: T) -> Outcome {
        self.put_at(0, value)
    }

    /// Stores the result `index` of several.
    pub fn put_at(self, index: usize, value: T) -> Outcome {
        self.required()?;
        // SAFETY: not null, so the caller vouches for it (see the module).
        unsafe { self.0.add(index).write_unaligned(value) };
        Ok(())
    }

    /// What is there.
    pub fn get(self) -> Outcome<T> {
        self.required()?;
        // SAFETY: not null, so the caller vouches for it (see the module).
        Ok(unsafe { self.0.read_unaligned() })
    }
}

impl<T: Copy> In<T> {
    /// Arguments of the caller's.
    ///
    /// # Safety
    /// Null, or good for reads for as long as the value is used.
    pub unsafe fn at(place: *const T) -> In<T> {
        In(place)
    }

    /// No arguments.
    pub fn null() -> In<T> {
        In(std::ptr::null())
    }

    /// Arguments of our own; they must outlive the value.
    pub(crate) fn of(values: &[T]) -> In<T> {
        In(values.as_ptr())
    }

    /// Whether there are none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The first.
    pub fn get(self) -> Outcome<T> {
        self.nth(0)
    }

    /// The one at an index: the caller has as many.
    pub fn nth(self, index: usize) -> Outcome<T> {
        if self.is_null() {
            return Err(HipError::InvalidValue);
        }
        // SAFETY: not null, so the caller vouches for it (see the module).
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }
}

impl Text {
    /// A string of the caller's.
    ///
    /// # Safety
    /// Null, or a string with a NUL at its end for as long as the value is used.
    pub unsafe fn at(text: *const c_char) -> Text {
        Text(text)
    }

    /// A string of ours, for a caller.
    pub fn of(text: &'static CStr) -> Text {
        Text(text.as_ptr())
    }

    /// A string that stays for good.
    pub fn leak(text: &str) -> Text {
        let text = std::ffi::CString::new(text).unwrap_or_default();
        Text(text.into_raw())
    }

    /// No string.
    pub fn null() -> Text {
        Text(std::ptr::null())
    }

    /// The text, with what is not UTF-8 replaced.
    pub fn get(self) -> Outcome<String> {
        if self.0.is_null() {
            return Err(HipError::InvalidValue);
        }
        // SAFETY: not null, so the caller vouches for it (see the module).
        let text = unsafe { CStr::from_ptr(self.0) };
        Ok(text.to_string_lossy().into_owned())
    }
}

/// Checks that host memory could be there: not null, no device address.
fn plausible(address: Address, bytes: usize) -> Outcome {
    let end = address.checked_add(bytes as u64);
    if address < FIRST_PAGE || end.is_none_or(|end| end > FIRST_ADDRESS) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

/// Host memory of the caller's, to be read.
pub fn host_bytes<'a>(address: Address, bytes: usize) -> Outcome<&'a [u8]> {
    plausible(address, bytes)?;
    // SAFETY: the caller says that so many bytes are there, and does not write them meanwhile (see the module).
    Ok(unsafe {
        std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), bytes)
    })
}

/// Copies into host memory of the caller's.
pub fn put_bytes(address: Address, data: &[u8]) -> Outcome {
    move_bytes(address, data.as_ptr() as Address, data.len())
}

/// Moves bytes between host memory of the caller's, which may overlap.
pub fn move_bytes(to: Address, from: Address, bytes: usize) -> Outcome {
    plausible(to, bytes)?;
    plausible(from, bytes)?;
    let from: *const u8 = std::ptr::with_exposed_provenance(from as usize);
    let to: *mut u8 = std::ptr::with_exposed_provenance_mut(to as usize);
    // SAFETY: the caller says that so many bytes are in both places (see the module).
    unsafe { std::ptr::copy(from, to, bytes) };
    Ok(())
}

/// A value in host memory of the caller's.
pub fn host_value<T: Copy>(address: Address) -> Outcome<T> {
    plausible(address, size_of::<T>())?;
    In(std::ptr::with_exposed_provenance::<T>(address as usize)).get()
}
