"""Programs that run for real, on a simulated machine.

>>> from odonata import mpirun
>>> result = mpirun("./program", ranks=8, machine="eos", compute="none")  # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily

if TYPE_CHECKING:
    from odonata.live.abi import ABIS, Abi, detect
    from odonata.live.calibration import Calibration, note_of_sharing
    from odonata.live.command import Command, parse_commands
    from odonata.live.launching import Launched, launch
    from odonata.live.output import check_result_name, open_output
    from odonata.live.parts import Part, core_parts, optional_parts
    from odonata.live.profiling import preload_library, record_profile
    from odonata.live.reordering import DEFAULT_MAPPER, Mapper, Reordering, parse_mapper
    from odonata.live.request import Launch
    from odonata.live.run import mpirun

__all__ = [
    "ABIS",
    "DEFAULT_MAPPER",
    "Abi",
    "Calibration",
    "Command",
    "Launch",
    "Launched",
    "Mapper",
    "Part",
    "Reordering",
    "check_result_name",
    "core_parts",
    "detect",
    "launch",
    "mpirun",
    "note_of_sharing",
    "open_output",
    "optional_parts",
    "parse_commands",
    "parse_mapper",
    "preload_library",
    "record_profile",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "abi": ["ABIS", "Abi", "detect"],
        "calibration": ["Calibration", "note_of_sharing"],
        "command": ["Command", "parse_commands"],
        "launching": ["Launched", "launch"],
        "output": ["check_result_name", "open_output"],
        "parts": ["Part", "core_parts", "optional_parts"],
        "profiling": ["preload_library", "record_profile"],
        "reordering": ["DEFAULT_MAPPER", "Mapper", "Reordering", "parse_mapper"],
        "request": ["Launch"],
        "run": ["mpirun"],
    },
)
