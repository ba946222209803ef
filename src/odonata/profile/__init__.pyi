from .compare import compare_views
from .files import ranks_of_hosts, read_folder, write_folder
from .reading import read
from .tables import Profile
from .views import SizeBin, Views, select_phases

__all__ = [
    "Profile",
    "SizeBin",
    "Views",
    "compare_views",
    "ranks_of_hosts",
    "read",
    "read_folder",
    "select_phases",
    "write_folder",
]
