"""Predicts, explains and cuts the communication cost of MPI applications on dragonfly machines."""

__version__ = "0.1.0"
