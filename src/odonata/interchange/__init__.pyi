from .convert import FORMATS, convert
from .report import Conversion

__all__ = [
    "FORMATS",
    "Conversion",
    "convert",
]
