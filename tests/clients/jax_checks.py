"""Checks of JAX for ROCm on the emulated card, against its CPU backend and NumPy."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas, sparse

from checks import check, ends_the_process, refused, run

random = np.random.default_rng(906)
card = jax.devices("rocm")[0]
host = jax.devices("cpu")[0]


def near(got, expected, tolerance=1e-5):
    """Requires that the arrays of two trees agree: shapes, types, and values within a tolerance that is relative and absolute."""
    got, expected = jax.tree.leaves(got), jax.tree.leaves(expected)
    assert len(got) == len(expected)
    for one, right in zip(got, expected):
        assert one.shape == right.shape and one.dtype == right.dtype, f"{one.shape} {one.dtype} instead of {right.shape} {right.dtype}"
        np.testing.assert_allclose(np.asarray(one, np.float64), np.asarray(right, np.float64), rtol=tolerance, atol=tolerance)


def on_both(function, *arguments, tolerance=1e-5):
    """Compiles the function for the card and for the host, and requires the same results."""
    compiled = jax.jit(function)
    results = []
    for device in (card, host):
        with jax.default_device(device):
            result = compiled(*jax.device_put(arguments, device))
        for leaf in jax.tree.leaves(result):
            assert leaf.devices() == {device}, f"on {leaf.devices()}"
        results.append(result)
    near(*results, tolerance=tolerance)
    return results[0]


def singles(*shape):
    """Normal numbers in f32."""
    return random.standard_normal(shape, dtype=np.float32)


@check
def the_card_is_the_default():
    assert jax.default_backend() == "gpu" and jax.devices() == [card]
    assert "gfx906" in card.device_kind or "MI50" in card.device_kind, card.device_kind
    assert jnp.ones(3).devices() == {card}


@check
def copies_between_host_and_card():
    for kind in (np.float16, jnp.bfloat16, np.float32, np.int32, np.uint8, np.bool_, np.complex64):
        values = (random.standard_normal((9, 7)) * 20).astype(kind)
        np.testing.assert_array_equal(np.asarray(jax.device_put(values, card)), values)


@check
def compiled_arithmetic():
    on_both(lambda x, y: (x * y - 3) / (1 + y * y), singles(33, 65), singles(65))


@check
def math_functions():
    def functions(x):
        positive = jnp.abs(x) + 0.01
        return jnp.exp(x), jnp.log(positive), jnp.sin(x), jnp.tanh(x), jnp.sqrt(positive), jax.lax.rsqrt(positive), jax.nn.gelu(x)

    on_both(functions, singles(1000), tolerance=1e-5)


@check
def arithmetic_in_half_precision():
    for kind in (jnp.float16, jnp.bfloat16):
        on_both(lambda x, y: x * y + x, singles(500).astype(kind), singles(500).astype(kind), tolerance=2e-2)


@check
def integers_and_bits():
    values = random.integers(-1000, 1000, 300).astype(np.int32)
    divisors = random.integers(1, 30, 300).astype(np.int32)
    on_both(lambda x, y: (x // y, x % y, x ^ y, x << (y % 8), jax.lax.population_count(x)), values, divisors, tolerance=0)


@check
def reductions():
    on_both(lambda x: (x.sum(), x.max(0), x.argmin(1), x.mean(1), x.var(0), jax.nn.logsumexp(x, 1)), singles(70, 130), tolerance=1e-4)


@check
def softmax_and_norm():
    def layer(x):
        return jax.nn.softmax(x, -1), (x - x.mean(-1, keepdims=True)) / jnp.sqrt(x.var(-1, keepdims=True) + 1e-6)

    on_both(layer, singles(16, 257), tolerance=1e-4)


@check
def running_sums():
    on_both(lambda x: (jnp.cumsum(x, 0), jax.lax.cummax(x, 1)), singles(40, 50), tolerance=1e-4)


@check
def gathers_and_scatters():
    rows = random.integers(0, 40, 64).astype(np.int32)
    on_both(lambda x, at: (x[at], jnp.zeros(40).at[at].add(1.0), jnp.take_along_axis(x, at[None, :8] % 9, 1)), singles(40, 9)[:1].repeat(40, 0), rows)


@check
def sorted_arrays():
    on_both(lambda x: (jnp.sort(x, 1), jnp.argsort(x, 1)), singles(7, 300), tolerance=0)
    on_both(lambda x: jax.lax.top_k(x, 5), singles(7, 100), tolerance=0)


@check
def control_flow():
    def collatz(start):
        return jax.lax.while_loop(lambda s: s[0] != 1, lambda s: (jnp.where(s[0] % 2, 3 * s[0] + 1, s[0] // 2), s[1] + 1), (start, 0))[1]

    assert on_both(jax.vmap(collatz), np.array([1, 6, 7, 27], np.int32), tolerance=0).tolist() == [0, 8, 16, 111]
    on_both(lambda x: jax.lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, x), singles(20))


@check
def random_numbers():
    def draws(key):
        return jax.random.bits(key, (100,)), jax.random.uniform(key, (1000,)), jax.random.normal(key, (1000,)), jax.random.permutation(key, 50)

    on_both(draws, jax.random.PRNGKey(906), tolerance=1e-5)


@check
def gradients():
    def loss(weights, x):
        hidden = jnp.tanh(x * weights["scale"] + weights["shift"])
        return jnp.mean((hidden.sum(-1) - 1) ** 2)

    weights = {"scale": singles(24), "shift": singles(24)}
    on_both(jax.value_and_grad(loss), weights, singles(32, 24))
    on_both(jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x)), singles(6))


@check
def products_of_matrices():
    on_both(lambda x, y: x @ y, singles(65, 130), singles(130, 33), tolerance=1e-4)
    on_both(lambda x, y: jnp.einsum("bij,bkj->bik", x, y), singles(6, 17, 20), singles(6, 9, 20), tolerance=1e-4)


@check
def products_in_half_precision():
    for kind in (jnp.float16, jnp.bfloat16):
        on_both(lambda x, y: x @ y, singles(32, 64).astype(kind), singles(64, 48).astype(kind), tolerance=6e-2)


@check
def products_of_other_types():
    left, right = (random.integers(-9, 9, shape).astype(np.int8) for shape in ((16, 32), (32, 8)))
    on_both(lambda x, y: jax.lax.dot(x, y, preferred_element_type=jnp.int32), left, right, tolerance=0)
    on_both(lambda x, y: x @ y, singles(8, 9) + 1j * singles(8, 9), singles(9, 4) + 1j * singles(9, 4), tolerance=1e-4)
    with jax.experimental.enable_x64():
        on_both(lambda x, y: x @ y, random.standard_normal((20, 30)), random.standard_normal((30, 7)), tolerance=1e-12)


@check
def gradients_through_a_product():
    def loss(weights, x):
        for weight in weights:
            x = jax.nn.relu(x @ weight)
        return x.mean()

    on_both(jax.grad(loss), [singles(20, 40), singles(40, 30), singles(30, 10)], singles(12, 20), tolerance=1e-4)


def gated_delta_rule(q, k, v, g, beta, state):
    """Tokens of one head: the state decays, forgets its value at k by beta, learns v there, and answers q."""

    def token(state, inputs):
        q, k, v, g, beta = inputs
        state = state * jnp.exp(g)
        state = state + jnp.outer(k, beta * (v - k @ state))
        return state, q @ state

    return jax.lax.scan(token, state, (q, k, v, g, beta))


@check
def scan_with_a_gated_delta_rule():
    tokens, keys, values = 12, 16, 24
    k = singles(tokens, keys)
    k /= np.linalg.norm(k, axis=1, keepdims=True)
    inputs = singles(tokens, keys), k, singles(tokens, values), -np.abs(singles(tokens)), random.random(tokens, dtype=np.float32)
    state = singles(keys, values)
    final, outputs = on_both(gated_delta_rule, *inputs, state, tolerance=1e-4)

    expected, answers = state.astype(np.float64), []
    for q, k, v, g, beta in zip(*(part.astype(np.float64) for part in inputs)):
        expected = expected * np.exp(g)
        expected += np.outer(k, beta * (v - k @ expected))
        answers.append(q @ expected)
    np.testing.assert_allclose(final, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(outputs, answers, rtol=1e-4, atol=1e-4)


@check
def gradient_through_a_scan():
    tokens, keys, values = 6, 8, 8
    inputs = singles(tokens, keys), singles(tokens, keys) * 0.2, singles(tokens, values), -np.abs(singles(tokens)), np.full(tokens, 0.5, np.float32)
    loss = lambda *arguments: gated_delta_rule(*arguments)[1].sum()
    on_both(jax.grad(loss, argnums=(0, 1, 2, 3, 4, 5)), *inputs, np.zeros((keys, values), np.float32), tolerance=1e-4)


@check
def attention():
    def attend(q, k, v):
        weights = jax.nn.softmax(jnp.where(jnp.tri(q.shape[0], dtype=bool), q @ k.T / np.sqrt(q.shape[1]), -jnp.inf), -1)
        return weights @ v

    on_both(attend, singles(24, 16), singles(24, 16), singles(24, 16), tolerance=1e-4)


@check
def collectives_of_one_device():
    got = jax.pmap(lambda x: jax.lax.psum(x, "card") + jax.lax.axis_index("card"), axis_name="card")(jnp.ones((1, 4)))
    np.testing.assert_array_equal(np.asarray(got), np.ones((1, 4)))


@check
def sparse_matrix_times_vector():
    dense = singles(20, 30) * (random.random((20, 30)) < 0.3)
    matrix = sparse.BCOO.fromdense(jnp.asarray(dense, jnp.float32))
    vector = singles(30)
    np.testing.assert_allclose(matrix @ jnp.asarray(vector), dense @ vector, rtol=1e-4, atol=1e-4)


@check
def donated_buffers():
    step = jax.jit(lambda x: x + 1, donate_argnums=0)
    x = jax.device_put(np.zeros(100, np.float32), card)
    for _ in range(5):
        x = step(x)
    np.testing.assert_array_equal(np.asarray(x), np.full(100, 5, np.float32))


@check
def callback_of_the_host():
    def double(x):
        return np.asarray(x) * 2

    got = jax.jit(lambda x: jax.pure_callback(double, jax.ShapeDtypeStruct((8,), np.float32), x) + 1)(jnp.arange(8.0))
    np.testing.assert_array_equal(np.asarray(got), np.arange(8, dtype=np.float32) * 2 + 1)


@check
def triangular_solve():
    matrix = np.tril(singles(6, 6)) + 4 * np.eye(6, dtype=np.float32)
    on_both(functools.partial(jax.scipy.linalg.solve_triangular, lower=True), matrix, singles(6, 3), tolerance=1e-4)


# What cannot work: a message, never a value


@check
def kernels_of_pallas_are_refused():
    """The plugin's Triton does not compile for gfx906."""

    def double(x, y):
        y[...] = x[...] * 2

    call = pallas.pallas_call(double, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32))
    refused("Failed to compile Triton kernel", call, jnp.arange(8.0))


@check
def convolutions_are_refused():
    refused("could not create miopen tensor descriptor", jax.lax.conv, jnp.ones((1, 2, 8, 8)), jnp.ones((3, 2, 3, 3)), (1, 1), "SAME")


@check
def factorizations_are_refused():
    for function in (jnp.linalg.cholesky, jnp.linalg.qr, jnp.linalg.inv, jnp.linalg.eigh):
        refused("not supported", function, jnp.eye(4) + 1)


@check
def fft_is_refused():
    """XLA ends the process when hipFFT refuses."""
    ends_the_process("hipfftCreate is not supported", "import jax.numpy as jnp; print(jnp.fft.fft(jnp.ones(16)))")


run()
