from .abi import ABIS, Abi, detect
from .calibration import Calibration, note_of_sharing
from .command import Command, parse_commands
from .launching import Launched, launch
from .output import check_result_name, open_output
from .parts import Part, core_parts, in_a_line, optional_parts
from .profiling import preload_library, record_profile
from .reordering import DEFAULT_MAPPER, Mapper, Reordering, parse_mapper
from .request import Launch
from .run import mpirun

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
    "in_a_line",
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
