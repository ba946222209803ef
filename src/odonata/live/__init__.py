"""Programs that run for real, on a simulated machine.

>>> from odonata import mpirun
>>> result = mpirun("./program", ranks=8, machine="eos", compute="none")  # doctest: +SKIP
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
