from .files import hosts_in, lost_in, read_hosts, text_of, write_hosts
from .formats import FORMATS, Format, format_named
from .slots import Slots

__all__ = [
    "FORMATS",
    "Format",
    "Slots",
    "format_named",
    "hosts_in",
    "lost_in",
    "read_hosts",
    "text_of",
    "write_hosts",
]
