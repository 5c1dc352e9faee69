#!/usr/bin/env python3
"""Damaged files of every format that the program reads. Each must end with an exit code of the program's own, within ten seconds and 1 GB.

  scripts/hostile-files.py [COUNT [SEED]]   COUNT files in all (1,000), the same ones for the same seed (0)

DELTANET_CHECK names a built deltanet-check. A file that is not refused well stays in target/hostile, with the command that reads it.
"""
import os, pathlib, random, resource, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = os.environ.get("DELTANET_CHECK", str(ROOT / "target/release/deltanet-check"))
KEPT = ROOT / "target/hostile"
SECONDS, BYTES = 10, 1 << 30
KERNELS = str(ROOT / "kernels/built/deltanet.co")
LAUNCH = """{ "code_object": "k.co", "variables": {}, "limits": {"instructions": 1000000, "seconds": 1},
  "buffers": { "in": {"file": "a.npy"}, "t": {"file": "a.safetensors", "tensor": "input.a"}, "out": {"bytes": 256, "fill": "poison", "dtype": "f32", "shape": [64]} },
  "launches": [ {"kernel": "kernel_scale", "grid": [1, 1, 1], "block": [64, 1, 1], "dynamic_lds": 0, "args": ["$in + 0", "$out", {"i32": 64}, {"f32": 3.0}]} ],
  "expect": { "out": {"file": "a.npy", "tolerance": 1e-5, "relative": 0.5} } }"""
WORDS = [
    "-1", "0", "1", "4294967296", "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e400", "-0.0", "nan", "inf", "null", "true",
    "[]", "{}", '""', "[[[[[[[[", "}}}}", '"\\u0000"', '"../../../etc/passwd"', '"/dev/zero"', "\u202e", "\x1b[2J", "::error::x", "n * n * n * n * n",
    "T * 4294967296", "ceil(1 / 0)", "((((((((((((((((", "%", "\\", "'", "#", "=", "\n[[binding]]\n", "\n[contract.tensors]\n", "\n[[contract]]\n",
]


def seeds(folder):
    """Writes good files of each format. Returns format, file and the arguments of a command that reads it."""
    def write(name, text):
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def run(*arguments):
        subprocess.run([PROGRAM, *arguments], cwd=folder, stdout=subprocess.DEVNULL, check=False)

    shutil.copy(KERNELS, folder / "k.co")
    for file in (ROOT / "examples").glob("*/*"):
        shutil.copy(file, folder / f"{file.parent.name}-{file.name}") if file.suffix == ".toml" else None
    shutil.copy(ROOT / "examples/gated_rmsnorm/reference.py", folder / "reference.py")
    run("export", "--test", "add:n=63", "--out", "a.safetensors")
    run("--test", "add", "--report", "r.json")
    run("profile", "--test", "add", "--report", "p.json")
    header = b"\x93NUMPY\x01\x00v\x00" + b"{'descr': '<f4', 'fortran_order': False, 'shape': (64,), }".ljust(117) + b"\n"
    write("a.npy", header + bytes(256))
    write("launch.json", LAUNCH)
    write("known.toml", 'schema = 1\n[[known]]\ntest = "add*"\nreason = "seen on the card"\n')
    binding = (ROOT / "kernels/attention.bind.toml").read_bytes()
    test = ("--test", "add:n=1", "--jobs", "1")
    return [
        ("launch", folder / "launch.json", ("exec", "@")),
        ("npy", folder / "a.npy", ("exec", "launch.json")),
        ("safetensors", folder / "a.safetensors", ("vectors", "@")),
        ("tensors", folder / "a.safetensors", ("exec", "launch.json")),
        ("code object", folder / "k.co", ("exec", "launch.json")),
        ("code object", folder / "k.co", ("lint", "@")),
        ("code object", folder / "k.co", ("inspect", "@")),
        ("code object", folder / "k.co", ("bind", "@")),
        ("binding", write("b.toml", binding), ("--kernels", KERNELS, "--bind", "@", "--list")),
        ("binding", write("rule.toml", (ROOT / "tests/bindings/rule.toml").read_bytes()), ("--kernels", KERNELS, "--bind", "@", "--list")),
        ("binding", write("varlen.toml", (ROOT / "tests/bindings/varlen.toml").read_bytes()), ("--kernels", KERNELS, "--bind", "@", "--list")),
        ("contract", folder / "gated_rmsnorm-contract.toml", ("contracts", "--contract", "@")),
        ("contract", folder / "moe_topk-contract.toml", ("contracts", "--contract", "@")),
        ("contract", folder / "quantised_gemv-contract.toml", ("contracts", "--contract", "@")),
        ("registry", write("phases.toml", (ROOT / "phases.toml").read_bytes()), ("--registry", "@", "--list")),
        ("known", folder / "known.toml", (*test, "--known", "@")),
        ("report", folder / "r.json", ("merge", "@", "r.json")),
        ("report", folder / "r.json", ("compare", "@", "r.json")),
        ("report", folder / "r.json", ("--failed", "@")),
        ("costs", folder / "p.json", ("compare", "@", "p.json")),
        ("script", write("run.json", '{"schema": 1}'), ("debug", "@")),
    ]


def damaged(text, draw):
    """Returns a text with one to four kinds of damage."""
    for _ in range(draw.randint(1, 4)):
        at, other = draw.randrange(len(text) + 1), draw.randrange(len(text) + 1)
        kind = draw.randrange(8)
        if kind == 0:
            text = text[:at] + bytes([draw.randrange(256)]) + text[at + 1 :]
        elif kind == 1:
            text = text[:at] + text[min(len(text), at + draw.randint(1, 40)) :]
        elif kind in (2, 3):
            text = text[:at] + draw.choice(WORDS).encode() + text[at + draw.choice([0, 1, 4]) :]
        elif kind == 4:
            begin, end = sorted((at, other))
            text = text[:begin] + text[begin:end] * draw.choice([2, 3, 20]) + text[end:] if end - begin < 4096 else text[:begin]
        elif kind == 5:
            lines = text.split(b"\n")
            draw.shuffle(lines) if len(lines) < 200 else lines.pop(draw.randrange(len(lines)))
            text = b"\n".join(lines)
        elif kind == 6:
            digits = [place for place, byte in enumerate(text) if 48 <= byte <= 57] or [0]
            place = draw.choice(digits)
            text = text[:place] + draw.choice(WORDS[:9]).encode() + text[place + 1 :]
        else:
            text = text[:at] + draw.choice([b"[", b"{", b"(", b"a.", b'"', b"\0", b"\xff"]) * draw.choice([1, 30, 3000]) + text[at:]
    return text


def limited():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judge(folder, command):
    """Returns what is wrong with the end of a command, or nothing."""
    child = subprocess.Popen([PROGRAM, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=limited)
    try:
        _, err = child.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return f"no end within {SECONDS} s"
    if child.returncode not in (0, 1, 2, 3, 4):
        return f"exit code {child.returncode}"
    return "a panic" if b"panicked" in err else None


def main():
    count, seed = (list(map(int, sys.argv[1:])) + [1000, 0][len(sys.argv) - 1 :])[:2]
    draw, wrong, codes = random.Random(seed), [], {}
    shutil.rmtree(KEPT, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rows = seeds(folder)
        for number in range(count):
            kind, file, command = rows[number % len(rows)]
            good = file.read_bytes()
            bad = damaged(good, draw)
            file.write_bytes(bad)
            found = judge(folder, [file.name if word == "@" else word for word in command])
            file.write_bytes(good)
            codes[kind] = codes.get(kind, 0) + 1
            if found:
                KEPT.mkdir(parents=True, exist_ok=True)
                (KEPT / f"{number}-{file.name}").write_bytes(bad)
                wrong.append(f"{kind} {number}-{file.name}: {found}: {' '.join(command)}")
                print(wrong[-1], flush=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10
    print(f"{count} files ({', '.join(f'{kind} {many}' for kind, many in codes.items())}): {len(wrong)} wrong, peak {peak >> 20} MB")
    if wrong or peak > BYTES:
        sys.exit(1)


main()
