"""Builds kernels for gfx906 and runs them on the emulator, a batch of launches at a time."""

import array
import json
import struct
import subprocess

BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
# Types of a kernel's arrays, as the array module has them; _Float16 goes as bits
CODES = {
    "int": "i",
    "long": "q",
    "float": "f",
    "double": "d",
    "unsigned char": "B",
    "unsigned short": "H",
    "unsigned": "I",
    "unsigned long": "Q",
    "_Float16": "H",
}


def build(source, target, opt):
    """Compiles a HIP source as scripts/build-kernels.sh does, at an optimisation level."""
    command = ["clang-19", "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "--offload-arch=gfx906", "--rocm-path=/usr"]
    command += [f"--rocm-device-lib-path={BITCODE}", "-fuse-cuid=none", opt, str(source), "-o", str(target)]
    subprocess.run(command, check=True)


class Trapped(Exception):
    """The emulator stopped: its words."""


class Batch:
    """Launches over arrays of points; results come back as arrays."""

    def __init__(self, program, folder, code_object):
        self.program, self.folder = program, folder
        self.launches, self.buffers, self.outputs = [], {}, []
        self.spec = {"code_object": str(code_object), "limits": {"instructions": 20_000_000_000, "seconds": 300}}

    def input(self, name, kind, values):
        """A buffer of values, written once."""
        if name not in self.buffers:
            if kind == "_Float16":
                data = struct.pack(f"<{len(values)}e", *values)
            else:
                data = array.array(CODES[kind], values).tobytes()
            (self.folder / f"{name}.bin").write_bytes(data)
            self.buffers[name] = {"file": f"{name}.bin"}
        return name

    def launch(self, kernel, inputs, outputs, count):
        """One work-item a point; `outputs` are the types of the results. Returns the numbers to ask `result` for."""
        names = []
        for kind in outputs:
            name = f"out{len(self.outputs)}"
            self.buffers[name] = {"bytes": count * array.array(CODES[kind]).itemsize, "fill": "poison", "save": f"{name}.bin"}
            self.outputs.append(kind)
            names.append(name)
        block = 64
        grid = [count // block, 1, 1]
        self.launches.append({"kernel": kernel, "grid": grid, "block": [block, 1, 1], "args": [f"${n}" for n in [*inputs, *names]]})
        return [int(name[3:]) for name in names]

    def run(self):
        """Runs every launch; raises Trapped with the emulator's words if one does not end."""
        spec = self.spec | {"buffers": self.buffers, "launches": self.launches}
        path = self.folder / "launch.json"
        path.write_text(json.dumps(spec))
        done = subprocess.run([self.program, "exec", str(path)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Trapped((done.stdout + done.stderr).strip())

    def result(self, number):
        """The values of a result, after `run`."""
        kind = self.outputs[number]
        data = (self.folder / f"out{number}.bin").read_bytes()
        if kind == "_Float16":
            return struct.unpack(f"<{len(data) // 2}e", data)
        values = array.array(CODES[kind])
        values.frombytes(data)
        return values
