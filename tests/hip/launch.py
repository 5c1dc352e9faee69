"""A HIP program that no compiler has to build: it calls the runtime by the name of one version, and launches a kernel of a code object.

launch.py CODE-OBJECT GENERATION
"""
import ctypes
import sys
from ctypes import byref, c_float, c_int, c_size_t, c_void_p

code_object, generation = sys.argv[1], int(sys.argv[2])
hip = ctypes.CDLL(f"libamdhip64.so.{generation}")


def call(name, *arguments):
    """Calls a function of HIP, which must succeed."""
    status = getattr(hip, name)(*arguments)
    assert status == 0, f"{name}: {status}"


version = c_int()
call("hipRuntimeGetVersion", byref(version))
assert version.value // 10_000_000 == generation, version.value

count = 1000
values = (c_float * count)(*range(count))
factors = (c_float * count)(*[3] * count)
result = (c_float * count)()
buffers = []
for host in (values, factors, result):
    buffers.append(c_void_p())
    call("hipMalloc", byref(buffers[-1]), c_size_t(ctypes.sizeof(host)))
    call("hipMemcpy", buffers[-1], host, c_size_t(ctypes.sizeof(host)), 1)

module, function = c_void_p(), c_void_p()
call("hipModuleLoad", byref(module), code_object.encode())
call("hipModuleGetFunction", byref(function), module, b"kernel_mul")
arguments = [*buffers, c_int(count)]
pointers = (c_void_p * len(arguments))(*[ctypes.addressof(argument) for argument in arguments])
call("hipModuleLaunchKernel", function, 4, 1, 1, 256, 1, 1, 0, None, pointers, None)
call("hipMemcpy", result, buffers[-1], c_size_t(ctypes.sizeof(result)), 2)
assert list(result) == [3 * value for value in values]

# Other libraries, by names that packages make from a list: hipBLAS has the card of the runtime, the stand-in of RCCL only exists.
blas, handle = ctypes.CDLL(f"libhipblas.so.{ {5: 0, 6: 2, 7: 3}[generation]}"), c_void_p()
assert blas.hipblasCreate(byref(handle)) == 0
ctypes.CDLL("librccl.so")
