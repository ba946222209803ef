"""Workloads: the operations of each rank of a job.

>>> from odonata.workload import Collective, Halo, Traffic
>>> Collective("allgather", "ring", bytes="1 KiB").bytes
1024
>>> Traffic("adversarial+1", load=0.5).pattern
'adversarial+1'
>>> Halo("4x4", cells=64).face_bytes
[512, 512]
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
