//! Functions of level 1: operations on each element, and reductions.

use crate::factor::Factor;
use crate::handle::settings;
use crate::hip::{self, Address, Scratch};
use crate::kernels;
use crate::kinds::ElementType;
use crate::matrix::{Matrix, check_pointers};
use crate::product::Vector;
use crate::status::{BlasResult, Status};

/// Argument of the kernels: `Vectors` of `kernels/blas.hip`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Argument {
    at: [Address; 2],
    alpha_at: Address,
    alpha: f64,
    result: Address,
    steps: [i64; 2],
    n: i32,
}

/// Work-items of a work-group.
const GROUP: u32 = 256;

/// Runs an operation on each element of one or two vectors: `axpy`, `scal`, `copy`, `swap`. An alpha at address 0 is unused.
pub fn map_elements(
    handle: Address,
    name: &str,
    kind: ElementType,
    n: i32,
    alpha: Address,
    x: Vector,
    y: Option<Vector>,
) -> BlasResult {
    let settings = settings(handle)?;
    // BLAS ignores a call on one vector whose step is not positive.
    let ignored = x.1 <= 0 && y.is_none();
    if n <= 0 || ignored {
        return Ok(());
    }
    let y = y.unwrap_or(x);
    check_pointers(&[x.0, y.0])?;
    let alpha = match (name, alpha) {
        ("copy" | "swap", _) => Factor::ONE,
        (_, at) => Factor::read(&settings, at, kind)?,
    };
    let x = Matrix::vector(x.0, n, x.1, kind.bytes())?;
    let y = Matrix::vector(y.0, n, y.1, kind.bytes())?;
    let argument = Argument {
        at: [x.at, y.at],
        alpha_at: alpha.at,
        alpha: alpha.value[0],
        result: 0,
        steps: [x.row, y.row],
        n,
    };
    let groups = n.cast_unsigned().div_ceil(GROUP);
    let name = format!("{name}_{}", kind.name());
    kernels::launch(&name, [groups, 1, 1], GROUP, settings.stream, &argument)
}

/// Reduces one or two vectors: `dot`, `asum`, `nrm2`, and the `int` of `amax` and `amin`.
pub fn reduce(
    handle: Address,
    name: &str,
    kind: ElementType,
    n: i32,
    x: Vector,
    y: Option<Vector>,
    result: Address,
) -> BlasResult {
    let settings = settings(handle)?;
    check_pointers(&[result])?;
    let bytes = match name {
        "amax" | "amin" => size_of::<i32>(),
        _ => kind.bytes(),
    };
    if n <= 0 || (x.1 <= 0 && y.is_none()) {
        if settings.on_device {
            return hip::zero(result, bytes, settings.stream);
        }
        return match bytes {
            8 => hip::store_host_value(result, 0.0f64),
            // An f32 of value 0 has the same bits.
            _ => hip::store_host_value(result, 0i32),
        };
    }
    let y = y.unwrap_or(x);
    check_pointers(&[x.0, y.0])?;
    let x = Matrix::vector(x.0, n, x.1, kind.bytes())?;
    let y = Matrix::vector(y.0, n, y.1, kind.bytes())?;
    let scratch = match settings.on_device {
        true => None,
        false => Some(Scratch::new(size_of::<f64>())?),
    };
    let at = scratch.as_ref().map_or(result, |scratch| scratch.0);
    let argument = Argument {
        at: [x.at, y.at],
        alpha_at: 0,
        alpha: 0.0,
        result: at,
        steps: [x.row, y.row],
        n,
    };
    let name = format!("{name}_{}", kind.name());
    kernels::launch(&name, [1, 1, 1], GROUP, settings.stream, &argument)?;
    if scratch.is_none() {
        return Ok(());
    }
    hip::copy(result, at, bytes, settings.stream).map_err(|_| Status::ExecutionFailed)?;
    hip::wait(settings.stream)
}
