from .cases import Case, Cases, read_cases
from .comparison import Comparison, Spread, compare, simulated_seconds
from .measured import Measured, read_measured, read_runs

__all__ = [
    "Case",
    "Cases",
    "Comparison",
    "Measured",
    "Spread",
    "compare",
    "read_cases",
    "read_measured",
    "read_runs",
    "simulated_seconds",
]
