//! Products of matrices. Every function of levels 2 and 3 that multiplies is such a product, by its distances between elements.

use crate::factor::Factor;
use crate::handle::{HandleSettings, settings};
use crate::hip::Address;
use crate::kernels;
use crate::kinds::{ElementType, Kinds};
use crate::matrix::{Matrix, Op, check_pointers, is_lower, is_right, sizes};
use crate::status::{BlasResult, Status};

/// Argument of the kernels: `Product` of `kernels/blas.hip`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Argument {
    at: [Address; 3],
    batch: [Address; 3],
    /// Distances from row to row and from column to column, of a, b, c.
    steps: [[i64; 2]; 3],
    /// Distances from matrix to matrix.
    batch_steps: [i64; 3],
    factors_at: [Address; 2],
    factors: [f64; 2],
    sizes: [i32; 3],
    triangle: i32,
    symmetric: i32,
}

/// Number of products, and the place of the next matrices.
#[derive(Clone, Copy, Debug)]
pub enum BatchLayout {
    /// One product.
    One,
    /// Matrices that are a distance in elements apart, and their number.
    Apart([i64; 3], i32),
    /// Lists of pointers to matrices, and their number.
    Listed(i32),
}

/// Part of a matrix, as kernels number it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    All = 0,
    Upper = 1,
    Lower = 2,
}

impl Part {
    fn of(lower: bool) -> Part {
        if lower { Part::Lower } else { Part::Upper }
    }

    fn transposed(self) -> Part {
        match self {
            Part::All => Part::All,
            Part::Upper => Part::Lower,
            Part::Lower => Part::Upper,
        }
    }
}

/// Product: c = alpha * a * b + beta * c.
#[derive(Clone, Copy, Debug)]
struct Product {
    kinds: Kinds,
    /// Rows of the result, columns of the result, length of the sums.
    sizes: [i32; 3],
    a: Matrix,
    b: Matrix,
    c: Matrix,
    alpha: Factor,
    beta: Factor,
    many: BatchLayout,
    /// Part of c that is written.
    written: Part,
    /// Part of a that is read, if a is symmetric.
    read: Part,
}

/// Greatest side of a result that is computed without tiles.
const THIN: i32 = 8;
/// Side of a tile, and the work-items of a work-group for a tile and for single elements.
const TILE: i32 = 64;
const TILE_GROUP: u32 = 256;
const ELEMENTS_GROUP: u32 = 64;

impl Product {
    /// Transposes a product whose result has more columns than rows. A product with a symmetric a stays, as only the left factor can be
    /// symmetric.
    fn upright(self) -> Product {
        let [m, n, k] = self.sizes;
        if m >= n || self.read != Part::All {
            return self;
        }
        let many = match self.many {
            BatchLayout::Apart([a, b, c], count) => BatchLayout::Apart([b, a, c], count),
            other => other,
        };
        Product {
            sizes: [n, m, k],
            a: self.b.transposed(),
            b: self.a.transposed(),
            c: self.c.transposed(),
            many,
            written: self.written.transposed(),
            ..self
        }
    }

    fn launch(self, settings: &HandleSettings) -> BlasResult {
        let [m, n, _] = self.sizes;
        let (count, apart, listed) = match self.many {
            BatchLayout::One => (1, [0; 3], false),
            BatchLayout::Apart(steps, count) => (count, steps, false),
            BatchLayout::Listed(count) => (count, [0; 3], true),
        };
        if m == 0 || n == 0 || count == 0 {
            return Ok(());
        }
        let thin = m.min(n) <= THIN;
        let product = if thin { self.upright() } else { self };
        let [m, n, _] = product.sizes;
        let of = |matrix: Matrix| [matrix.row, matrix.col];
        let at = [product.a.at, product.b.at, product.c.at];
        let batch_steps = match product.many {
            BatchLayout::Apart(steps, _) => steps,
            _ => apart,
        };
        let argument = Argument {
            at: if listed { [0; 3] } else { at },
            batch: if listed { at } else { [0; 3] },
            steps: [of(product.a), of(product.b), of(product.c)],
            batch_steps,
            factors_at: [product.alpha.at, product.beta.at],
            factors: [product.alpha.value, product.beta.value],
            sizes: product.sizes,
            triangle: product.written as i32,
            symmetric: product.read as i32,
        };
        let tiles = |side: i32| side.cast_unsigned().div_ceil(TILE as u32);
        let (kind, grid, group) = if thin {
            (
                "elements",
                [tiles(m), n as u32, count as u32],
                ELEMENTS_GROUP,
            )
        } else {
            ("tiles", [tiles(m), tiles(n), count as u32], TILE_GROUP)
        };
        let name = format!("{kind}_{}", product.kinds.name);
        kernels::launch(&name, grid, group, settings.stream, &argument)
    }
}

/// Arguments of a product of two matrices.
#[derive(Clone, Copy, Debug)]
pub struct Gemm {
    /// Operations on a and b.
    pub ops: [u32; 2],
    /// Rows of the result, columns of the result, length of the sums.
    pub sizes: [i32; 3],
    /// Pointers to alpha and beta.
    pub factors: [Address; 2],
    /// Addresses of a, b and c.
    pub at: [Address; 3],
    /// Distances from column to column of a, b and c.
    pub leading: [i32; 3],
}

pub fn gemm(handle: Address, kinds: Kinds, call: &Gemm, many: BatchLayout) -> BlasResult {
    let settings = settings(handle)?;
    let [op_a, op_b] = [Op::from_number(call.ops[0])?, Op::from_number(call.ops[1])?];
    let ([m, n, k], [a, b, c]) = (call.sizes, call.at);
    let count = match many {
        BatchLayout::One => 1,
        BatchLayout::Apart(_, count) | BatchLayout::Listed(count) => count,
    };
    let some = sizes(&[m, n, k, count])? || (m > 0 && n > 0 && count > 0);
    let a = Matrix::with_op(op_a, a, m, k, call.leading[0])?;
    let b = Matrix::with_op(op_b, b, k, n, call.leading[1])?;
    let c = Matrix::columns(c, m, call.leading[2])?;
    if !some {
        return Ok(());
    }
    let [alpha, beta] = call.factors;
    let alpha = Factor::read(&settings, alpha, kinds.factor)?;
    let beta = Factor::read(&settings, beta, kinds.factor)?;
    check_pointers(&[c.at])?;
    if k > 0 && alpha != (Factor { at: 0, value: 0.0 }) {
        check_pointers(&[a.at, b.at])?;
    }
    Product {
        kinds,
        sizes: call.sizes,
        a,
        b,
        c,
        alpha,
        beta,
        many,
        written: Part::All,
        read: Part::All,
    }
    .launch(&settings)
}

/// Computes a single product whose matrices have one type.
fn plain(
    kind: ElementType,
    sizes: [i32; 3],
    [a, b, c]: [Matrix; 3],
    factors: [Factor; 2],
) -> BlasResult<Product> {
    check_pointers(&[a.at, b.at, c.at])?;
    Ok(Product {
        kinds: Kinds::plain(kind)?,
        sizes,
        a,
        b,
        c,
        alpha: factors[0],
        beta: factors[1],
        many: BatchLayout::One,
        written: Part::All,
        read: Part::All,
    })
}

/// Vector: address of the first element, and distance.
pub type Vector = (Address, i32);

/// Computes y = alpha * op(A) * x + beta * y.
#[expect(clippy::too_many_arguments, reason = "BLAS's signature")]
pub fn gemv(
    handle: Address,
    kind: ElementType,
    op: u32,
    rows: i32,
    cols: i32,
    factors: [Address; 2],
    a: (Address, i32),
    x: Vector,
    y: Vector,
) -> BlasResult {
    let settings = settings(handle)?;
    let op = Op::from_number(op)?;
    let some = sizes(&[rows, cols])?;
    let (m, k) = match op {
        Op::None => (rows, cols),
        Op::Transpose => (cols, rows),
    };
    let matrix = Matrix::with_op(op, a.0, m, k, a.1)?;
    let x = Matrix::vector(x.0, k, x.1, kind.bytes())?;
    let y = Matrix::vector(y.0, m, y.1, kind.bytes())?;
    if !some {
        return Ok(());
    }
    let factors = both(&settings, factors, kind)?;
    plain(kind, [m, 1, k], [matrix, x, y], factors)?.launch(&settings)
}

fn both(
    settings: &HandleSettings,
    factors: [Address; 2],
    kind: ElementType,
) -> BlasResult<[Factor; 2]> {
    let [alpha, beta] = factors;
    Ok([
        Factor::read(settings, alpha, kind)?,
        Factor::read(settings, beta, kind)?,
    ])
}

/// Computes y = alpha * A * x + beta * y for a symmetric A.
#[expect(clippy::too_many_arguments, reason = "BLAS's signature")]
pub fn symv(
    handle: Address,
    kind: ElementType,
    fill: u32,
    n: i32,
    factors: [Address; 2],
    a: (Address, i32),
    x: Vector,
    y: Vector,
) -> BlasResult {
    let settings = settings(handle)?;
    let read = Part::of(is_lower(fill)?);
    let some = sizes(&[n])?;
    let matrix = Matrix::columns(a.0, n, a.1)?;
    let x = Matrix::vector(x.0, n, x.1, kind.bytes())?;
    let y = Matrix::vector(y.0, n, y.1, kind.bytes())?;
    if !some {
        return Ok(());
    }
    let factors = both(&settings, factors, kind)?;
    let product = plain(kind, [n, 1, n], [matrix, x, y], factors)?;
    Product { read, ..product }.launch(&settings)
}

/// Computes A = alpha * x * y' + A.
#[expect(clippy::too_many_arguments, reason = "BLAS's signature")]
pub fn ger(
    handle: Address,
    kind: ElementType,
    m: i32,
    n: i32,
    alpha: Address,
    x: Vector,
    y: Vector,
    a: (Address, i32),
) -> BlasResult {
    outer(handle, kind, [m, n], alpha, [x, y], a, Part::All)
}

/// Computes A = alpha * x * x' + A in a triangle.
pub fn syr(
    handle: Address,
    kind: ElementType,
    fill: u32,
    n: i32,
    alpha: Address,
    x: Vector,
    a: (Address, i32),
) -> BlasResult {
    let written = Part::of(is_lower(fill)?);
    outer(handle, kind, [n, n], alpha, [x, x], a, written)
}

fn outer(
    handle: Address,
    kind: ElementType,
    [m, n]: [i32; 2],
    alpha: Address,
    [x, y]: [Vector; 2],
    a: (Address, i32),
    written: Part,
) -> BlasResult {
    let settings = settings(handle)?;
    let some = sizes(&[m, n])?;
    let x = Matrix::vector(x.0, m, x.1, kind.bytes())?;
    let y = Matrix::vector(y.0, n, y.1, kind.bytes())?.transposed();
    let matrix = Matrix::columns(a.0, m, a.1)?;
    if !some {
        return Ok(());
    }
    let alpha = Factor::read(&settings, alpha, kind)?;
    let product = plain(kind, [m, n, 1], [x, y, matrix], [alpha, Factor::ONE])?;
    Product { written, ..product }.launch(&settings)
}

/// Computes C = alpha * A * B + beta * C, or the same with B * A, for a symmetric A.
#[expect(clippy::too_many_arguments, reason = "BLAS's signature")]
pub fn symm(
    handle: Address,
    kind: ElementType,
    side: u32,
    fill: u32,
    m: i32,
    n: i32,
    factors: [Address; 2],
    a: (Address, i32),
    b: (Address, i32),
    c: (Address, i32),
) -> BlasResult {
    let settings = settings(handle)?;
    let (right, read) = (is_right(side)?, Part::of(is_lower(fill)?));
    let some = sizes(&[m, n])?;
    let order = if right { n } else { m };
    let a = Matrix::columns(a.0, order, a.1)?;
    let b = Matrix::columns(b.0, m, b.1)?;
    let c = Matrix::columns(c.0, m, c.1)?;
    if !some {
        return Ok(());
    }
    let factors = both(&settings, factors, kind)?;
    let product = if right {
        // C' = A * B', since A is its own transpose.
        plain(
            kind,
            [n, m, n],
            [a, b.transposed(), c.transposed()],
            factors,
        )?
    } else {
        plain(kind, [m, n, m], [a, b, c], factors)?
    };
    Product { read, ..product }.launch(&settings)
}

/// Computes C = alpha * op(A) * op(A)' + beta * C in a triangle.
#[expect(clippy::too_many_arguments, reason = "BLAS's signature")]
pub fn syrk(
    handle: Address,
    kind: ElementType,
    fill: u32,
    op: u32,
    n: i32,
    k: i32,
    factors: [Address; 2],
    a: (Address, i32),
    c: (Address, i32),
) -> BlasResult {
    let settings = settings(handle)?;
    let (written, op) = (Part::of(is_lower(fill)?), Op::from_number(op)?);
    if sizes(&[n, k]).is_err() {
        return Err(Status::InvalidValue);
    }
    let a = Matrix::with_op(op, a.0, n, k, a.1)?;
    let c = Matrix::columns(c.0, n, c.1)?;
    if n == 0 {
        return Ok(());
    }
    let factors = both(&settings, factors, kind)?;
    let product = plain(kind, [n, n, k], [a, a.transposed(), c], factors)?;
    Product { written, ..product }.launch(&settings)
}
