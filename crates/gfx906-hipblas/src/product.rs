//! Products of matrices. Every function of levels 2 and 3 that multiplies is a product of matrices with strides for rows and columns: a
//! vector is a matrix with one column, and a transpose has its strides exchanged.

use crate::factor::Factor;
use crate::handle::{HandleSettings, settings};
use crate::hip::Address;
use crate::kernels;
use crate::kinds::{ElementType, Kinds};
use crate::matrix::{Matrix, Op, check_pointers, check_sizes, is_lower, is_right};
use crate::status::BlasResult;

/// Argument of the kernels: `Product` of `kernels/blas.hip`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
struct Argument {
    /// Addresses of a, b, c and d.
    at: [Address; 4],
    batch: [Address; 4],
    /// Distances from row to row and from column to column.
    steps: [[i64; 2]; 4],
    /// Distances from matrix to matrix.
    batch_steps: [i64; 4],
    factors_at: [Address; 2],
    factors: [[f64; 2]; 2],
    sizes: [i32; 3],
    triangle: i32,
    symmetric: i32,
    conjugate: i32,
}

/// Number of products, and the positions of their matrices.
#[derive(Clone, Copy, Debug)]
pub enum BatchLayout {
    /// One product.
    Single,
    /// Distances in elements between consecutive a, b, c and d, and the number of products.
    Strided([i64; 4], i32),
    /// Number of products; the addresses of a, b, c and d are those of lists of pointers.
    Pointers(i32),
}

impl BatchLayout {
    /// Returns the layout of products whose results replace c.
    pub fn in_place([a, b, c]: [i64; 3], count: i32) -> BatchLayout {
        BatchLayout::Strided([a, b, c, c], count)
    }

    /// Returns the number of products.
    fn count(self) -> i32 {
        match self {
            BatchLayout::Single => 1,
            BatchLayout::Strided(_, count) | BatchLayout::Pointers(count) => count,
        }
    }
}

/// Part of a matrix, as kernels number it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    All = 0,
    Upper = 1,
    Lower = 2,
}

impl Part {
    fn triangle(lower: bool) -> Part {
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

/// Product: d = alpha * a * b + beta * c. In most functions d is c.
#[derive(Clone, Copy, Debug)]
struct Product {
    kinds: Kinds,
    /// Rows of the result, columns of the result, length of the sums.
    sizes: [i32; 3],
    a: Matrix,
    b: Matrix,
    c: Matrix,
    d: Matrix,
    alpha: Factor,
    beta: Factor,
    batch: BatchLayout,
    /// Part of d that is written.
    written: Part,
    /// Part of a that is read, if a is symmetric.
    read: Part,
}

/// Greatest number of rows or columns of a result that is computed without tiles.
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
        let batch = match self.batch {
            BatchLayout::Strided([a, b, c, d], count) => BatchLayout::Strided([b, a, c, d], count),
            BatchLayout::Single | BatchLayout::Pointers(_) => self.batch,
        };
        Product {
            sizes: [n, m, k],
            a: self.b.transposed(),
            b: self.a.transposed(),
            c: self.c.transposed(),
            d: self.d.transposed(),
            batch,
            written: self.written.transposed(),
            ..self
        }
    }

    fn launch(self, settings: &HandleSettings) -> BlasResult {
        let [m, n, _] = self.sizes;
        if m.min(n) <= THIN {
            self.upright().launch_kernel("elements", settings)
        } else {
            self.launch_kernel("tiles", settings)
        }
    }

    /// Launches a kernel. The work-groups of `tiles` compute squares of the result; the others compute parts of columns.
    fn launch_kernel(self, kernel: &str, settings: &HandleSettings) -> BlasResult {
        let [m, n, _] = self.sizes;
        let count = self.batch.count();
        if m == 0 || n == 0 || count == 0 {
            return Ok(());
        }
        let matrices = [self.a, self.b, self.c, self.d];
        let at = matrices.map(|matrix| matrix.at);
        let (at, batch, batch_steps) = match self.batch {
            BatchLayout::Single => (at, [0; 4], [0; 4]),
            BatchLayout::Strided(steps, _) => (at, [0; 4], steps),
            BatchLayout::Pointers(_) => ([0; 4], at, [0; 4]),
        };
        let argument = Argument {
            at,
            batch,
            steps: matrices.map(|matrix| [matrix.row, matrix.col]),
            batch_steps,
            factors_at: [self.alpha.at, self.beta.at],
            factors: [self.alpha.value, self.beta.value],
            sizes: self.sizes,
            triangle: self.written as i32,
            symmetric: self.read as i32,
            conjugate: i32::from(self.a.conjugate) | i32::from(self.b.conjugate) << 1,
        };
        let tiles = |side: i32| side.cast_unsigned().div_ceil(TILE as u32);
        let (cols, group) = match kernel {
            "tiles" => (tiles(n), TILE_GROUP),
            _ => (n.cast_unsigned(), ELEMENTS_GROUP),
        };
        let grid = [tiles(m), cols, count.cast_unsigned()];
        let name = format!("{kernel}_{}", self.kinds.name);
        kernels::launch(&name, grid, group, settings.stream, &argument)
    }
}

/// Arguments of a product of two matrices: D = alpha * op(A) * op(B) + beta * C.
#[derive(Clone, Copy, Debug)]
pub struct Gemm {
    /// Operations on a and b.
    pub ops: [u32; 2],
    /// Rows of the result, columns of the result, length of the sums.
    pub sizes: [i32; 3],
    /// Pointers to alpha and beta.
    pub factors: [Address; 2],
    /// Addresses of a, b, c and d.
    pub at: [Address; 4],
    /// Distances from column to column of a, b, c and d.
    pub leading: [i32; 4],
}

/// Computes every product of a batch.
pub fn gemm(handle: Address, kinds: Kinds, call: &Gemm, batch: BatchLayout) -> BlasResult {
    let settings = settings(handle)?;
    let [op_a, op_b] = [Op::from_number(call.ops[0])?, Op::from_number(call.ops[1])?];
    let ([m, n, k], [a, b, c, d]) = (call.sizes, call.at);
    let count = batch.count();
    // A product with k = 0 still scales C.
    let has_elements = check_sizes(&[m, n, k, count])? || (m > 0 && n > 0 && count > 0);
    let a = Matrix::with_op(op_a, a, m, k, call.leading[0])?;
    let b = Matrix::with_op(op_b, b, k, n, call.leading[1])?;
    let c = Matrix::columns(c, m, call.leading[2])?;
    let d = Matrix::columns(d, m, call.leading[3])?;
    if !has_elements {
        return Ok(());
    }
    let [alpha, beta] = read_factors(&settings, call.factors, kinds.factor)?;
    check_pointers(&[d.at])?;
    if !beta.is_zero() {
        check_pointers(&[c.at])?;
    }
    if k > 0 && !alpha.is_zero() {
        check_pointers(&[a.at, b.at])?;
    }
    Product {
        kinds,
        sizes: call.sizes,
        a,
        b,
        c,
        d,
        alpha,
        beta,
        batch,
        written: Part::All,
        read: Part::All,
    }
    .launch(&settings)
}

/// Arguments of a sum of two matrices: C = alpha * op(A) + beta * op(B).
#[derive(Clone, Copy, Debug)]
pub struct Geam {
    /// Operations on a and b.
    pub ops: [u32; 2],
    /// Rows and columns of the result.
    pub sizes: [i32; 2],
    /// Pointers to alpha and beta.
    pub factors: [Address; 2],
    /// Addresses of a, b and c.
    pub at: [Address; 3],
    /// Distances from column to column of a, b and c.
    pub leading: [i32; 3],
}

/// Computes every sum of a batch.
pub fn geam(handle: Address, kinds: Kinds, call: &Geam, batch: BatchLayout) -> BlasResult {
    let settings = settings(handle)?;
    let [op_a, op_b] = [Op::from_number(call.ops[0])?, Op::from_number(call.ops[1])?];
    let ([m, n], [a, b, c]) = (call.sizes, call.at);
    let has_elements = check_sizes(&[m, n, batch.count()])?;
    let a = Matrix::with_op(op_a, a, m, n, call.leading[0])?;
    let b = Matrix::with_op(op_b, b, m, n, call.leading[1])?;
    let c = Matrix::columns(c, m, call.leading[2])?;
    if !has_elements {
        return Ok(());
    }
    let [alpha, beta] = read_factors(&settings, call.factors, kinds.factor)?;
    check_pointers(&[c.at])?;
    for (factor, matrix) in [(alpha, a), (beta, b)] {
        if !factor.is_zero() {
            check_pointers(&[matrix.at])?;
        }
    }
    Product {
        kinds,
        sizes: [m, n, 1],
        a,
        b,
        c,
        d: c,
        alpha,
        beta,
        batch,
        written: Part::All,
        read: Part::All,
    }
    .launch_kernel("sum", &settings)
}

/// Returns a single product whose matrices have one type.
fn single_product(
    kind: ElementType,
    sizes: [i32; 3],
    [a, b, c]: [Matrix; 3],
    factors: [Factor; 2],
) -> BlasResult<Product> {
    check_pointers(&[a.at, b.at, c.at])?;
    Ok(Product {
        kinds: Kinds::single_type(kind)?,
        sizes,
        a,
        b,
        c,
        d: c,
        alpha: factors[0],
        beta: factors[1],
        batch: BatchLayout::Single,
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
    let has_elements = check_sizes(&[rows, cols])?;
    let (m, k) = match op {
        Op::None => (rows, cols),
        Op::Transpose | Op::ConjugateTranspose => (cols, rows),
    };
    let matrix = Matrix::with_op(op, a.0, m, k, a.1)?;
    let x = Matrix::vector(x.0, k, x.1, kind.bytes())?;
    let y = Matrix::vector(y.0, m, y.1, kind.bytes())?;
    if !has_elements {
        return Ok(());
    }
    let factors = read_factors(&settings, factors, kind)?;
    single_product(kind, [m, 1, k], [matrix, x, y], factors)?.launch(&settings)
}

/// Reads alpha and beta.
fn read_factors(
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
    let read = Part::triangle(is_lower(fill)?);
    let has_elements = check_sizes(&[n])?;
    let matrix = Matrix::columns(a.0, n, a.1)?;
    let x = Matrix::vector(x.0, n, x.1, kind.bytes())?;
    let y = Matrix::vector(y.0, n, y.1, kind.bytes())?;
    if !has_elements {
        return Ok(());
    }
    let factors = read_factors(&settings, factors, kind)?;
    let product = single_product(kind, [n, 1, n], [matrix, x, y], factors)?;
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
    outer_product(handle, kind, [m, n], alpha, [x, y], a, Part::All)
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
    let written = Part::triangle(is_lower(fill)?);
    outer_product(handle, kind, [n, n], alpha, [x, x], a, written)
}

/// Computes A = alpha * x * y' + A in a part of A.
fn outer_product(
    handle: Address,
    kind: ElementType,
    [m, n]: [i32; 2],
    alpha: Address,
    [x, y]: [Vector; 2],
    a: (Address, i32),
    written: Part,
) -> BlasResult {
    let settings = settings(handle)?;
    let has_elements = check_sizes(&[m, n])?;
    let x = Matrix::vector(x.0, m, x.1, kind.bytes())?;
    let y = Matrix::vector(y.0, n, y.1, kind.bytes())?.transposed();
    let matrix = Matrix::columns(a.0, m, a.1)?;
    if !has_elements {
        return Ok(());
    }
    let alpha = Factor::read(&settings, alpha, kind)?;
    let product = single_product(kind, [m, n, 1], [x, y, matrix], [alpha, Factor::ONE])?;
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
    let (right, read) = (is_right(side)?, Part::triangle(is_lower(fill)?));
    let has_elements = check_sizes(&[m, n])?;
    let order = if right { n } else { m };
    let a = Matrix::columns(a.0, order, a.1)?;
    let b = Matrix::columns(b.0, m, b.1)?;
    let c = Matrix::columns(c.0, m, c.1)?;
    if !has_elements {
        return Ok(());
    }
    let factors = read_factors(&settings, factors, kind)?;
    let product = if right {
        // C' = A * B', since A is its own transpose.
        single_product(
            kind,
            [n, m, n],
            [a, b.transposed(), c.transposed()],
            factors,
        )?
    } else {
        single_product(kind, [m, n, m], [a, b, c], factors)?
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
    let (written, op) = (Part::triangle(is_lower(fill)?), Op::from_number(op)?);
    check_sizes(&[n, k])?;
    let a = Matrix::with_op(op, a.0, n, k, a.1)?;
    let c = Matrix::columns(c.0, n, c.1)?;
    if n == 0 {
        return Ok(());
    }
    let factors = read_factors(&settings, factors, kind)?;
    let product = single_product(kind, [n, n, k], [a, a.transposed(), c], factors)?;
    Product { written, ..product }.launch(&settings)
}
