"""The table of functions, and what the compiler's headers and OCML's bitcode say must be in it."""

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
C_TYPE = {"i": "int", "l": "long", "p": "int"}


@dataclass(frozen=True)
class Limit:
    """What error is allowed: `ulps + slope * |x|` ulp, of max(|result|, 1) if `absolute`; correctly rounded if `exact`."""

    text: str
    exact: bool
    ulps: float
    slope: float
    absolute: bool

    @staticmethod
    def parse(text):
        match = re.fullmatch(r"([0-9.]+)(a)?(?:\+([0-9.]+)x)?", text)
        if not match:
            raise ValueError(f"limit '{text}' is not a number of ulp such as 4, 4a or 2+1.2x")
        ulps = float(match[1])
        return Limit(text, ulps == 0, ulps, float(match[3] or 0), bool(match[2]))

    def __str__(self):
        if self.exact:
            return "exact"
        slope = f" + {self.slope:g}·abs(x)" if self.slope else ""
        return f"{self.ulps:g}{slope}{' abs' if self.absolute else ''}"


@dataclass(frozen=True)
class Row:
    """One function of one type."""

    kind: str
    name: str
    width: int
    arguments: str
    results: str
    limit: Limit
    grid: str
    reference: str
    source: str

    @property
    def real(self):
        return {16: "_Float16", 32: "float", 64: "double"}[self.width]

    @property
    def shown(self):
        """The name as a program writes it."""
        if self.kind == "ocml":
            return f"__ocml_{self.name}_f{self.width}"
        if self.kind == "pair":
            return f"__ocml_{self.name}_2f16"
        if self.kind == "hip":
            return self.name + ("f" if self.width == 32 else "")
        return self.name

    @property
    def kernel(self):
        return f"run_{self.kind}_{self.name}_f{self.width}"

    @property
    def callee(self):
        if self.shown == "__ocml_pown_2f16":
            return "here_pown_2f16"
        return f"here_{self.name}" if self.kind == "here" else self.shown

    def source_text(self):
        """The kernel: one work-item a point, arrays in the order of the signature."""
        types = [C_TYPE.get(letter, self.real) for letter in self.arguments + self.results]
        count = len(self.arguments)
        parameters = [f"const {t} *a{n}" for n, t in enumerate(types[:count])]
        parameters += [f"{t} *r{n}" for n, t in enumerate(types[count:])]
        before, after = "", ""
        if self.kind == "pair":
            # a pair of work-items computes the same pair, and each keeps its half
            kinds = ["__2i32" if letter == "i" else "__2f16" for letter in self.arguments]
            call = [f"({kind}){{a{n}[i & ~1u], a{n}[i | 1]}}" for n, kind in enumerate(kinds)]
            after = "[i & 1]"
        else:
            call = [f"a{n}[i]" for n in range(count)]
        if len(self.results) > 1:
            second = types[count + 1]
            before = f"{second} second; "
            call.append(f"(PRIVATE {second} *)&second" if self.kind == "ocml" else "&second")
            after = "; r1[i] = second"
        return (
            f'extern "C" __global__ void {self.kernel}({", ".join(parameters)}) {{\n'
            f"    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"    {before}r0[i] = {self.callee}({', '.join(call)}){after};\n}}\n"
        )


def rows():
    """Every row of functions.txt, narrow types first."""
    found = []
    for number, line in enumerate((HERE / "functions.txt").read_text().splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        columns = line.split()
        if len(columns) != 9:
            raise ValueError(f"functions.txt:{number}: {len(columns)} columns, not 9")
        kind, name, signature, f16, f32, f64, grid, reference, source = columns
        arguments, results = signature.split("->")
        reference = name if reference == "=" else reference
        for width, limit in ((16, f16), (32, f32), (64, f64)):
            if limit != "-":
                found.append(Row(kind, name, width, arguments, results, Limit.parse(limit), grid, reference, source))
    return found


def declared(header):
    """Names of OCML's functions that a header names."""
    return set(re.findall(r"\b__ocml_\w+_2?f(?:16|32|64)\b", Path(header).read_text()))


def defined(bitcode):
    """Names that OCML's bitcode defines."""
    listing = subprocess.run(["llvm-nm-19", bitcode], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" [TW] (__ocml_\w+)$", listing, re.MULTILINE))


def coverage(headers, bitcode):
    """(declared, declared but not in the bitcode, declared and in the bitcode but not in the table)."""
    names = set().union(*(declared(header) for header in headers))
    present = defined(bitcode)
    tabled = {row.shown for row in rows() if row.kind in ("ocml", "pair")}
    absent = {name for name in names if name not in present}
    return names, absent, names - absent - tabled
