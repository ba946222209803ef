"""Studies: a thousand runs of a command, kept as they end, resumed and made into one table.

from odonata.study import Study

print(Study("folder").frame.groupby("machine").time_seconds.median())
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
