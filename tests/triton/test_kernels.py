"""The kernels of kernels.py through Triton's own driver, on tensors that say device="cuda"."""
import deltanet_check
import kernels
import pytest
import torch
import triton
import triton.language as tl
from rule import gated_delta_rule

DEVICE = "cuda"


def normal(*shape, dtype=torch.float32):
    return torch.randn(*shape, device=DEVICE).to(dtype)


@pytest.mark.parametrize("n", [1, 255, 1000])
def test_vector_add(n):
    x, y = normal(n), normal(n)
    out = torch.empty_like(x)
    kernels.vector_add[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    assert torch.equal(out, x + y)


@pytest.mark.parametrize("rows, columns", [(1, 1), (5, 300)])
def test_softmax(rows, columns):
    x = 4 * normal(rows, columns)
    out = torch.empty_like(x)
    kernels.softmax[(rows,)](x, out, columns, BLOCK=triton.next_power_of_2(columns))
    torch.testing.assert_close(out, torch.softmax(x.double(), 1).float(), atol=2e-6, rtol=0)


def test_layer_norm():
    x, weight, bias = normal(5, 300), normal(300), normal(300)
    out = torch.empty_like(x)
    kernels.layer_norm[(5,)](x, weight, bias, out, 300, 1e-5, BLOCK=512)
    want = torch.nn.functional.layer_norm(x.double(), (300,), weight.double(), bias.double(), 1e-5)
    torch.testing.assert_close(out, want.float(), atol=1e-5, rtol=0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("warps", [1, 4])
def test_matmul(dtype, warps):
    M, N, K = 50, 40, 100
    a, b = normal(M, K, dtype=dtype), normal(K, N, dtype=dtype)
    out = torch.empty(M, N, device=DEVICE)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    kernels.matmul[grid](a, b, out, M, N, K, BM=32, BN=32, BK=32, num_warps=warps)
    bound = K * 2**-24 * (a.double().abs() @ b.double().abs()).max()
    assert (out - a.double() @ b.double()).abs().max() <= bound


@pytest.mark.parametrize("state", ["zero", "random"])
def test_a_delta_rule_is_judged_by_the_tool(state):
    test = deltanet_check.goldens.export(CASES[state])
    q, k, v, g, beta, initial = (test.torch(f"input.{name}") for name in ("q", "k", "v", "g", "beta", "initial"))
    (B, T, H, K), (HV, V) = q.shape, v.shape[2:]
    o, final = torch.empty_like(v), torch.empty_like(initial)
    value_major = "layout=value-major" in CASES[state]
    strides = (1, K) if value_major else (V, 1)
    gated_delta_rule[(triton.cdiv(V, 16), HV, B)](
        q, k, v, g, beta, initial, o, final, T, H, HV, K, V, int("map=tiled" in CASES[state]), int(state == "random"), *strides, K**-0.5,
        KEYS=128, VALUES=16, FORGET_BETA=False, num_warps=1,
    )  # fmt: skip
    test.assert_close_to_oracle("o", o)
    test.assert_close_to_oracle("final", final)


CASES = {
    "random": "recurrent:B=1,T=65,H=1,HV=1,K=64,V=64,gates=none,map=block,state=random,layout=value-major",
    "zero": "recurrent:B=1,T=2,H=4,HV=8,K=128,V=128,gates=slow,map=block,state=zero,layout=key-major",
}


@triton.autotune(configs=[triton.Config({"BLOCK": 256}, num_warps=warps) for warps in (32, 4, 8)], key=["n"])
@triton.jit
def add_to(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(out + at, mask=at < n) + tl.load(x + at, mask=at < n), mask=at < n)


def test_an_autotuned_kernel_runs_once():
    """Measuring would add more than once; 32 waves are more than a work-group has."""
    x, out = normal(1000), torch.zeros(1000, device=DEVICE)
    for _ in range(2):
        before = out.clone()
        add_to[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, out, 1000)
        assert torch.equal(out, before + x)


@triton.jit
def no_mask(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at))


def test_a_fault_is_an_exception_with_the_report_and_the_next_launch_runs():
    x = normal(1000)
    for _ in range(2):
        out = torch.zeros(1024, device=DEVICE)
        with pytest.raises(deltanet_check.Trap, match="memory fault: read") as caught:
            no_mask[(4,)](x, out, BLOCK=256)
        assert caught.value.kernel == "no_mask" and caught.value.work_group == (3, 0, 0)
        assert caught.value.argument == 0 and "`x`, tensor of torch.float32, shape (1000,)" in str(caught.value)
        good = torch.empty_like(x)
        kernels.vector_add[(4,)](x, x, good, 1000, BLOCK=256)
        assert torch.equal(good, x + x)


def test_a_view_reaches_its_storage_and_several_views_share_one():
    x = normal(1000)
    kernels.vector_add[(2,)](x[:300], x[300:600], x[600:], 300, BLOCK=256)
    assert torch.equal(x[600:900], x[:300] + x[300:600])
    # The rest of a storage is its tensor's own, as on a card.
    out = torch.zeros(1024, device=DEVICE)
    no_mask[(1,)](x[:100], out, BLOCK=256)
    assert torch.equal(out[:256], x[:256])


def test_what_the_host_does_between_launches_is_seen():
    """Memory stays registered from launch to launch: its values are those of now, and what a launch is not handed it does not reach."""
    x, out = torch.zeros(256, device=DEVICE), torch.zeros(256, device=DEVICE)
    for number in range(5):
        x.fill_(number)
        no_mask[(1,)](x, out, BLOCK=256)
        assert (out[:256] == number).all()
        # Memory of another size at the same place, more often than not.
        del out
        out = torch.zeros(256 + number, device=DEVICE)
    pair = torch.zeros(512, device=DEVICE)
    halves = [torch.from_numpy(half) for half in (pair.numpy()[:256], pair.numpy()[256:])]
    for half in halves:
        assert half.untyped_storage().nbytes() == 1024
        no_mask[(1,)](half, out, BLOCK=256)
    no_mask[(2,)](pair, torch.zeros(512, device=DEVICE), BLOCK=256)
    for half, faults in [(halves[1], True), (halves[0], True), (pair, False)]:
        if not faults:
            no_mask[(2,)](half, torch.zeros(512, device=DEVICE), BLOCK=256)
            continue
        with pytest.raises(deltanet_check.Trap, match="memory fault: read"):
            no_mask[(2,)](half, torch.zeros(512, device=DEVICE), BLOCK=256)


def test_an_empty_grid_and_empty_tensors_do_nothing():
    empty = torch.empty(0, device=DEVICE)
    kernels.vector_add[(0,)](empty, empty, empty, 0, BLOCK=256)
    kernels.vector_add[(1,)](empty, empty, empty, 0, BLOCK=256)


def test_torch_of_device_cuda_is_there():
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1
    x = torch.zeros(3, device="cuda:0").to("cuda").cuda().to(torch.device("cuda", 0), torch.float16)
    assert x.is_cuda and x.dtype == torch.float16 and x.device == torch.device("cuda:0")
    taken = x.cpu()
    x += 1
    assert (taken == 0).all()
    torch.testing.assert_close(x, torch.ones(3, device="cuda", dtype=torch.float16))
    with torch.random.fork_rng():
        torch.rand(1, device="cuda")
    assert "1., 1., 1." in repr(x)
    with torch.cuda.device(0), torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda.synchronize()
    assert torch.nn.Linear(2, 2).cuda().to("cuda").weight.is_cuda
    torch.cuda.manual_seed_all(1)
    drawn = [torch.rand(3, device="cuda", generator=torch.Generator(device="cuda").manual_seed(7)) for _ in range(2)]
    assert torch.equal(*drawn)
    assert "gfx906" in torch.cuda.get_device_properties(0).gcnArchName
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    end.record()
    assert start.elapsed_time(end) > 0
