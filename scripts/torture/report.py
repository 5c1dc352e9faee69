"""The tables: how many programs came how far at each level, which did not compile, which failed."""

from collections import defaultdict

from reasons import reason

HEADER = ["level", "programs", "pass natively", "compile for gfx906", "pass", "fail as listed", "fail"]


def table(rows, right):
    """Rows as a Markdown table; `right` is the index from which columns are numbers."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]

    def line(row):
        cells = [cell.rjust(w) if i >= right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths))]
        return "| " + " | ".join(cells) + " |"

    rule = [("-" * (w - 1) + ":") if i >= right else "-" * w for i, w in enumerate(widths)]
    return "\n".join([line(rows[0]), line(rule), *map(line, rows[1:])])


class Outcome:
    """All results, against the table of exceptions."""

    def __init__(self, levels, results, exceptions):
        self.levels = levels
        self.results = results
        self.exceptions = exceptions
        self.failed = [r for r in results if r.stage == "run"]
        self.unexpected = [r for r in self.failed if (r.name, r.level) not in exceptions]
        self.mended = [r for r in results if r.stage == "passed" and (r.name, r.level) in exceptions]

    def as_expected(self):
        """Whether just those programs failed that are listed."""
        return not self.unexpected and not self.mended

    def counts(self):
        rows = [HEADER]
        for level in self.levels:
            here = [r for r in self.results if r.level == level]
            native = [r for r in here if r.stage != "native"]
            compiled = [r for r in native if r.stage != "compile"]
            passed = [r for r in compiled if r.stage == "passed"]
            unexpected = sum(r.level == level for r in self.unexpected)
            listed = len(compiled) - len(passed) - unexpected
            rows.append(["-" + level, len(here), len(native), len(compiled), len(passed), listed, unexpected])
        return table(rows, 1)

    def not_compiled(self, with_names):
        """Reasons, most frequent first: for each level how many, and which."""
        groups = defaultdict(lambda: defaultdict(list))
        for r in self.results:
            if r.stage == "compile":
                groups[reason(r.said)][r.level].append(r.name)
        rows = [["not compiled for gfx906, because it uses", *("-" + level for level in self.levels)]]
        order = sorted(groups.items(), key=lambda group: (-sum(map(len, group[1].values())), group[0]))
        for why, names in order:
            rows.append([why, *(len(names[level]) for level in self.levels)])
        text = table(rows, 1)
        if with_names:
            for why, names in order:
                text += f"\n\n{why}: " + ", ".join(sorted({name for some in names.values() for name in some}))
        return text

    def text(self):
        """What is printed in the end."""
        parts = [self.counts(), self.not_compiled(False)]
        listed = [r for r in self.failed if r not in self.unexpected]
        for title, results in (
            ("failed, as listed in scripts/torture/exceptions.toml", listed),
            ("FAILED", self.unexpected),
            ("listed in scripts/torture/exceptions.toml, but passed: take the row out", self.mended),
        ):
            if results:
                lines = [f"  {r.name} -{r.level}: {' '.join(r.said.split()) or r.stage}"[:240] for r in results]
                parts.append("\n".join([title + ":", *lines]))
        return "\n\n".join(parts)

    def document(self, source, compiler):
        """docs/torture.md."""
        rows = [["program", "levels", "why it fails"]]
        by_program = defaultdict(list)
        for (name, level), why in sorted(self.exceptions.items()):
            by_program[name, why].append("-" + level)
        rows += [[name, " ".join(levels), why] for (name, why), levels in by_program.items()]
        exceptions = table(rows, 3) if len(rows) > 1 else "None."
        return f"""# GCC's torture programs on the emulator

Written by `scripts/torture.sh --write`; nothing here is edited by hand.

The programs of gcc.c-torture/execute ({source}, from Debian's gcc-12-source) with ieee/ and builtins/, compiled for gfx906 by
{compiler}, each run by one work-item on the emulator. A program counts where the same source, compiled
by the same compiler for the host, ends with status 0. To pass, it must end with status 0 on the emulator too.
(builtins/ is compiled with -U__OPTIMIZE__ for gfx906: with it, those programs demand that calls of library functions are folded, which
clang does for hosts only.)

{self.counts()}

## Fail

The compiler's doing, each: `scripts/torture/exceptions.toml` is the list, and the script fails where one of them passes.

{exceptions}

## Do not compile

{self.not_compiled(True)}
"""
