"""Simulations held against measurements: rows of a table, ratios, and how they are spread.

from odonata import machine, trust

lumi = machine.load("lumi-g")
cases = trust.read_cases("lumi.csv.gz", "lumi-nodes.csv.gz", lumi)
print(trust.compare(lumi, cases.known).spread)
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach_stub(__name__, __file__)
