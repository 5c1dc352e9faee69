#!/bin/sh
# Assembles the programs in crates/gfx906/tests/programs/*.toml and crates/gfx906/tests/sanitizer/*.toml and the instructions in
# crates/gfx906/benches/instructions.tsv with llvm-mc and writes their words behind their text, and the kernels in
# crates/gfx906/tests/hostile/hostile.s, crates/gfx906/tests/litmus/litmus.s, tests/data/lint.s and the frame of random programs in
# crates/gfx906/tests/random/program.s into the .co beside them.
# With --check nothing is written, and the exit code is 1 where words are out of date.
set -eu
cd "$(dirname "$0")/.."
mc=${LLVM_MC:-llvm-mc-19} objcopy=${LLVM_OBJCOPY:-llvm-objcopy-19} lld=${LLD:-ld.lld-19}
for tool in "$mc" "$objcopy" "$lld"; do
    command -v "$tool" >/dev/null || { echo "assemble-tests: $tool is missing: install llvm-19 and lld-19, or set LLVM_MC, LLVM_OBJCOPY and LLD" >&2; exit 3; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for kernels in crates/gfx906/tests/hostile/hostile crates/gfx906/tests/litmus/litmus crates/gfx906/tests/random/program tests/data/lint; do
    new=$scratch/new.co
    "$mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx906 -filetype=obj "$kernels.s" -o "$scratch/new.o"
    "$lld" -shared "$scratch/new.o" -o "$new"
    if [ "${1:-}" = --check ]; then
        # Code alone: what else a linker writes is its own affair.
        "$objcopy" -O binary --only-section=.text "$new" "$scratch/new.text"
        "$objcopy" -O binary --only-section=.text "$kernels.co" "$scratch/old.text"
        cmp -s "$scratch/new.text" "$scratch/old.text" || { echo "out of date: $kernels.co; run scripts/assemble-tests.sh" >&2; exit 1; }
    else
        "$objcopy" --strip-debug "$new" "$kernels.co"
    fi
done
python3 - "$mc" "$objcopy" "${1:-}" <<'PYTHON'
import glob, re, subprocess, sys, tempfile

mc, objcopy, mode = sys.argv[1:]
program = re.compile(r"(code = '''\n(.*?)'''\n)(?:words = \"[^\"]*\"\n)?", re.DOTALL)
stale = []

def assemble(code, path):
    with tempfile.TemporaryDirectory() as scratch:
        obj, out = scratch + "/a.o", scratch + "/a.bin"
        run = subprocess.run([mc, "-triple=amdgcn", "-mcpu=gfx906", "-filetype=obj", "-o", obj], input=code, text=True, capture_output=True)
        if run.returncode:
            sys.exit(f"{path}: {run.stderr}")
        subprocess.run([objcopy, "-O", "binary", "--only-section=.text", obj, out], check=True)
        data = open(out, "rb").read()
    return " ".join(f"{int.from_bytes(data[at:at + 4], 'little'):08x}" for at in range(0, len(data), 4))

for path in sorted(glob.glob("crates/gfx906/tests/programs/*.toml") + glob.glob("crates/gfx906/tests/sanitizer/*.toml")):
    text = open(path).read()
    new = program.sub(lambda m: m[1] + f'words = "{assemble(m[2], path)}"\n', text)
    if new != text:
        stale.append(path)
        if mode != "--check":
            open(path, "w").write(new)

# A row's text is its last column but one; words are told apart by a marker behind each instruction that no bench would hold.
path = "crates/gfx906/benches/instructions.tsv"
text = open(path).read()
lines = text.splitlines()
rows = [n for n, line in enumerate(lines) if line and not line.startswith("#")]
marker = "s_trap 255"
code = "".join(lines[n].split("\t")[4].replace("; ", "\n") + f"\n{marker}\n" for n in rows)
words = assemble(code, path).split(" bf9200ff")
for n, row in zip(rows, words):
    lines[n] = "\t".join(lines[n].split("\t")[:5] + [row.strip()])
new = "\n".join(lines) + "\n"
if new != text:
    stale.append(path)
    if mode != "--check":
        open(path, "w").write(new)
if mode != "--check":
    print("\n".join(f"renewed: {path}" for path in stale) or "all words are up to date")
elif stale:
    sys.exit("out of date: " + ", ".join(stale) + "; run scripts/assemble-tests.sh")
PYTHON
