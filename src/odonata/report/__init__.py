"""Tables and figures of results; nothing is computed here that a result doesn't hold.

>>> from odonata.report import Table
>>> print(Table(["class", "busy"], [["local", "38 %"]]))
| class | busy |
|:------|-----:|
| local | 38 % |
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
