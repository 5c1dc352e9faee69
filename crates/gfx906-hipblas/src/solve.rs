//! Triangular systems.

use crate::factor::Factor;
use crate::handle::settings;
use crate::hip::Address;
use crate::kernels;
use crate::kinds::ElementType;
use crate::matrix::{Matrix, Op, check_pointers, check_sizes, is_lower, is_right, is_unit};
use crate::status::BlasResult;

/// Argument of the kernels: `Solve` of `kernels/blas.hip`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Argument {
    at: [Address; 2],
    batch: [Address; 2],
    /// Distances from row to row and from column to column, of a and b.
    steps: [[i64; 2]; 2],
    alpha_at: Address,
    alpha: f64,
    /// Number of equations, number of right sides.
    sizes: [i32; 2],
    lower: i32,
    unit: i32,
}

/// Work-items of a work-group. Each work-item solves for one right side.
const GROUP: u32 = 64;

/// Arguments of a triangular system.
#[derive(Clone, Copy, Debug)]
pub struct Trsm {
    /// `hipblasSideMode_t`.
    pub side: u32,
    /// `hipblasFillMode_t`.
    pub fill: u32,
    /// `hipblasOperation_t`.
    pub op: u32,
    /// `hipblasDiagType_t`.
    pub diagonal: u32,
    /// Rows and columns of b.
    pub sizes: [i32; 2],
}

/// Number of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Systems {
    /// One system.
    Single,
    /// Number of systems; the addresses of a and b are those of lists of pointers.
    Pointers(i32),
}

/// Solves op(A) * X = alpha * B, or X * op(A) = alpha * B. X replaces B.
pub fn trsm(
    handle: Address,
    kind: ElementType,
    call: &Trsm,
    alpha: Address,
    a: (Address, i32),
    b: (Address, i32),
    systems: Systems,
) -> BlasResult {
    let [m, n] = call.sizes;
    let b = Matrix::columns(b.0, m, b.1);
    let right = is_right(call.side)?;
    let b = if right { b?.transposed() } else { b? };
    let counts = if right { [n, m] } else { [m, n] };
    triangular(handle, kind, call, right, counts, alpha, a, b, systems)
}

/// Solves op(A) * x = b. x replaces b.
#[expect(clippy::too_many_arguments, reason = "BLAS's signature")]
pub fn trsv(
    handle: Address,
    kind: ElementType,
    fill: u32,
    op: u32,
    diagonal: u32,
    n: i32,
    a: (Address, i32),
    x: (Address, i32),
) -> BlasResult {
    let call = Trsm {
        side: 141,
        fill,
        op,
        diagonal,
        sizes: [n, 1],
    };
    let b = Matrix::vector(x.0, n, x.1, kind.bytes())?;
    triangular(handle, kind, &call, false, [n, 1], 0, a, b, Systems::Single)
}

/// Solves a system whose right sides are columns. An alpha at address 0 stands for 1.
#[expect(clippy::too_many_arguments, reason = "the arguments of trsm and trsv")]
fn triangular(
    handle: Address,
    kind: ElementType,
    call: &Trsm,
    right: bool,
    counts: [i32; 2],
    alpha: Address,
    a: (Address, i32),
    b: Matrix,
    systems: Systems,
) -> BlasResult {
    let settings = settings(handle)?;
    let (lower, unit, op) = (
        is_lower(call.fill)?,
        is_unit(call.diagonal)?,
        Op::from_number(call.op)?,
    );
    let count = match systems {
        Systems::Single => 1,
        Systems::Pointers(count) => count,
    };
    let has_elements = check_sizes(&counts)? & check_sizes(&[count])?;
    let stored = Matrix::columns(a.0, counts[0], a.1)?;
    if !has_elements {
        return Ok(());
    }
    // X * op(A) = B is equivalent to op(A)' * X' = B'.
    let transposed = right != (op != Op::None);
    let a = if transposed {
        stored.transposed()
    } else {
        stored
    };
    let alpha = match alpha {
        0 if b.col == 0 => Factor::ONE,
        at => Factor::read(&settings, at, kind)?,
    };
    check_pointers(&[a.at, b.at])?;
    let at = [a.at, b.at];
    let by_pointers = systems != Systems::Single;
    let argument = Argument {
        at: if by_pointers { [0; 2] } else { at },
        batch: if by_pointers { at } else { [0; 2] },
        steps: [[a.row, a.col], [b.row, b.col]],
        alpha_at: alpha.at,
        alpha: alpha.value[0],
        sizes: counts,
        lower: (lower != transposed) as i32,
        unit: unit as i32,
    };
    let groups = counts[1].cast_unsigned().div_ceil(GROUP);
    let name = format!("solve_{}", kind.name());
    let grid = [groups, 1, count.cast_unsigned()];
    kernels::launch(&name, grid, GROUP, settings.stream, &argument)
}
