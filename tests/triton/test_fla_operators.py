"""Other operators of Flash Linear Attention, from PyPI: forward and backward against one recurrence in f64."""
import pytest
import torch
from fla.ops.delta_rule import chunk_delta_rule, fused_recurrent_delta_rule
from fla.ops.gla import chunk_gla, fused_recurrent_gla
from fla.ops.hgrn import fused_recurrent_hgrn
from fla.ops.kda import chunk_kda, fused_recurrent_kda
from fla.ops.retention import fused_recurrent_retention
from fla.ops.simple_gla import chunk_simple_gla, fused_recurrent_simple_gla

BATCHES, TOKENS, HEADS, KEYS, VALUES = 2, 37, 2, 32, 48


def recurrence(q, k, v, decay, beta, initial):
    """o and the last state of a linear attention whose state decays by e^decay and, with beta, forgets its value at k. Axes are [B, T, H, K or V]."""
    state, outputs = initial, []
    for t in range(q.shape[1]):
        if decay is not None:
            state = state * decay[:, t].exp()[..., None]
        value = v[:, t]
        if beta is not None:
            value = beta[:, t, :, None] * (value - torch.einsum("bhk,bhkv->bhv", k[:, t], state))
        state = state + k[:, t, :, :, None] * value[:, :, None]
        outputs.append(torch.einsum("bhk,bhkv->bhv", q[:, t], state) / q.shape[-1] ** 0.5)
    return torch.stack(outputs, 1), state


def logarithms_of_decays(*shape):
    return torch.nn.functional.logsigmoid(torch.randn(shape))


def draw(decay, beta, tokens=TOKENS, batches=BATCHES):
    """Inputs on the host; the decay is of a head (`scalar`), of a key (`vector`), of retention, or none."""
    inputs = {name: torch.randn(batches, tokens, HEADS, size) for name, size in (("q", KEYS), ("k", KEYS), ("v", VALUES))}
    inputs["k"] = torch.nn.functional.normalize(inputs["k"], dim=-1)
    if decay == "scalar":
        inputs["g"] = logarithms_of_decays(batches, tokens, HEADS)
    if decay == "vector":
        inputs["g"] = logarithms_of_decays(batches, tokens, HEADS, KEYS)
    if beta:
        inputs["beta"] = torch.rand(batches, tokens, HEADS)
    return inputs


def expected(inputs, decay, initial):
    """The recurrence of the inputs, in f64."""
    exact = {name: tensor.double() for name, tensor in inputs.items()}
    g = exact.get("g")
    if decay == "scalar":
        g = g[..., None]
    if decay == "retention":
        g = torch.log1p(-(2.0 ** (-5 - torch.arange(HEADS).double()))).expand(exact["q"].shape[:3])[..., None]
    return recurrence(exact["q"], exact["k"], exact["v"], g, exact.get("beta"), initial.double())


def assert_near(name, got, right, bound):
    """Requires the error's root mean square to be below `bound` of the values'."""
    error = (got.detach().cpu().double() - right).square().mean().sqrt() / right.square().mean().sqrt()
    assert error < bound, f"{name} is off by {error:.2e} of its root mean square"


def gla(call):
    """Renames the gates as the recurrent form of GLA has them."""
    return lambda *, g, **inputs: call(gk=g, **inputs)


OPERATORS = {
    "recurrent retention": (fused_recurrent_retention, "retention", False),
    "recurrent simple GLA": (fused_recurrent_simple_gla, "scalar", False),
    "chunk simple GLA": (chunk_simple_gla, "scalar", False),
    "recurrent GLA": (gla(fused_recurrent_gla), "vector", False),
    "chunk GLA": (chunk_gla, "vector", False),
    "recurrent delta rule": (fused_recurrent_delta_rule, None, True),
    "chunk delta rule": (chunk_delta_rule, None, True),
    "recurrent KDA": (fused_recurrent_kda, "vector", True),
    "chunk KDA": (chunk_kda, "vector", True),
}
#: Recurrent forms keep f32 throughout, and chunks multiply matrices in parts of a chunk's inverse.
BOUNDS = {"recurrent": 1e-5, "chunk": 1e-3}
#: FLA has this operator for bf16 alone: two roundings of 2^-8 on the whole.
ROUNDED, ROUNDED_BOUND = "chunk delta rule", 2**-7


def case(name, tokens=TOKENS, sequences=BATCHES, batches=BATCHES):
    """The call of an operator, its inputs and first states on the host, the kind of its decay, and the bound of its errors."""
    call, decay, beta = OPERATORS[name]
    inputs, initial = draw(decay, beta, tokens, batches), torch.randn(sequences, HEADS, KEYS, VALUES)
    if name != ROUNDED:
        return call, inputs, initial, decay, BOUNDS[name.split()[0]]
    return call, {key: tensor.bfloat16() for key, tensor in inputs.items()}, initial, decay, ROUNDED_BOUND


def on_card(tensors):
    """Copies on the card, of which gradients can be asked."""
    return {key: tensor.cuda().clone().requires_grad_() for key, tensor in tensors.items()}


@pytest.mark.parametrize("name", OPERATORS)
def test_forward(name):
    call, inputs, initial, decay, bound = case(name)
    with torch.no_grad():
        o, final = call(**on_card(inputs), initial_state=initial.cuda(), output_final_state=True)
    right, state = expected(inputs, decay, initial)
    assert_near("o", o, right, bound)
    assert_near("the final state", final, state, bound)


@pytest.mark.parametrize("name", ["recurrent simple GLA", "recurrent GLA", "recurrent delta rule", "chunk simple GLA", "chunk delta rule"])
def test_backward(name):
    call, inputs, initial, decay, bound = case(name)
    weight = torch.randn(BATCHES, TOKENS, HEADS, VALUES)

    leaves = on_card(inputs | {"initial_state": initial})
    o, _ = call(**leaves, output_final_state=True)
    (o * weight.cuda()).sum().backward()

    exact = {key: tensor.double().requires_grad_() for key, tensor in (inputs | {"initial_state": initial}).items()}
    (expected({key: exact[key] for key in inputs}, decay, exact["initial_state"])[0] * weight.double()).sum().backward()
    for key, right in exact.items():
        assert_near(f"the gradient of {key}", leaves[key].grad, right.grad, 4 * bound)


@pytest.mark.parametrize("name", ["recurrent delta rule", "chunk delta rule", "recurrent KDA"])
def test_sequences_of_different_lengths(name):
    lengths = [1, 20, 64, 15]
    ends = torch.tensor([0, *lengths]).cumsum(0)
    call, inputs, initial, decay, bound = case(name, sum(lengths), len(lengths), 1)
    with torch.no_grad():
        o, final = call(**on_card(inputs), initial_state=initial.cuda(), output_final_state=True, cu_seqlens=ends.cuda())
    for at, (begin, end) in enumerate(zip(ends, ends[1:])):
        part = {key: tensor[:, begin:end] for key, tensor in inputs.items()}
        right, state = expected(part, decay, initial[at : at + 1])
        assert_near(f"o of sequence {at}", o[:, begin:end], right, bound)
        assert_near(f"the state of sequence {at}", final[at : at + 1], state, bound)


def test_recurrence_of_hgrn():
    x, g = torch.randn(BATCHES, TOKENS, VALUES), logarithms_of_decays(BATCHES, TOKENS, VALUES)
    initial = torch.randn(BATCHES, VALUES)
    o, final = fused_recurrent_hgrn(x.cuda(), g.cuda(), initial_state=initial.cuda(), output_final_state=True)
    state, outputs = initial.double(), []
    for t in range(TOKENS):
        state = state * g[:, t].double().exp() + x[:, t].double()
        outputs.append(state)
    assert_near("o", o, torch.stack(outputs, 1), BOUNDS["recurrent"])
    assert_near("the final state", final, state, BOUNDS["recurrent"])
