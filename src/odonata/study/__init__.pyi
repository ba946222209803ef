from .file import read_study_file
from .functions import make_cases
from .results import Study

__all__ = ["Study", "make_cases", "read_study_file"]
