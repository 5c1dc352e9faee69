// The kernels behind libhipblas.so and librocblas.so. `scripts/build-blas.sh` makes kernels/blas.co of them.
//
// Every matrix has a stride for its rows and one for its columns, so that transposes and vectors need nothing of their own. Sums of f16 and
// bf16 are f32; what is written is rounded once.
#include <hip/hip_runtime.h>

// The structures are those of src/product.rs, src/solve.rs and src/level1.rs, field by field.
struct Product {
    const void *a, *b, *c;
    void* d;
    // Pointers of a batch, or null: then the matrices lie `*_batch` elements apart.
    const void *const *as, *const *bs, *const *cs;
    void* const* ds;
    long long a_row, a_col, b_row, b_col, c_row, c_col, d_row, d_col, a_batch, b_batch, c_batch, d_batch;
    // Addresses of the factors on the device, or null: then the values below count. The second value is the imaginary part.
    const void *alpha_at, *beta_at;
    double alpha[2], beta[2];
    int m, n, k;
    // Part of d that is written: 0 all, 1 the upper triangle, 2 the lower.
    int triangle;
    // Part of a that is read: 0 all, 1 the upper triangle of a symmetric matrix, 2 the lower.
    int symmetric;
    // Matrices whose elements are conjugated: 1 a, 2 b.
    int conjugate;
};

struct Solve {
    const void* a;
    void* b;
    const void* const* as;
    void* const* bs;
    long long a_row, a_col, b_row, b_col;
    const void* alpha_at;
    double alpha;
    int order, count, lower, unit;
};

struct Vectors {
    void *x, *y;
    const void* alpha_at;
    double alpha;
    void* result;
    long long x_step, y_step;
    int n;
};

struct bf16 {
    unsigned short bits;
};

template <class R>
struct Complex {
    R re, im;
    Complex() = default;
    __device__ explicit Complex(R re, R im = R(0)) : re(re), im(im) {}
    __device__ bool operator==(const Complex& b) const { return re == b.re && im == b.im; }
    __device__ bool operator!=(const Complex& b) const { return !(*this == b); }
};
using c32 = Complex<float>;
using c64 = Complex<double>;

// a * b + c.
template <class T>
__device__ T multiply_add(T a, T b, T c) {
    return fma(a, b, c);
}
template <>
__device__ int multiply_add(int a, int b, int c) {
    return int(unsigned(a) * unsigned(b) + unsigned(c));
}
template <class R>
__device__ Complex<R> multiply_add(Complex<R> a, Complex<R> b, Complex<R> c) {
    return Complex<R>(fma(-a.im, b.im, fma(a.re, b.re, c.re)), fma(a.im, b.re, fma(a.re, b.im, c.im)));
}

template <class R>
__device__ Complex<R> operator*(Complex<R> a, Complex<R> b) {
    return Complex<R>(fma(-a.im, b.im, a.re * b.re), fma(a.im, b.re, a.re * b.im));
}

template <class T>
__device__ T conjugated(T v) {
    return v;
}
template <class R>
__device__ Complex<R> conjugated(Complex<R> v) {
    return Complex<R>(v.re, -v.im);
}

template <class T>
struct Number {
    static __device__ T of(const double* value) { return T(value[0]); }
};
template <class R>
struct Number<Complex<R>> {
    static __device__ Complex<R> of(const double* value) { return Complex<R>(R(value[0]), R(value[1])); }
};

template <class T, class V>
__device__ T widen(V v) {
    return T(v);
}
template <>
__device__ float widen<float, bf16>(bf16 v) {
    return __uint_as_float(unsigned(v.bits) << 16);
}
template <class V, class T>
__device__ V narrow(T v) {
    return V(v);
}
template <>
__device__ bf16 narrow<bf16, float>(float v) {
    unsigned bits = __float_as_uint(v);
    if (v != v) return {static_cast<unsigned short>(bits >> 16 | 0x40)};
    return {static_cast<unsigned short>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

// A factor. The numbers of a caller that passes real factors have the imaginary part 0.
template <class T, class S>
__device__ T factor(const void* at, const double* value) {
    return at ? T(*static_cast<const S*>(at)) : Number<T>::of(value);
}
template <class T, class S>
__device__ T factor(const void* at, double value) {
    return at ? T(*static_cast<const S*>(at)) : T(value);
}

// d = alpha * sum + beta * c. If beta is 0, c is not read.
template <class C, class T, class B>
__device__ void put(const Product& g, const B& batch, int row, int col, T alpha, T beta, T sum) {
    if (row >= g.m || col >= g.n || (g.triangle == 1 && row > col) || (g.triangle == 2 && row < col)) return;
    T value = alpha * sum;
    if (beta != T(0)) value = multiply_add(beta, widen<T>(batch.c[row * g.c_row + col * g.c_col]), value);
    batch.d[row * g.d_row + col * g.d_col] = narrow<C, T>(value);
}

template <class A, class T>
__device__ T left(const Product& g, const A* a, int row, int k) {
    if ((g.symmetric == 1 && row > k) || (g.symmetric == 2 && row < k)) {
        int other = row;
        row = k;
        k = other;
    }
    T value = widen<T>(a[row * g.a_row + k * g.a_col]);
    return g.conjugate & 1 ? conjugated(value) : value;
}

template <class A, class T>
__device__ T right(const Product& g, const A* b, int k, int col) {
    T value = widen<T>(b[k * g.b_row + col * g.b_col]);
    return g.conjugate & 2 ? conjugated(value) : value;
}

template <class A, class C>
struct Batch {
    const A *a, *b;
    const C* c;
    C* d;
    __device__ explicit Batch(const Product& g) {
        unsigned z = blockIdx.z;
        a = g.as ? static_cast<const A*>(g.as[z]) : static_cast<const A*>(g.a) + z * g.a_batch;
        b = g.bs ? static_cast<const A*>(g.bs[z]) : static_cast<const A*>(g.b) + z * g.b_batch;
        c = g.cs ? static_cast<const C*>(g.cs[z]) : static_cast<const C*>(g.c) + z * g.c_batch;
        d = g.ds ? static_cast<C*>(g.ds[z]) : static_cast<C*>(g.d) + z * g.d_batch;
    }
};

// A work-group of 256 computes 64 by 64 elements; each work-item computes 4 by 4.
template <class A, class C, class T, class S>
__device__ void tiles(const Product& g) {
    constexpr int SIDE = 64, DEPTH = 16, EACH = 4;
    __shared__ T as[DEPTH][SIDE], bs[DEPTH][SIDE];
    Batch<A, C> batch(g);
    int t = threadIdx.x, x = t % 16, y = t / 16;
    int row = blockIdx.x * SIDE, col = blockIdx.y * SIDE;
    T alpha = factor<T, S>(g.alpha_at, g.alpha), beta = factor<T, S>(g.beta_at, g.beta);
    T sums[EACH][EACH] = {};
    int depth = alpha == T(0) ? 0 : g.k;
    for (int k = 0; k < depth; k += DEPTH) {
        for (int e = t; e < SIDE * DEPTH; e += 256) {
            int i = e % SIDE, d = e / SIDE;
            bool in = k + d < depth;
            as[d][i] = in && row + i < g.m ? left<A, T>(g, batch.a, row + i, k + d) : T(0);
            bs[d][i] = in && col + i < g.n ? right<A, T>(g, batch.b, k + d, col + i) : T(0);
        }
        __syncthreads();
        for (int d = 0; d < DEPTH; ++d) {
            T p[EACH], q[EACH];
            for (int n = 0; n < EACH; ++n) {
                p[n] = as[d][x + 16 * n];
                q[n] = bs[d][y + 16 * n];
            }
            for (int i = 0; i < EACH; ++i)
                for (int j = 0; j < EACH; ++j) sums[i][j] = multiply_add(p[i], q[j], sums[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; ++i)
        for (int j = 0; j < EACH; ++j) put<C>(g, batch, row + x + 16 * i, col + y + 16 * j, alpha, beta, sums[i][j]);
}

// Each work-item computes one element, down the columns: for results with few columns or rows.
template <class A, class C, class T, class S>
__device__ void elements(const Product& g) {
    Batch<A, C> batch(g);
    int row = blockIdx.x * 64 + threadIdx.x, col = blockIdx.y;
    if (row >= g.m) return;
    T alpha = factor<T, S>(g.alpha_at, g.alpha), beta = factor<T, S>(g.beta_at, g.beta);
    T sum = T(0);
    int depth = alpha == T(0) ? 0 : g.k;
    for (int k = 0; k < depth; ++k) sum = multiply_add(left<A, T>(g, batch.a, row, k), right<A, T>(g, batch.b, k, col), sum);
    put<C>(g, batch, row, col, alpha, beta, sum);
}

#define PRODUCT(NAME, A, C, T, S)                                                                            \
    extern "C" __global__ __launch_bounds__(256) void tiles_##NAME(Product g) { tiles<A, C, T, S>(g); }      \
    extern "C" __global__ __launch_bounds__(64) void elements_##NAME(Product g) { elements<A, C, T, S>(g); }
// Elements of a and b, elements of c, sums, factors.
PRODUCT(f32, float, float, float, float)
PRODUCT(f64, double, double, double, double)
PRODUCT(f16, _Float16, _Float16, float, _Float16)
PRODUCT(f16_by_f32, _Float16, _Float16, float, float)
PRODUCT(f16_to_f32, _Float16, float, float, float)
PRODUCT(bf16_by_f32, bf16, bf16, float, float)
PRODUCT(bf16_to_f32, bf16, float, float, float)
PRODUCT(c32, c32, c32, c32, c32)
PRODUCT(c64, c64, c64, c64, c64)
PRODUCT(i8_to_i32, signed char, int, int, int)

// d = alpha * a + beta * b. A matrix whose factor is 0 is not read.
template <class T>
__device__ void sum(const Product& g) {
    Batch<T, T> batch(g);
    int row = blockIdx.x * 64 + threadIdx.x, col = blockIdx.y;
    if (row >= g.m) return;
    T alpha = factor<T, T>(g.alpha_at, g.alpha), beta = factor<T, T>(g.beta_at, g.beta), value = T(0);
    if (alpha != T(0)) value = alpha * left<T, T>(g, batch.a, row, col);
    if (beta != T(0)) value = multiply_add(beta, right<T, T>(g, batch.b, row, col), value);
    batch.d[row * g.d_row + col * g.d_col] = value;
}
extern "C" __global__ __launch_bounds__(64) void sum_f32(Product g) { sum<float>(g); }
extern "C" __global__ __launch_bounds__(64) void sum_f64(Product g) { sum<double>(g); }
extern "C" __global__ __launch_bounds__(64) void sum_c32(Product g) { sum<c32>(g); }
extern "C" __global__ __launch_bounds__(64) void sum_c64(Product g) { sum<c64>(g); }

// Solves a * x = alpha * b for each column of b, which x replaces. A work-item solves one column, one equation after the other.
template <class T>
__device__ void solve(const Solve& s) {
    int col = blockIdx.x * 64 + threadIdx.x;
    if (col >= s.count) return;
    unsigned z = blockIdx.z;
    const T* a = static_cast<const T*>(s.as ? s.as[z] : s.a);
    T* b = static_cast<T*>(s.bs ? s.bs[z] : s.b) + col * s.b_col;
    T alpha = factor<T, T>(s.alpha_at, s.alpha);
    for (int n = 0; n < s.order; ++n) {
        int i = s.lower ? n : s.order - 1 - n;
        if (alpha == T(0)) {
            b[i * s.b_row] = T(0);
            continue;
        }
        T sum = alpha * b[i * s.b_row];
        for (int done = 0; done < n; ++done) {
            int j = s.lower ? done : s.order - 1 - done;
            sum = fma(-a[i * s.a_row + j * s.a_col], b[j * s.b_row], sum);
        }
        b[i * s.b_row] = s.unit ? sum : sum / a[i * s.a_row + i * s.a_col];
    }
}
extern "C" __global__ __launch_bounds__(64) void solve_f32(Solve s) { solve<float>(s); }
extern "C" __global__ __launch_bounds__(64) void solve_f64(Solve s) { solve<double>(s); }

// Vectors: a work-item handles one element.
template <class T, class F>
__device__ void each(const Vectors& v, F f) {
    int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= v.n) return;
    T* x = static_cast<T*>(v.x) + i * v.x_step;
    T* y = static_cast<T*>(v.y) + i * v.y_step;
    f(x, y, factor<T, T>(v.alpha_at, v.alpha));
}

// Reductions by one work-group: each work-item takes every 256th element, then the sums are added in pairs.
template <class S, class T, class F, class G>
__device__ S reduced(const Vectors& v, S none, F f, G both) {
    __shared__ S parts[256];
    int t = threadIdx.x;
    S sum = none;
    for (int i = t; i < v.n; i += 256)
        sum = f(sum, i, static_cast<const T*>(v.x)[i * v.x_step], static_cast<const T*>(v.y)[i * v.y_step]);
    parts[t] = sum;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (t < half) parts[t] = both(parts[t], parts[t + half]);
        __syncthreads();
    }
    return parts[0];
}

struct Most {
    double size;
    int at;
};
__device__ Most greater(Most a, Most b) {
    return b.at && (!a.at || b.size > a.size || (b.size == a.size && b.at < a.at)) ? b : a;
}
__device__ Most lesser(Most a, Most b) {
    return b.at && (!a.at || b.size < a.size || (b.size == a.size && b.at < a.at)) ? b : a;
}

template <class T>
__device__ void norm(const Vectors& v) {
    // The norm is scaled by the greatest element, so that no square overflows or vanishes.
    Most none = {0, 0};
    auto size = [](Most s, int i, T x, T) { return greater(s, {fabs(double(x)), i + 1}); };
    double scale = reduced<Most, T>(v, none, size, greater).size;
    __syncthreads();
    if (!(scale > 0)) scale = 1;
    auto add = [=](double s, int, T x, T) { return fma(double(x) / scale, double(x) / scale, s); };
    double sum = reduced<double, T>(v, 0.0, add, [](double a, double b) { return a + b; });
    if (threadIdx.x == 0) *static_cast<T*>(v.result) = T(scale * sqrt(sum));
}

#define VECTORS(T, NAME)                                                                                                           \
    extern "C" __global__ __launch_bounds__(256) void axpy_##NAME(Vectors v) {                                                     \
        each<T>(v, [](T* x, T* y, T alpha) { *y = fma(alpha, *x, *y); });                                                          \
    }                                                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void scal_##NAME(Vectors v) {                                                     \
        each<T>(v, [](T* x, T*, T alpha) { *x *= alpha; });                                                                        \
    }                                                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void copy_##NAME(Vectors v) {                                                     \
        each<T>(v, [](T* x, T* y, T) { *y = *x; });                                                                                \
    }                                                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void swap_##NAME(Vectors v) {                                                     \
        each<T>(v, [](T* x, T* y, T) {                                                                                             \
            T other = *x;                                                                                                          \
            *x = *y;                                                                                                               \
            *y = other;                                                                                                            \
        });                                                                                                                        \
    }                                                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void dot_##NAME(Vectors v) {                                                      \
        auto add = [](T a, T b) { return a + b; };                                                                                 \
        T sum = reduced<T, T>(v, T(0), [](T s, int, T x, T y) { return fma(x, y, s); }, add);                                      \
        if (threadIdx.x == 0) *static_cast<T*>(v.result) = sum;                                                                    \
    }                                                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void asum_##NAME(Vectors v) {                                                     \
        auto add = [](T a, T b) { return a + b; };                                                                                 \
        T sum = reduced<T, T>(v, T(0), [](T s, int, T x, T) { return s + fabs(x); }, add);                                         \
        if (threadIdx.x == 0) *static_cast<T*>(v.result) = sum;                                                                    \
    }                                                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void nrm2_##NAME(Vectors v) { norm<T>(v); }                                       \
    extern "C" __global__ __launch_bounds__(256) void amax_##NAME(Vectors v) {                                                     \
        auto size = [](Most s, int i, T x, T) { return greater(s, {fabs(double(x)), i + 1}); };                                    \
        Most most = reduced<Most, T>(v, Most{0, 0}, size, greater);                                                                \
        if (threadIdx.x == 0) *static_cast<int*>(v.result) = most.at;                                                              \
    }                                                                                                                              \
    extern "C" __global__ __launch_bounds__(256) void amin_##NAME(Vectors v) {                                                     \
        auto size = [](Most s, int i, T x, T) { return lesser(s, {fabs(double(x)), i + 1}); };                                     \
        Most most = reduced<Most, T>(v, Most{0, 0}, size, lesser);                                                                 \
        if (threadIdx.x == 0) *static_cast<int*>(v.result) = most.at;                                                              \
    }
VECTORS(float, f32)
VECTORS(double, f64)
