"""Profiles: calls of the ranks of a program, with counts, times, sizes and partners.

>>> from odonata import profile
>>> views = profile.Views(profile.read("run"))  # doctest: +SKIP
>>> views.calls["MPI_Allreduce"].share, views.total_bytes  # doctest: +SKIP
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
