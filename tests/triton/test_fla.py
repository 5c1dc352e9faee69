"""Flash Linear Attention's gated delta rule, from PyPI, against the goldens of the tool: in f32, and in bf16 with the references made of the rounded
inputs.

The tool's own tolerance judges wherever the kernel's arithmetic is that of the contract. The chunk kernels multiply matrices that they round to the
inputs' type, and invert one: in bf16 that costs more, and the bound for it is given here.
"""
import deltanet_check
import pytest
import torch
from fla.ops.gated_delta_rule import chunk_gated_delta_rule, fused_recurrent_gated_delta_rule

#: head map `block` is FLA's; states of either layout.
CASES = [
    "recurrent:B=1,T=65,H=1,HV=1,K=64,V=64,gates=none,map=block,state=random,layout=value-major",
    "recurrent:B=3,T=65,H=1,HV=1,K=64,V=128,gates=model,map=block,state=random,layout=key-major",
    "recurrent:B=1,T=2,H=4,HV=8,K=128,V=128,gates=slow,map=block,state=zero,layout=key-major",
]
CALLS = {"recurrent": fused_recurrent_gated_delta_rule, "chunk": chunk_gated_delta_rule}


def compute(call, test, dtype):
    """o and the state after the last token, by FLA."""
    low = {name: test.torch(f"input.{name}", dtype) for name in ("q", "k", "v", "beta")}
    g, initial = test.torch("input.g"), test.torch("input.initial")
    shape = test.metadata["test"]
    initial = None if "state=zero" in shape else initial
    value_major = "layout=value-major" in shape
    return call(**low, g=g, initial_state=initial, output_final_state=True, state_v_first=value_major)


#: Two roundings to bf16, of every element and on the whole: 2^-8 each.
ROUNDED = {"tolerance": 2**-7, "relative": 2**-7, "relative_rms": 2**-7}


# Compiling the chunk kernels takes most of the time: the last case goes without them.
@pytest.mark.parametrize("way, case", [(way, case) for way in CALLS for case in (CASES if way == "recurrent" else CASES[:2])])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=["f32", "bf16"])
def test_the_gated_delta_rule(way, case, dtype):
    test = deltanet_check.goldens.export(case)
    o, final = compute(CALLS[way], test, dtype)
    assert o.dtype == dtype and final.dtype == torch.float32
    bound = ROUNDED if way == "chunk" and dtype == torch.bfloat16 else {}
    test.assert_close_to_oracle("o", o, **bound)
    test.assert_close_to_oracle("final", final, **bound)


def test_a_forgotten_scale_is_named():
    """The judgement of another's output explains as it does that of a kernel's."""
    test = deltanet_check.goldens.export(CASES[1])
    inputs = {name: test.torch(f"input.{name}") for name in ("q", "k", "v", "g", "beta")}
    o, _ = fused_recurrent_gated_delta_rule(**inputs, scale=1.0, initial_state=test.torch("input.initial"), output_final_state=True)
    with pytest.raises(deltanet_check.Mismatch, match="lacks its scale of 1/sqrt"):
        test.assert_close_to_oracle("o", o)
