"""Predicts, explains and cuts the communication cost of MPI applications on dragonfly machines."""

__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """Import what is slow to import when it is first asked for."""
    if name == "replay":
        from odonata.simulate import replay

        return replay
    if name == "mpirun":
        from odonata.live import mpirun

        return mpirun
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
