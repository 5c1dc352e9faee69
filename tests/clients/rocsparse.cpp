// Checks of Debian's rocSPARSE on the emulated card, against dense matrices of the host.
#include "checks.h"

#include <rocsparse/rocsparse.h>

#include <algorithm>

#define SPARSE(call) REQUIRE((call) == rocsparse_status_success)

namespace {

using Ints = std::vector<rocsparse_int>;
using Floats = std::vector<float>;

struct Handle {
    rocsparse_handle handle;
    Handle() { SPARSE(rocsparse_create_handle(&handle)); }
    ~Handle() { rocsparse_destroy_handle(handle); }
    operator rocsparse_handle() const { return handle; }
};

struct Description {
    rocsparse_mat_descr descr;
    Description() { SPARSE(rocsparse_create_mat_descr(&descr)); }
    ~Description() { rocsparse_destroy_mat_descr(descr); }
    operator rocsparse_mat_descr() const { return descr; }
};

struct Info {
    rocsparse_mat_info info;
    Info() { SPARSE(rocsparse_create_mat_info(&info)); }
    ~Info() { rocsparse_destroy_mat_info(info); }
    operator rocsparse_mat_info() const { return info; }
};

// A matrix of the host: dense by rows, and its elements that are not zero by rows (CSR).
struct Matrix {
    int rows, columns;
    Floats dense, values;
    Ints starts{0}, places;

    Matrix(int rows, int columns, Floats elements) : rows(rows), columns(columns), dense(std::move(elements)) {
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column)
                if (at(row, column) != 0) values.push_back(at(row, column)), places.push_back(column);
            starts.push_back(int(values.size()));
        }
    }
    float at(int row, int column) const { return dense[row * columns + column]; }
    int count() const { return int(values.size()); }

    Floats times(const Floats& x) const {
        Floats y(rows);
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) y[row] += at(row, column) * x[column];
        return y;
    }
    Matrix times(const Matrix& right) const {
        Floats product(rows * right.columns);
        for (int row = 0; row < rows; ++row)
            for (int inner = 0; inner < columns; ++inner)
                for (int column = 0; column < right.columns; ++column)
                    product[row * right.columns + column] += at(row, inner) * right.at(inner, column);
        return Matrix(rows, right.columns, product);
    }
    Matrix transposed() const {
        Floats mirrored(dense.size());
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) mirrored[column * rows + row] = at(row, column);
        return Matrix(columns, rows, mirrored);
    }
};

// A matrix with whole numbers, of which about one of `sparsity` is not zero; some rows are empty and one is full.
Matrix random_matrix(int rows, int columns, int sparsity) {
    auto elements = integers<float>(rows * columns, 1, 9);
    const auto drawn = integers<int>(rows * columns, 0, sparsity - 1);
    for (int at = 0; at < rows * columns; ++at)
        if (at / columns != 5 && (drawn[at] || at / columns % 7 == 3)) elements[at] = 0;
    return Matrix(rows, columns, elements);
}

struct OnCard {
    Card<float> values;
    Card<rocsparse_int> starts, places;
    explicit OnCard(const Matrix& matrix) : values(matrix.values), starts(matrix.starts), places(matrix.places) {}
};

const float ONE = 1, TWO = 2, THREE = 3;
constexpr auto AS_IS = rocsparse_operation_none;

void vectors() {
    Handle handle;
    const Ints at{1, 4, 5, 30};
    const Floats x{2, 3, -1, 5}, y = integers<float>(40, -9, 9);
    Card<rocsparse_int> places(at);
    Card<float> sparse(x), dense(y);
    Floats expected = y;
    float product = 0;
    for (int i = 0; i < 4; ++i) expected[at[i]] += 3 * x[i], product += x[i] * y[at[i]];

    float result;
    SPARSE(rocsparse_sdoti(handle, 4, sparse, places, dense, &result, rocsparse_index_base_zero));
    REQUIRE(result == product);
    SPARSE(rocsparse_saxpyi(handle, 4, &THREE, sparse, places, dense, rocsparse_index_base_zero));
    REQUIRE(dense.host() == expected);
    Card<float> gathered(4);
    SPARSE(rocsparse_sgthr(handle, 4, dense, gathered, places, rocsparse_index_base_zero));
    for (int i = 0; i < 4; ++i) REQUIRE(gathered.host()[i] == expected[at[i]]);
    SPARSE(rocsparse_ssctr(handle, 4, sparse, places, dense, rocsparse_index_base_zero));
    for (int i = 0; i < 4; ++i) expected[at[i]] = x[i];
    REQUIRE(dense.host() == expected);
}

void matrix_times_vector() {
    Handle handle;
    Description description;
    for (int sparsity : {2, 20}) {
        const Matrix matrix = random_matrix(150, 130, sparsity);
        const OnCard card(matrix);
        const Floats x = integers<float>(130, -9, 9), y = integers<float>(150, -9, 9);
        Floats expected = matrix.times(x);
        for (int row = 0; row < 150; ++row) expected[row] = 2 * expected[row] + 3 * y[row];
        for (bool analysed : {false, true}) {
            Info info;
            Card<float> in(x), out(y);
            if (analysed)
                SPARSE(rocsparse_scsrmv_analysis(handle, AS_IS, 150, 130, matrix.count(), description, card.values, card.starts, card.places, info));
            SPARSE(rocsparse_scsrmv(handle, AS_IS, 150, 130, matrix.count(), &TWO, description, card.values, card.starts, card.places,
                                    analysed ? info : rocsparse_mat_info(nullptr), in, &THREE, out));
            REQUIRE(out.host() == expected);
        }
    }
}

void matrix_by_coordinates_times_vector() {
    Handle handle;
    Description description;
    const Matrix matrix = random_matrix(90, 70, 5);
    Ints rows;
    for (int row = 0; row < 90; ++row) rows.insert(rows.end(), matrix.starts[row + 1] - matrix.starts[row], row);
    const OnCard card(matrix);
    const Floats x = integers<float>(70, -9, 9);
    Card<rocsparse_int> row_of(rows);
    Card<float> in(x), out(Floats(90, 7));
    const float zero = 0;
    SPARSE(rocsparse_scoomv(handle, AS_IS, 90, 70, matrix.count(), &ONE, description, card.values, row_of, card.places, in, &zero, out));
    REQUIRE(out.host() == matrix.times(x));
}

void generic_matrix_times_vector() {
    Handle handle;
    const Matrix matrix = random_matrix(60, 80, 4);
    const OnCard card(matrix);
    const Floats x = integers<float>(80, -9, 9);
    Card<float> in(x), out(Floats(60, 7));
    rocsparse_spmat_descr sparse;
    rocsparse_dnvec_descr from, to;
    const auto single = rocsparse_datatype_f32_r;
    SPARSE(rocsparse_create_csr_descr(&sparse, 60, 80, matrix.count(), card.starts, card.places, card.values, rocsparse_indextype_i32,
                                      rocsparse_indextype_i32, rocsparse_index_base_zero, single));
    SPARSE(rocsparse_create_dnvec_descr(&from, 80, in, single));
    SPARSE(rocsparse_create_dnvec_descr(&to, 60, out, single));
    const float zero = 0;
    size_t bytes = 0;
    SPARSE(rocsparse_spmv(handle, AS_IS, &ONE, sparse, from, &zero, to, single, rocsparse_spmv_alg_csr_stream, &bytes, nullptr));
    Card<char> memory(bytes);
    SPARSE(rocsparse_spmv(handle, AS_IS, &ONE, sparse, from, &zero, to, single, rocsparse_spmv_alg_csr_stream, &bytes, memory));
    REQUIRE(out.host() == matrix.times(x));
    rocsparse_destroy_spmat_descr(sparse);
    rocsparse_destroy_dnvec_descr(from);
    rocsparse_destroy_dnvec_descr(to);
}

void matrix_times_dense_matrix() {
    Handle handle;
    Description description;
    const Matrix matrix = random_matrix(50, 60, 4);
    const OnCard card(matrix);
    // Dense matrices lie by columns.
    const Floats right = integers<float>(60 * 20, -9, 9);
    Floats expected;
    for (int column = 0; column < 20; ++column) {
        const Floats product = matrix.times(Floats(right.begin() + 60 * column, right.begin() + 60 * (column + 1)));
        expected.insert(expected.end(), product.begin(), product.end());
    }
    Card<float> in(right), out(Floats(50 * 20, 7));
    const float zero = 0;
    SPARSE(rocsparse_scsrmm(handle, AS_IS, AS_IS, 50, 20, 60, matrix.count(), &ONE, description, card.values, card.starts, card.places, in, 60, &zero,
                            out, 50));
    REQUIRE(out.host() == expected);
}

void product_of_sparse_matrices() {
    Handle handle;
    Description a, b, c, d;
    Info info;
    const Matrix left = random_matrix(40, 50, 6), right = random_matrix(50, 30, 6), expected = left.times(right);
    const OnCard x(left), y(right);
    size_t bytes;
    SPARSE(rocsparse_scsrgemm_buffer_size(handle, AS_IS, AS_IS, 40, 30, 50, &ONE, a, left.count(), x.starts, x.places, b, right.count(), y.starts,
                                          y.places, nullptr, d, 0, nullptr, nullptr, info, &bytes));
    Card<char> memory(bytes);
    Card<rocsparse_int> starts(41);
    rocsparse_int count;
    SPARSE(rocsparse_csrgemm_nnz(handle, AS_IS, AS_IS, 40, 30, 50, a, left.count(), x.starts, x.places, b, right.count(), y.starts, y.places, d, 0,
                                 nullptr, nullptr, c, starts, &count, info, memory));
    REQUIRE(count == expected.count() && starts.host() == expected.starts);
    Card<float> values(count);
    Card<rocsparse_int> places(count);
    SPARSE(rocsparse_scsrgemm(handle, AS_IS, AS_IS, 40, 30, 50, &ONE, a, left.count(), x.values, x.starts, x.places, b, right.count(), y.values,
                              y.starts, y.places, nullptr, d, 0, nullptr, nullptr, nullptr, c, values, starts, places, info, memory));
    REQUIRE(values.host() == expected.values && places.host() == expected.places);
}

void triangular_system() {
    Handle handle;
    Description description;
    Info info;
    SPARSE(rocsparse_set_mat_fill_mode(description, rocsparse_fill_mode_lower));
    const int size = 100;
    auto elements = integers<float>(size * size, -2, 2);
    for (int at = 0; at < size * size; ++at) {
        const int row = at / size, column = at % size;
        if (row == column) elements[at] = 4;
        if (row < column || (row != column && (row + column) % 5)) elements[at] = 0;
    }
    const Matrix matrix(size, size, elements);
    const OnCard card(matrix);
    const Floats solution = integers<float>(size, -3, 3);
    Card<float> in(matrix.times(solution)), out(size);
    size_t bytes;
    SPARSE(rocsparse_scsrsv_buffer_size(handle, AS_IS, size, matrix.count(), description, card.values, card.starts, card.places, info, &bytes));
    Card<char> memory(bytes);
    SPARSE(rocsparse_scsrsv_analysis(handle, AS_IS, size, matrix.count(), description, card.values, card.starts, card.places, info,
                                     rocsparse_analysis_policy_reuse, rocsparse_solve_policy_auto, memory));
    SPARSE(rocsparse_scsrsv_solve(handle, AS_IS, size, matrix.count(), &ONE, description, card.values, card.starts, card.places, info, in, out,
                                  rocsparse_solve_policy_auto, memory));
    // Whole numbers, whose sums are exact: division by 4 is the only rounding, and it leaves none.
    REQUIRE(out.host() == solution);
}

void dense_and_back() {
    Handle handle;
    Description description;
    const Matrix matrix = random_matrix(33, 47, 3), columns = matrix.transposed();
    const OnCard card(matrix);
    Card<float> dense(Floats(33 * 47, 7));
    SPARSE(rocsparse_scsr2dense(handle, 33, 47, description, card.values, card.starts, card.places, dense, 33));
    REQUIRE(dense.host() == columns.dense);

    Card<rocsparse_int> lengths(33), starts(34), places(matrix.count());
    Card<float> values(matrix.count());
    rocsparse_int count;
    SPARSE(rocsparse_snnz(handle, rocsparse_direction_row, 33, 47, description, dense, 33, lengths, &count));
    REQUIRE(count == matrix.count());
    SPARSE(rocsparse_sdense2csr(handle, 33, 47, description, dense, 33, lengths, values, starts, places));
    REQUIRE(values.host() == matrix.values && starts.host() == matrix.starts && places.host() == matrix.places);
}

void transposed_matrix() {
    Handle handle;
    const Matrix matrix = random_matrix(45, 35, 3), expected = matrix.transposed();
    const OnCard card(matrix);
    size_t bytes;
    SPARSE(rocsparse_csr2csc_buffer_size(handle, 45, 35, matrix.count(), card.starts, card.places, rocsparse_action_numeric, &bytes));
    Card<char> memory(bytes);
    Card<float> values(matrix.count());
    Card<rocsparse_int> places(matrix.count()), starts(36);
    SPARSE(rocsparse_scsr2csc(handle, 45, 35, matrix.count(), card.values, card.starts, card.places, values, places, starts, rocsparse_action_numeric,
                              rocsparse_index_base_zero, memory));
    REQUIRE(values.host() == expected.values && places.host() == expected.places && starts.host() == expected.starts);
}

void wrong_calls_are_statuses() {
    Handle handle;
    REQUIRE(rocsparse_sdoti(handle, -1, nullptr, nullptr, nullptr, nullptr, rocsparse_index_base_zero) == rocsparse_status_invalid_size);
    REQUIRE(rocsparse_create_mat_descr(nullptr) == rocsparse_status_invalid_pointer);
}

}  // namespace

int main() {
    return run_checks({
        {"vectors", vectors},
        {"matrix times vector", matrix_times_vector},
        {"matrix by coordinates times vector", matrix_by_coordinates_times_vector},
        {"matrix times vector, generic", generic_matrix_times_vector},
        {"matrix times dense matrix", matrix_times_dense_matrix},
        {"product of sparse matrices", product_of_sparse_matrices},
        {"triangular system", triangular_system},
        {"dense and back", dense_and_back},
        {"transposed matrix", transposed_matrix},
        {"wrong calls are statuses", wrong_calls_are_statuses},
    });
}
