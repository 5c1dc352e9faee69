"""`amdsmi`, AMD's interface to what a machine knows of its cards, for one emulated MI50: the functions by which programs find a card."""
from __future__ import annotations

import enum
from typing import Any

NAME = "AMD Instinct MI50/MI60 (emulated)"
#: Bytes of the card's memory.
MEMORY = 16 << 30


class AmdSmiException(Exception):
    """The base of what the interface raises."""


class AmdSmiLibraryException(AmdSmiException):
    """The library refused a call."""


class AmdSmiParameterException(AmdSmiException):
    """An argument is no handle of a card."""


class AmdSmiInitFlags(enum.IntEnum):
    """The processors that a program asks for."""

    INIT_ALL_PROCESSORS = 0xFFFFFFFF
    INIT_AMD_CPUS = 1
    INIT_AMD_GPUS = 2


class AmdSmiMemoryType(enum.IntEnum):
    """Memory of the card, its part that the host sees, memory of the host."""

    VRAM = 0
    VIS_VRAM = 1
    GTT = 2


class _Card:
    """The handle of the card."""

    def __repr__(self) -> str:
        return "<emulated MI50>"


_CARD = _Card()


def _check(card: Any) -> None:
    if card is not _CARD:
        raise AmdSmiParameterException(f"{card!r} is no handle of a card")


def amdsmi_init(flag: int = AmdSmiInitFlags.INIT_AMD_GPUS) -> None:
    """Begins."""


def amdsmi_shut_down() -> None:
    """Ends."""


def amdsmi_get_lib_version() -> dict[str, Any]:
    """The version of the interface that this one follows."""
    return {"major": 25, "minor": 0, "release": 0, "build": "emulated"}


def amdsmi_get_processor_handles() -> list[_Card]:
    """The one card."""
    return [_CARD]


def amdsmi_get_gpu_asic_info(card: Any) -> dict[str, Any]:
    """Names and numbers of the chip."""
    _check(card)
    return {
        "market_name": NAME, "vendor_id": "0x1002", "vendor_name": "Advanced Micro Devices, Inc. [AMD/ATI]",
        "subvendor_id": "0x1002", "device_id": "0x66a1", "subsystem_id": "0x0834", "rev_id": "0x02", "asic_serial": "0x0000000000000906",
        "oam_id": 0, "num_compute_units": 60, "target_graphics_version": "gfx906",
    }


def amdsmi_get_gpu_device_uuid(card: Any) -> str:
    """An identity, the same each time."""
    _check(card)
    return "66a1-0000-1000-8000-000000000906"


def amdsmi_get_gpu_device_bdf(card: Any) -> str:
    """The place on a bus."""
    _check(card)
    return "0000:03:00.0"


def amdsmi_get_gpu_memory_total(card: Any, kind: int) -> int:
    """Bytes of a memory."""
    _check(card)
    return MEMORY


def amdsmi_get_gpu_memory_usage(card: Any, kind: int) -> int:
    """Bytes in use."""
    _check(card)
    return 0


def amdsmi_get_gpu_vram_usage(card: Any) -> dict[str, int]:
    """MiB of the card's memory, and of them in use."""
    _check(card)
    return {"vram_total": MEMORY >> 20, "vram_used": 0}


def amdsmi_topo_get_numa_node_number(card: Any) -> int:
    """The host's node that the card is at."""
    _check(card)
    return 0


def amdsmi_topo_get_link_type(first: Any, second: Any) -> dict[str, int]:
    """Links between two cards.

    Raises:
        AmdSmiLibraryException: there is one card.
    """
    _check(first)
    _check(second)
    raise AmdSmiLibraryException("there is one card, and no link to another")
