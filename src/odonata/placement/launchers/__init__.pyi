from .files import read_hosts, text_of, write_hosts
from .formats import FORMATS

__all__ = [
    "FORMATS",
    "read_hosts",
    "text_of",
    "write_hosts",
]
