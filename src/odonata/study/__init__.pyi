from .file import read_study_file
from .results import Study

__all__ = ["Study", "read_study_file"]
