//! Types for pointers that cross the C boundary. Each is null, or good for the accesses that its type names.
//!
//! A value of these types comes from the caller of an exported function, who vouches for its pointers as in C. The `unsafe` blocks of this
//! file rest on that invariant. No other code of the crate touches the caller's memory, except for the words that kernels share with it
//! (`calls/memory/host.rs`).

use std::ffi::{CStr, c_char};

use crate::card::FIRST_ADDRESS;
use crate::error::{HipError, HipResult};

/// Device address, host address or handle. No code dereferences it without a check.
pub type Address = u64;

/// Size of the first page, which is never mapped: pointers into it are null pointers with an offset.
const FIRST_PAGE: u64 = 4096;

/// Destination of a result: null, or a place for a `T`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Out<T>(*mut T);

/// Source of arguments: null, or one or more `T`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct In<T>(*const T);

/// C string: null, or with a NUL at its end.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct Text(*const c_char);

/// A function of the caller's, or null. It takes the arguments of its type.
pub type Callback<F> = Option<F>;

impl<T: Copy> Out<T> {
    /// Wraps a pointer of the caller's.
    ///
    /// # Safety
    /// Null, or good for writes of a `T` for as long as the value is used.
    pub unsafe fn at(place: *mut T) -> Out<T> {
        Out(place)
    }

    /// Returns the same place for another type. Functions whose structures differ between versions of HIP use this.
    pub fn cast<U: Copy>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// Returns true for a null pointer.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Fails for a null pointer.
    pub fn required(self) -> HipResult<Out<T>> {
        if self.is_null() {
            return Err(HipError::InvalidValue);
        }
        Ok(self)
    }

    /// Stores a result. Fails for a null pointer.
    pub fn put(self, value: T) -> HipResult {
        self.put_at(0, value)
    }

    /// Stores a result. A null pointer asks for none.
    pub fn put_unless_null(self, value: T) -> HipResult {
        if self.is_null() {
            return Ok(());
        }
        self.put(value)
    }

    /// Stores element `index` of several results.
    pub fn put_at(self, index: usize, value: T) -> HipResult {
        self.required()?;
        // SAFETY: not null, so the caller vouches for it (see the module).
        unsafe { self.0.add(index).write_unaligned(value) };
        Ok(())
    }

    /// Reads the current value.
    pub fn get(self) -> HipResult<T> {
        self.required()?;
        // SAFETY: not null, so the caller vouches for it (see the module).
        Ok(unsafe { self.0.read_unaligned() })
    }
}

impl<T: Copy> In<T> {
    /// Wraps a pointer to arguments of the caller's.
    ///
    /// # Safety
    /// Null, or good for reads for as long as the value is used.
    pub unsafe fn at(place: *const T) -> In<T> {
        In(place)
    }

    /// Returns a null pointer.
    pub fn null() -> In<T> {
        In(std::ptr::null())
    }

    /// Wraps arguments of this crate, which must outlive the value.
    pub(crate) fn from_slice(values: &[T]) -> In<T> {
        In(values.as_ptr())
    }

    /// Returns true for a null pointer.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Reads the first element.
    pub fn get(self) -> HipResult<T> {
        self.nth(0)
    }

    /// Reads the element at an index, which must be below the caller's count.
    pub fn nth(self, index: usize) -> HipResult<T> {
        if self.is_null() {
            return Err(HipError::InvalidValue);
        }
        // SAFETY: not null, so the caller vouches for it (see the module).
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }
}

impl Text {
    /// Wraps a string of the caller's.
    ///
    /// # Safety
    /// Null, or a string with a NUL at its end for as long as the value is used.
    pub unsafe fn at(text: *const c_char) -> Text {
        Text(text)
    }

    /// Wraps a string of this crate for the caller.
    pub fn from_static(text: &'static CStr) -> Text {
        Text(text.as_ptr())
    }

    /// Allocates a string that is never freed.
    pub fn leak(text: &str) -> Text {
        let text = std::ffi::CString::new(text).unwrap_or_default();
        Text(text.into_raw())
    }

    /// Returns a null string.
    pub fn null() -> Text {
        Text(std::ptr::null())
    }

    /// Reads the text. Bytes that are not UTF-8 are replaced.
    pub fn get(self) -> HipResult<String> {
        if self.0.is_null() {
            return Err(HipError::InvalidValue);
        }
        // SAFETY: not null, so the caller vouches for it (see the module).
        let text = unsafe { CStr::from_ptr(self.0) };
        Ok(text.to_string_lossy().into_owned())
    }
}

/// Checks that host memory can be at an address: the address is neither null nor of the device.
fn plausible(address: Address, bytes: usize) -> HipResult {
    let end = address.checked_add(bytes as u64);
    if address < FIRST_PAGE || end.is_none_or(|end| end > FIRST_ADDRESS) {
        return Err(HipError::InvalidValue);
    }
    Ok(())
}

/// Returns host memory of the caller's for reading.
pub fn host_bytes<'a>(address: Address, bytes: usize) -> HipResult<&'a [u8]> {
    plausible(address, bytes)?;
    // SAFETY: the caller vouches for `bytes` bytes there, and does not write them meanwhile (see the module).
    Ok(unsafe {
        std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address as usize), bytes)
    })
}

/// Copies into host memory of the caller's.
pub fn put_bytes(address: Address, data: &[u8]) -> HipResult {
    move_bytes(address, data.as_ptr() as Address, data.len())
}

/// Copies between two ranges of the caller's host memory, which may overlap.
pub fn move_bytes(to: Address, from: Address, bytes: usize) -> HipResult {
    plausible(to, bytes)?;
    plausible(from, bytes)?;
    let from: *const u8 = std::ptr::with_exposed_provenance(from as usize);
    let to: *mut u8 = std::ptr::with_exposed_provenance_mut(to as usize);
    // SAFETY: the caller vouches for `bytes` bytes in both places (see the module).
    unsafe { std::ptr::copy(from, to, bytes) };
    Ok(())
}

/// Reads a value from host memory of the caller's.
pub fn host_value<T: Copy>(address: Address) -> HipResult<T> {
    plausible(address, size_of::<T>())?;
    In(std::ptr::with_exposed_provenance::<T>(address as usize)).get()
}
