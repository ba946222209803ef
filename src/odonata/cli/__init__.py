"""The command line: ``odonata machines ...``, ``odonata simulate ...``.

A command starts quickly because it imports little: only its own module is imported for its help,
and NumPy, xarray and matplotlib when they are used.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
