"""What a run measured: labelled data with units and provenance."""

from odonata.result.result import Result
from odonata.result.run import JobRun, Run, Scalar

__all__ = ["JobRun", "Result", "Run", "Scalar"]
