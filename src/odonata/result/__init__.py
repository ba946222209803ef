"""Results of a run: labelled data with units and provenance.

>>> from odonata.result import Result
>>> result = Result.load("run.nc")  # doctest: +SKIP
>>> result.dataset.link_busy.sel(link=0)  # doctest: +SKIP
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
