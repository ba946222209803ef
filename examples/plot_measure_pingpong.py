"""Measure a ping-pong: a program that knows nothing of Odonata, on two machines.

The program is an mpi4py script, and would be the same on a cluster: two ranks, messages to and
fro, half the time of a round by MPI_Wtime. Its ranks run for real; the clock they read belongs to
the simulated machine. On eos messages of more than 1 KiB do not fit into a mailbox: that is the
step. dragonfly-5256 charges nothing for software, and has about the same links.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np

from odonata import machine, mpirun, placement
from odonata.report.style import clean, house_style, new_figure, save_figure, series_colours

WHERE = {  # machine, and the second rank's node; the first one's is 0
    "eos, one node": ("eos", 0),
    "eos, first node to last": ("eos", 743),
    "dragonfly-5256, first node to last": ("dragonfly-5256", 5255),
}
PROGRAM = """
from mpi4py import MPI

world, rounds = MPI.COMM_WORLD, 5
for bytes in [8 << i for i in range(18)]:
    data = bytearray(bytes)
    world.Barrier()
    begin = MPI.Wtime()
    for _ in range(rounds):
        if world.rank == 0:
            world.Send(data, 1)
            world.Recv(data, 1)
        else:
            world.Recv(data, 0)
            world.Send(data, 0)
    if world.rank == 0:
        print(bytes, (MPI.Wtime() - begin) / (2 * rounds))
"""


def measure(name, node):
    """Return sizes [B] and times [s] that the program prints on a machine."""
    model = machine.load(name)
    where = placement.Placement(model, [0, node])
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said.txt"
        command = [sys.executable, "-c", PROGRAM]
        mpirun(command, 2, model, placement=where, compute="none", program_output=said)
        return np.loadtxt(said).T


def main(path):
    measured = {label: measure(*where) for label, where in WHERE.items()}
    with house_style():
        figure = new_figure(6.4, 3.8)
        axes = figure.subplots()
        for label, (colour, marker) in series_colours(list(WHERE)).items():
            sizes, seconds = measured[label]
            axes.loglog(sizes, 1e6 * seconds, color=colour, marker=marker, label=label)
        axes.set(xlabel="message [B]", ylabel="time one way [µs]")
        axes.set_title("Ping-pong of an mpi4py program")
        axes.legend()
        clean(axes)
        save_figure(figure, path)
    sizes, seconds = measured["eos, first node to last"]
    rate = sizes[-1] / seconds[-1]
    print(f"on eos, messages of {sizes[-1] / 2**20:.0f} MiB come at {rate / 1e9:.1f} GB/s")
    assert 7e9 < rate < 8e9


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "plot_measure_pingpong.png")
