//! Device memory, types of elements, random numbers.

use std::marker::PhantomData;

use gfx906_hipblas::api::{hipblasCreate, hipblasDestroy, hipblasSetPointerMode};
use half::{bf16, f16};

/// Calls an exported function.
macro_rules! call {
    ($function:ident($($argument:expr),* $(,)?)) => {
        // SAFETY: vectors and matrices have as many elements as the call says, and results have room.
        unsafe { $function($($argument),*) }
    };
}
pub(crate) use call;

unsafe extern "C" {
    fn hipMalloc(out: *mut u64, bytes: usize) -> u32;
    fn hipFree(address: u64) -> u32;
    fn hipMemcpy(to: u64, from: u64, bytes: usize, kind: u32) -> u32;
}

/// Values on the device.
pub struct Device<T> {
    pub at: u64,
    count: usize,
    kind: PhantomData<T>,
}

impl<T: Copy> Device<T> {
    pub fn copy_of(values: &[T]) -> Device<T> {
        let mut at = 0;
        let bytes = size_of_val(values);
        // SAFETY: `at` is valid for writes, and both sides have as many bytes.
        let codes = unsafe {
            [
                hipMalloc(&mut at, bytes),
                hipMemcpy(at, values.as_ptr() as u64, bytes, 4),
            ]
        };
        assert_eq!(codes, [0, 0]);
        Device {
            at,
            count: values.len(),
            kind: PhantomData,
        }
    }

    pub fn read_back(&self) -> Vec<T> {
        let mut values = Vec::with_capacity(self.count);
        let bytes = self.count * size_of::<T>();
        // SAFETY: the vector has room for all values, and all of them are written.
        unsafe {
            assert_eq!(hipMemcpy(values.as_mut_ptr() as u64, self.at, bytes, 4), 0);
            values.set_len(self.count);
        }
        values
    }
}

impl<T> Drop for Device<T> {
    fn drop(&mut self) {
        // SAFETY: the address comes from `hipMalloc`.
        unsafe { hipFree(self.at) };
    }
}

/// Handle of the library.
pub struct Blas(pub u64);

impl Blas {
    pub fn new() -> Blas {
        let mut handle = 0u64;
        // SAFETY: `handle` is valid for writes.
        assert_eq!(unsafe { hipblasCreate(&raw mut handle as u64) }, 0);
        Blas(handle)
    }

    pub fn factors_on_device(&self, yes: bool) {
        // SAFETY: the call has no pointers.
        assert_eq!(unsafe { hipblasSetPointerMode(self.0, yes.into()) }, 0);
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        // SAFETY: the call has no pointers.
        unsafe { hipblasDestroy(self.0) };
    }
}

/// Type of elements.
pub trait Element: Copy {
    /// Twice the largest relative error of a rounding.
    const EPSILON: f64;
    fn from_f64_value(value: f64) -> Self;
    fn wide(self) -> f64;
}

macro_rules! element {
    ($type:ty, $epsilon:expr, $of:expr, $wide:expr) => {
        impl Element for $type {
            const EPSILON: f64 = $epsilon;
            fn from_f64_value(value: f64) -> $type {
                $of(value)
            }
            fn wide(self) -> f64 {
                $wide(self)
            }
        }
    };
}

element!(f32, f32::EPSILON as f64, |v| v as f32, f64::from);
element!(f64, f64::EPSILON, |v| v, |v| v);
element!(f16, 1.0 / 1024.0, f16::from_f64, f16::to_f64);
element!(bf16, 1.0 / 128.0, bf16::from_f64, bf16::to_f64);

/// Generator xorshift64*.
pub struct Random(pub u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 11) % n
    }

    /// Returns a number from -1 to 1 in steps of 1/64, which every element type represents exactly.
    pub fn unit(&mut self) -> f64 {
        self.below(129) as f64 / 64.0 - 1.0
    }
}
