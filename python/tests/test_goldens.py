"""Golden tensors: what is loaded, and that the judgement is the tool's."""
import numpy as np
import pytest
from deltanet_check import Mismatch, ToolError, goldens

RULE = "recurrent:B=1,T=65,H=1,HV=1,K=64,V=64,gates=none,map=block,state=random,layout=value-major"


def test_what_the_built_in_kernel_left_is_close_and_a_wrong_element_is_not():
    test = goldens.export(RULE, seed=3)
    assert test.metadata["test"] == RULE and test.metadata["seed"] == "3"
    assert test["input.q"].shape == (1, 65, 1, 64) and test["oracle.o"].dtype == np.float64
    test.assert_close_to_oracle("o", test["output.o"])
    test.assert_close_to_oracle("final", test["output.final"])
    wrong = test["output.o"]
    wrong[0, 1, 0, 5] += 1
    with pytest.raises(Mismatch, match="1/4160 elements") as caught:
        test.assert_close_to_oracle("o", wrong)
    (output,) = caught.value.report["outputs"]
    assert output["name"] == "o" and output["verdict"] == "fail"


def test_a_tolerance_of_ones_own_must_say_something():
    test = goldens.export(RULE)
    near = test["golden.o"] * np.float32(1.001)
    with pytest.raises(Mismatch):
        test.assert_close_to_oracle("o", near)
    test.assert_close_to_oracle("o", near, tolerance=0.001, relative_rms=0.002)
    with pytest.raises(Mismatch, match="RMS"):
        test.assert_close_to_oracle("o", near, tolerance=0.001, relative_rms=0.0005)
    with pytest.raises(ToolError, match="all zeros would pass"):
        test.assert_close_to_oracle("o", near, tolerance=100.0)


def test_an_output_of_fewer_bits_is_judged_in_its_type():
    test = goldens.export("mul")
    half = (test["input.a"] * test["input.b"]).astype(np.float16)
    test.assert_close_to_oracle("out", half)
    half[3] *= np.float16(1.01)
    with pytest.raises(Mismatch, match="1/1024 elements"):
        test.assert_close_to_oracle("out", half)


def test_what_another_seed_drew_is_not_judged(tmp_path):
    test, other = goldens.export("mul", seed=1), goldens.export("mul", seed=2)
    mixed = goldens.Goldens(test.metadata, other._tensors)
    with pytest.raises(ToolError, match="is not what seed 1 of mul draws"):
        mixed.assert_close_to_oracle("out", other["golden.out"])


def test_names_shapes_and_files_that_are_none(tmp_path):
    test = goldens.export("mul")
    with pytest.raises(KeyError, match="no tensor `input.q`"):
        test["input.q"]
    with pytest.raises(ToolError, match="output.nothing"):
        test.assert_close_to_oracle("nothing", test["golden.out"])
    with pytest.raises(ToolError, match="shape"):
        test.assert_close_to_oracle("out", test["golden.out"][:7])
    with pytest.raises(TypeError, match="complex"):
        test.assert_close_to_oracle("out", test["golden.out"].astype(complex))
    with pytest.raises(ValueError, match="stand beside tolerance"):
        test.assert_close_to_oracle("out", test["golden.out"], relative_rms=1e-3)
    with pytest.raises(ToolError):
        goldens.export("no such test")
    (tmp_path / "x.safetensors").write_bytes(b"\0" * 20)
    with pytest.raises(ValueError, match="no safetensors file"):
        goldens.load(tmp_path / "x.safetensors")
