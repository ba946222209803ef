"""Files that tell launchers where ranks go, in the formats of `FORMATS`.

Every format is written from the host of each rank, and read back to the same. Two of them list
ranks instead of hosts: ``mpich-order`` and ``order`` are relative to `Slots`, the places that the
launcher would fill in turn.

>>> hosts = ["nid00012", "nid00013", "nid00012"]
>>> print(text_of("openmpi", hosts), end="")
rank 0=nid00012 slot=0
rank 1=nid00013 slot=0
rank 2=nid00012 slot=1
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
