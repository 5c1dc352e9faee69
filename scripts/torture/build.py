"""Compiling a program, for this machine and for gfx906, and running either."""

import functools
import json
import shlex
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
CLANG = "clang-19"
LINKER = "ld.lld-19"
# Old C is C here too: what newer standards forbid is a warning, and warnings are off.
LENIENT = ["-std=gnu17", "-w"] + [
    f"-Wno-error={warning}"
    for warning in (
        "implicit-int",
        "implicit-function-declaration",
        "int-conversion",
        "incompatible-pointer-types",
        "incompatible-function-pointer-types",
        "return-mismatch",
        "return-type",
    )
]
DEVICE = ["--target=amdgcn-amd-amdhsa", "-mcpu=gfx906", "-nogpulib", "-nostdlibinc", "-isystem", str(HERE / "include")]
# As GCC's own test suite does for targets without signals.
DEVICE_PROGRAM = [*DEVICE, "-DSIGNAL_SUPPRESS", *LENIENT]
COMPILE_SECONDS = 120
NATIVE_SECONDS = 10
LIMITS = {"instructions": 2_000_000_000, "seconds": 300}
# What entry.c writes into the first word of the status.
ENDED, ABORTED = 1, 2


class Failed(Exception):
    """A step that failed, with what was said about it."""


def command(args, seconds=COMPILE_SECONDS, **more):
    """Runs a command; its standard error where it fails, as `Failed`."""
    try:
        done = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, **more)
    except subprocess.TimeoutExpired:
        raise Failed(f"takes more than {seconds} s") from None
    if done.returncode:
        said = done.stderr.decode(errors="replace")
        raise Failed(said or f"ends with status {done.returncode}")
    return done.stdout


def bitcode(source, out, level, *more):
    """Compiles a source for gfx906 to bitcode, with other bitcode linked in."""
    linked = [arg for path in more for arg in ("-Xclang", "-mlink-bitcode-file", "-Xclang", str(path))]
    # The library must not be compiled into calls of itself, nor into the programs: the host's is not either.
    command([CLANG, *DEVICE, "-Wall", "-Werror", "-fno-builtin", "-fno-inline", level, "-emit-llvm", "-c", str(source), *linked, "-o", str(out)])


def library(scratch, level):
    """The kernel and the C library for gfx906, as bitcode: the paths of the two."""
    folder = scratch / "library"
    folder.mkdir(parents=True, exist_ok=True)
    parts = {name: folder / f"{name}{level}.bc" for name in ("entry", "memory", "string", "libc")}
    for name in ("entry", "memory", "string"):
        bitcode(HERE / f"{name}.c", parts[name], level)
    bitcode(HERE / "format.c", parts["libc"], level, parts["memory"], parts["string"])
    return parts["entry"], parts["libc"]


@functools.cache
def native_link():
    """The command that links for this machine, but for its objects and output: asked for once, the driver takes its time."""
    args = [CLANG, "-fuse-ld=lld", "-###", "-Wl,OBJECT.o", "-lm", "-o", "OUT"]
    said = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, text=True).stderr
    link = shlex.split(said.splitlines()[-1])
    if "OBJECT.o" not in link or "OUT" not in link:
        raise Failed(f"{CLANG} does not say how it links: {said}")
    return link


def native(program, level, folder):
    """Builds a program for this machine and runs it: it must end with status 0."""
    objects = []
    for source in program.sources:
        objects.append(str(folder / (source.stem + ".o")))
        command([CLANG, *LENIENT, *program.options, level, "-c", str(source), "-o", objects[-1]])
    out = folder / "native"
    place = {"OBJECT.o": objects, "OUT": [str(out)]}
    command([word for part in native_link() for word in place.get(part, [part])] + ["--threads=1"])
    command([str(out.resolve())], NATIVE_SECONDS, cwd=folder)


def device(program, level, folder, entry, libc):
    """Builds a program for gfx906: one module with the kernel, and of the library what it needs."""
    options = [*DEVICE_PROGRAM, *program.options, *program.device_options, level]
    first, *others = program.sources
    linked = []
    for source in others:
        part = folder / (source.stem + ".bc")
        command([CLANG, *options, "-emit-llvm", "-c", str(source), "-o", str(part)])
        linked.append(part)
    args = [arg for path in [*linked, entry] for arg in ("-Xclang", "-mlink-bitcode-file", "-Xclang", str(path))]
    args += ["-Xclang", "-mlink-builtin-bitcode", "-Xclang", str(libc)]
    object_file, out = folder / "device.o", folder / "device.co"
    command([CLANG, *options, "-c", str(first), *args, "-o", str(object_file)])
    command([LINKER, "-shared", "--no-undefined", "--threads=1", str(object_file), "-o", str(out)])
    return out


def trap_text(launch):
    """How a launch ended that did not come to its end, in one line."""
    trap = launch["trap"]
    address = f", address {trap['address']:#x}" if trap["address"] is not None else ""
    return f"{trap['message']}: {trap['instruction']} at {trap['pc']:#x}{address}"


def emulate(check, code_object, folder):
    """Runs the code object on the emulator: it must end with status 0."""
    launch = folder / "launch.json"
    launch.write_text(
        json.dumps(
            {
                "code_object": code_object.name,
                "buffers": {"status": {"bytes": 8, "fill": "zero", "save": "status.bin"}},
                "launches": [{"kernel": "torture", "grid": [1, 1, 1], "block": [1, 1, 1], "args": ["$status"]}],
                "limits": LIMITS,
            }
        )
    )
    args = [check, "exec", "--format", "json", "--jobs", "1", str(launch)]
    done = subprocess.run(args, stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * LIMITS["seconds"])
    if done.returncode not in (0, 1):
        raise Failed(done.stderr.decode(errors="replace").strip() or f"deltanet-check ends with {done.returncode}")
    ran = json.loads(done.stdout)["launches"][0]
    if ran["result"] != "ran":
        raise Failed(trap_text(ran))
    status = (folder / "status.bin").read_bytes()
    how, code = (int.from_bytes(status[at : at + 4], "little") for at in (0, 4))
    if how == ABORTED:
        raise Failed("aborted")
    if how != ENDED:
        raise Failed("ended without a status")
    if code:
        raise Failed(f"exit status {code}")


def compiler():
    """The compiler's name and version."""
    return command([CLANG, "--version"]).decode().splitlines()[0]
