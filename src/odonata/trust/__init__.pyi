from .cases import read_cases
from .comparison import compare

__all__ = ["compare", "read_cases"]
