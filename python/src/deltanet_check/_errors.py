"""What can go wrong, as exceptions."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class Error(Exception):
    """Anything that this package raises of its own."""


class NotFound(Error):
    """The library or the program is nowhere, or is another one."""


class LaunchError(Error):
    """The runtime refused a call, or a kernel did not come to its end.

    Attributes:
        code: HIP's number for it.
        name: HIP's name for it: `hipErrorInvalidValue`.
        told: what the runtime said besides, one text a report.
    """

    def __init__(self, call: str, code: int, name: str, told: Sequence[str]) -> None:
        self.code = code
        self.name = name
        self.told = list(told)
        super().__init__("\n".join([f"{call}: {name}", *self.told]))


def _triple(value: Sequence[int] | None) -> tuple[int, int, int] | None:
    return None if value is None else (value[0], value[1], value[2])


class Trap(LaunchError):
    """A kernel stopped before its end: memory fault, hang, failed assertion, ...

    Attributes:
        kind: what happened, in words.
        kernel: the kernel's name.
        pc: address of the instruction, as `deltanet-check disasm` prints it.
        instruction: the instruction, disassembled.
        work_group: id of the work-group, (x, y, z).
        wave: the wave within its group.
        lane: the first lane concerned, or None where it is the wave as a whole.
        work_item: that lane's work-item within its group, (x, y, z), or None.
        address: the address concerned, or None.
        hang: whether it ran out of its budget or all waves waited.
        nearest: the allocation nearest to the address: name, base, bytes, distance; or None.
        argument: index of the argument of `run` that this allocation is, or None.
    """

    def __init__(self, call: str, code: int, name: str, told: Sequence[str], trap: Mapping[str, Any]) -> None:
        super().__init__(call, code, name, told)
        self.kind: str = trap["message"]
        self.kernel: str = trap["kernel"]
        self.pc: int = trap["pc"]
        self.instruction: str = trap["instruction"]
        self.work_group: tuple[int, int, int] | None = _triple(trap["work_group"])
        self.wave: int = trap["wave"]
        self.lane: int | None = trap["lane"]
        self.work_item: tuple[int, int, int] | None = _triple(trap["work_item"])
        self.address: int | None = trap["address"]
        self.hang: bool = trap["hang"]
        self.nearest: dict[str, Any] | None = trap["nearest"]
        self.argument: int | None = None


class Findings(Error):
    """The sanitizer found something in a launch whose values may be right.

    Attributes:
        findings: one text each.
    """

    def __init__(self, findings: Sequence[str]) -> None:
        self.findings = list(findings)
        super().__init__("\n\n".join(self.findings))
