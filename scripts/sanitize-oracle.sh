#!/bin/sh
# Random programs without waits and wait states, into which LLVM puts those that gfx906 needs, against lint: it must be silent on them, and
# speak where one is made weaker by one. Where LLVM is more careful than the hardware demands, the reasons are listed in
# crates/gfx906/examples/lint_oracle.
# Usage: scripts/sanitize-oracle.sh [PROGRAMS [SEED]]   (default 2000 programs, seed 1)
set -eu
cd "$(dirname "$0")/.."
llc=${LLC:-llc-19} nm=${LLVM_NM:-llvm-nm-19} objcopy=${LLVM_OBJCOPY:-llvm-objcopy-19}
for tool in "$llc" "$nm" "$objcopy"; do
    command -v "$tool" >/dev/null || { echo "sanitize-oracle: $tool is missing: install llvm-19, or set LLC, LLVM_NM and LLVM_OBJCOPY" >&2; exit 3; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
scripts/build.sh
python3 - "${1:-2000}" "${2:-1}" >"$scratch/programs.mir" <<'PYTHON'
import random, sys

count, seed = int(sys.argv[1]), int(sys.argv[2])
dice = random.Random(seed)

def tuple_of(bank, first, count):
    return "$" + "_".join(f"{bank}{first + n}" for n in range(count))

# Few registers, so that instructions meet each other's.
def v(n=1): return tuple_of("vgpr", dice.randrange(1, 10), n)
def s(n=1): return tuple_of("sgpr", 4 * dice.randrange(1, 4) if n == 4 else 2 * dice.randrange(1, 7) if n == 2 else dice.randrange(2, 14), n)
EXEC = "implicit $exec"
FLAT = "implicit $exec, implicit $flat_scr"

memory = [
    lambda: f"{v()} = GLOBAL_LOAD_DWORD {v(2)}, 0, 0, {EXEC}",
    lambda: f"{v(4)} = GLOBAL_LOAD_DWORDX4_SADDR {s(2)}, {v()}, 0, 0, {EXEC}",
    lambda: f"GLOBAL_STORE_DWORD_SADDR {v()}, {v()}, {s(2)}, 0, 0, {EXEC}",
    lambda: f"GLOBAL_STORE_DWORDX4 {v(2)}, {v(4)}, 0, 0, {EXEC}",
    lambda: f"{v()} = GLOBAL_ATOMIC_ADD_RTN {v(2)}, {v()}, 0, 1, {EXEC}",
    lambda: f"{v()} = BUFFER_LOAD_DWORD_OFFEN {v()}, {s(4)}, {s()}, 0, 0, 0, {EXEC}",
    lambda: f"BUFFER_STORE_DWORDX4_OFFSET {v(4)}, {s(4)}, 0, 0, 0, 0, {EXEC}",
    lambda: f"BUFFER_STORE_DWORDX3_OFFSET {v(3)}, {s(4)}, {s()}, 0, 0, 0, {EXEC}",
    lambda: (lambda d: f"{d} = GLOBAL_LOAD_SHORT_D16_HI {v(2)}, 0, 0, {d}, {EXEC}")(v()),
]
lds = [
    lambda: f"{v()} = DS_READ_B32_gfx9 {v()}, 0, 0, {EXEC}",
    lambda: f"{v(2)} = DS_READ_B64_gfx9 {v()}, 0, 0, {EXEC}",
    lambda: f"DS_WRITE_B32_gfx9 {v()}, {v()}, 0, 0, {EXEC}",
    lambda: f"{v()} = DS_ADD_RTN_U32_gfx9 {v()}, {v()}, 0, 0, {EXEC}",
    lambda: f"{v()} = DS_BPERMUTE_B32 {v()}, {v()}, 0, {EXEC}",
]
scalar = [
    lambda: f"{s()} = S_LOAD_DWORD_IMM {s(2)}, 0, 0",
    lambda: f"{s(2)} = S_LOAD_DWORDX2_IMM {s(2)}, 8, 0",
    lambda: f"{s(2)} = S_MEMTIME",
]
flat = [
    lambda: f"{v()} = FLAT_LOAD_DWORD {v(2)}, 0, 0, {FLAT}",
    lambda: f"FLAT_STORE_DWORDX4 {v(2)}, {v(4)}, 0, 0, {FLAT}",
]
gds = [
    lambda: f"{v()} = DS_ADD_RTN_U32 {v()}, {v()}, 0, -1, implicit $m0, {EXEC}",
    lambda: f"DS_ADD_U32 {v()}, {v()}, 0, -1, implicit $m0, {EXEC}",
]
valu = [
    lambda: f"{v()} = V_MOV_B32_e32 {v()}, {EXEC}",
    lambda: f"{v()} = V_ADD_U32_e32 {v()}, {v()}, {EXEC}",
    lambda: f"{v()} = V_ADD_U32_e64 {s()}, {v()}, 0, {EXEC}",
    lambda: f"{s()} = S_MOV_B32 {s()}",
]
hazards = [
    lambda: (lambda d: f"{d} = V_MOV_B32_dpp {d}, {v()}, 273, 15, 15, 0, {EXEC}")(v()),
    lambda: f"{s()} = V_READFIRSTLANE_B32 {v()}, {EXEC}",
    lambda: f"{s()} = V_READLANE_B32 {v()}, {s()}",
    lambda: (lambda d: f"{d} = V_WRITELANE_B32 {s()}, {dice.choice(('$m0', '7'))}, {d}")(v()),
    lambda: f"V_CMP_EQ_U32_e32 {v()}, {v()}, implicit-def $vcc, {EXEC}",
    lambda: f"{s(2)} = V_CMP_EQ_U32_e64 {v()}, {v()}, {EXEC}",
    lambda: f"V_CMPX_EQ_U32_e32 {v()}, {v()}, implicit-def $exec, implicit-def $vcc, {EXEC}",
    lambda: f"{v()} = V_DIV_FMAS_F32_e64 0, {v()}, 0, {v()}, 0, {v()}, 0, 0, implicit $mode, implicit $vcc, {EXEC}",
    lambda: f"S_SETREG_B32 {s()}, 6145, implicit-def $mode, implicit $mode",
    lambda: f"{s()} = S_GETREG_B32 6145, implicit $mode",
    lambda: f"$m0 = S_MOV_B32 {s()}",
    lambda: f"{v()} = DS_READ_ADDTID_B32 0, 0, implicit $m0, {EXEC}",
    lambda: f"{s()} = S_MOVRELS_B32 {s()}, implicit $m0",
    lambda: "S_SENDMSG 1, implicit $exec, implicit $m0",
]
barrier = [lambda: "S_BARRIER"]

# What a program draws from, each kind by itself and together.
mixes = [memory, lds, scalar, gds, flat, memory + lds, memory + lds + barrier, lds + scalar, memory + scalar, memory + flat + lds, hazards,
         hazards + memory, memory + lds + scalar + flat + gds + hazards]

def block(mix, length):
    return [dice.choice(mix if dice.random() < 0.6 else valu)() for _ in range(length)]

programs = []
for n in range(count):
    mix = mixes[n % len(mixes)]
    if mix is memory and dice.random() < 0.1:
        # More than the counter holds.
        wide = [f"$vgpr{20 + k % 60} = GLOBAL_LOAD_DWORD_SADDR $sgpr2_sgpr3, $vgpr1, {4 * k}, 0, {EXEC}" for k in range(dice.randrange(60, 70))]
        programs.append([("", wide + [f"$vgpr{dice.randrange(2, 10)} = V_MOV_B32_e32 $vgpr{20 + dice.randrange(60)}, {EXEC}" for _ in range(4)])])
    elif n % 4 == 3:
        # A diamond in a loop.
        lengths = [dice.randrange(2, 10) for _ in range(5)]
        a, b, c, d, e = [block(mix, length) for length in lengths]
        programs.append([
            ("successors: %bb.1", a),
            ("successors: %bb.2, %bb.3", b + ["S_CBRANCH_SCC0 %bb.3, implicit undef $scc"]),
            ("successors: %bb.3", c),
            ("successors: %bb.1, %bb.4", d + ["S_CBRANCH_SCC1 %bb.1, implicit undef $scc"]),
            ("", e),
        ])
    else:
        programs.append([("", block(mix, dice.randrange(8, 40)))])

print("--- |")
for n in range(count):
    print(f"  define amdgpu_kernel void @f{n}() {{ ret void }}")
print("...")
for n, blocks in enumerate(programs):
    print(f"---\nname: f{n}\nbody: |")
    for k, (successors, lines) in enumerate(blocks):
        print(f"  bb.{k}:")
        if successors:
            print(f"    {successors}")
        for line in lines:
            print(f"    {line}")
        if k + 1 == len(blocks):
            print("    S_ENDPGM 0")
        print()
    print("...")
PYTHON
"$llc" -mtriple=amdgcn-amd-amdhsa -mcpu=gfx906 -mattr=-xnack -start-before=si-insert-waitcnts -filetype=obj "$scratch/programs.mir" -o "$scratch/programs.o"
"$objcopy" -O binary --only-section=.text "$scratch/programs.o" "$scratch/text"
"$nm" --print-size --defined-only "$scratch/programs.o" >"$scratch/symbols"
python3 - "$scratch/text" "$scratch/symbols" >"$scratch/words" <<'PYTHON'
import sys

text = open(sys.argv[1], "rb").read()
for line in open(sys.argv[2]):
    start, size, kind, name = line.split()
    if kind in "tT":
        start, size = int(start, 16), int(size, 16)
        print(name, " ".join(f"{int.from_bytes(text[at:at + 4], 'little'):08x}" for at in range(start, start + size, 4)))
PYTHON
"${CARGO_TARGET_DIR:-target}/release/examples/lint_oracle" <"$scratch/words"
