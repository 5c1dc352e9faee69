"""The torch that a program sees: one MI50 of a ROCm build, by every name that torch has for a place."""
import importlib.util
import subprocess
import sys
import types

import pytest
import torch
import triton


@pytest.fixture(autouse=True)
def as_before():
    """Takes back what a test sets for the thread."""
    yield
    torch.set_default_device(None)
    torch.set_default_dtype(torch.float32)


def on_card(tensor):
    return tensor.is_cuda and not tensor.is_cpu and tensor.device == torch.device("cuda", 0) and tensor.untyped_storage().data_ptr() != 0


FACTORIES = {
    "empty": lambda **device: torch.empty(3, **device),
    "rand": lambda **device: torch.rand(3, **device),
    "tensor": lambda **device: torch.tensor([1.0], **device),
    "arange": lambda **device: torch.arange(3, **device),
    "linspace": lambda **device: torch.linspace(0, 1, 3, **device),
    "eye": lambda **device: torch.eye(2, **device),
    "Linear": lambda **device: torch.nn.Linear(2, 2, **device).weight,
}


@pytest.mark.parametrize("make", FACTORIES.values(), ids=FACTORIES)
@pytest.mark.parametrize("device", ["cuda", "cuda:0", torch.device("cuda"), torch.device("cuda", 0), 0], ids=str)
def test_each_way_to_name_the_place(make, device):
    assert on_card(make(device=device))
    with torch.device(device):
        assert on_card(make())
    torch.set_default_device(device)
    assert on_card(make())
    with torch.device("meta"):
        assert make().device.type == "meta"
    assert on_card(make())


def test_the_default_device_is_what_was_set():
    assert torch.get_default_device() == torch.device("cpu")
    torch.set_default_device("cuda")
    assert torch.get_default_device() == torch.device("cuda", 0)
    torch.set_default_device(None)
    assert torch.get_default_device() == torch.device("cpu")


def test_the_accelerator_is_the_card():
    assert torch.accelerator.is_available() and torch.accelerator.device_count() == 1
    assert torch.accelerator.current_accelerator() == torch.device("cuda")
    assert torch.accelerator.current_device_index() == 0
    with torch.accelerator.device_index(0):
        torch.accelerator.synchronize()
    torch.accelerator.set_device_index(0)
    assert isinstance(torch.accelerator.current_stream(), torch.Stream)
    assert torch.accelerator.memory_allocated() == 0 and torch.accelerator.get_memory_info()[1] == 16 << 30
    assert torch.get_device_module() is torch.cuda and torch.get_device_module("cuda") is torch.cuda
    assert isinstance(torch.cuda.current_stream(), torch.cuda.Stream)
    with torch.cuda.stream(torch.cuda.current_stream()):
        torch.Stream(device="cuda").synchronize()
    event = torch.Event("cuda", enable_timing=True)
    event.record()
    assert event.query()


@pytest.mark.parametrize("kind, dtype", [("Float", torch.float32), ("Half", torch.float16), ("BFloat16", torch.bfloat16), ("Long", torch.int64), ("Bool", torch.bool)])
def test_types_of_torch_cuda(kind, dtype):
    made = getattr(torch.cuda, f"{kind}Tensor")([1, 0])
    assert on_card(made) and made.dtype == dtype and made.tolist() == [1, 0]
    assert made.type() == f"torch.cuda.{kind}Tensor"
    assert isinstance(made, getattr(torch.cuda, f"{kind}Tensor")) and not isinstance(made, torch.cuda.ShortTensor)
    for wanted in (f"torch.cuda.{kind}Tensor", getattr(torch.cuda, f"{kind}Tensor"), dtype):
        assert torch.ones(2, device="cuda").type(wanted).dtype == dtype


def test_a_default_type_of_torch_cuda():
    torch.set_default_tensor_type("torch.cuda.HalfTensor")
    assert torch.empty(1).type() == "torch.cuda.HalfTensor"


@pytest.mark.parametrize("dtype", [None, torch.float16, torch.bfloat16])
def test_autocast_of_the_card(dtype):
    a = torch.rand(4, 4, device="cuda")
    assert not torch.is_autocast_enabled("cuda")
    with torch.autocast("cuda", dtype=dtype):
        assert torch.is_autocast_enabled("cuda")
        assert (a @ a).dtype == torch.get_autocast_dtype("cuda") == (dtype or torch.float16)
        with torch.autocast(device_type="cuda", enabled=False):
            assert (a @ a).dtype == torch.float32
    assert (a @ a).dtype == torch.float32 and torch.get_autocast_dtype("cuda") == torch.float16


def test_what_is_compiled_runs_as_it_is():
    def add(a, b):
        return a + b

    @torch.compile(fullgraph=True, mode="max-autotune")
    def subtract(a, b):
        return a - b

    a = torch.rand(3, device="cuda")
    assert torch.compile(add) is add and torch.equal(subtract(a, a), torch.zeros(3, device="cuda"))
    layer = torch.nn.Linear(3, 3).cuda()
    layer.compile()
    assert torch.equal(layer(a), torch.compile(layer)(a))


REFUSED = {
    "torch.cuda.CUDAGraph": lambda: torch.cuda.CUDAGraph(),
    "torch.cuda.graph": lambda: torch.cuda.graph(None),
    "torch.cuda.make_graphed_callables": lambda: torch.cuda.make_graphed_callables(print, ()),
    "torch.accelerator.Graph": lambda: torch.accelerator.Graph(),
    "torch.cuda.cudart": lambda: torch.cuda.cudart(),
    "torch.cuda.memory_snapshot": lambda: torch.cuda.memory_snapshot(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_there_is_refused_by_name(name):
    if name == "torch.accelerator.Graph" and not hasattr(torch.accelerator, "Graph"):
        pytest.skip("this torch has none")
    with pytest.raises(RuntimeError, match=f"^{name}: the emulated MI50 ") as caught:
        REFUSED[name]()
    assert "\n" not in str(caught.value)


def test_every_function_of_torch_cuda_is_answered_or_refused():
    """None is torch's own, which would look for a card of NVIDIA's."""
    functions = {name: getattr(torch.cuda, name) for name in torch.cuda.__all__ if isinstance(getattr(torch.cuda, name, None), types.FunctionType)}
    assert [name for name, function in functions.items() if function.__module__.startswith("torch.")] == []


def test_the_platform_is_rocm_with_an_mi50():
    """By each question that libraries ask to tell the cards apart: a capability of (9, 0) alone is also that of another maker's card."""
    assert torch.version.cuda is None and int(torch.version.hip.split(".")[0]) >= 5
    assert torch.cuda.get_device_properties(0).gcnArchName.startswith("gfx906")
    assert torch.cuda.get_device_capability() == (9, 0) and "NVIDIA" not in torch.cuda.get_device_name()
    target = triton.runtime.driver.active.get_current_target()
    assert (target.backend, target.arch, target.warp_size) == ("hip", "gfx906", 64)


def test_the_cards_of_the_machine_are_found_through_amdsmi():
    import amdsmi

    amdsmi.amdsmi_init()
    (card,) = amdsmi.amdsmi_get_processor_handles()
    chip = amdsmi.amdsmi_get_gpu_asic_info(card)
    assert chip["target_graphics_version"] == "gfx906" and chip["num_compute_units"] == torch.cuda.get_device_properties(0).multi_processor_count
    assert chip["market_name"] == torch.cuda.get_device_name(0)
    assert amdsmi.amdsmi_get_gpu_memory_total(card, amdsmi.AmdSmiMemoryType.VRAM) == torch.cuda.mem_get_info()[1]
    with pytest.raises(amdsmi.AmdSmiException):
        amdsmi.amdsmi_topo_get_link_type(card, card)
    with pytest.raises(amdsmi.AmdSmiException, match="no handle"):
        amdsmi.amdsmi_get_gpu_device_uuid(0)
    amdsmi.amdsmi_shut_down()
    assert importlib.util.find_spec("amdsmi") is not None


@pytest.mark.parametrize("first", ["torch", "triton", "amdsmi"])
def test_a_program_has_the_device_by_the_environment_alone(first, monkeypatch):
    monkeypatch.setenv("DELTANET_CHECK_GPU", "1")
    code = f"import {first}, torch, triton, amdsmi; print(torch.cuda.get_device_name(), triton.runtime.driver.active.get_current_target().arch)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout == "AMD Instinct MI50/MI60 (emulated) gfx906\n", said.stderr
    monkeypatch.setenv("DELTANET_CHECK_GPU", "0")
    said = subprocess.run([sys.executable, "-c", "import torch; print(torch.version.hip)"], capture_output=True, text=True)
    assert said.stdout == "None\n"
