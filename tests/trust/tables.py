"""Tables of measured collectives, made by simulations."""

from odonata import machine
from odonata.placement import Placement
from odonata.simulate import Job, Options, run
from odonata.workload import Collective

HEAD = "run,nodes,ranks_per_node,collective,algorithm,bytes,iterations,p5_us,median_us,p95_us"
RUNS = {"first": (0, 1, 2, 3), "second": (4, 5, 6, 7, 8, 9, 10, 11)}
ROWS = [
    ("allgather", "ring_over", "ring"),
    ("allgather", "brucks_mpich", "bruck"),
    ("allgather", "sparbit_over", "sparbit"),
    ("allreduce", "recursive_doubling_over", "recursive_doubling"),
]
SIZES = (64, 4096, 2**18, 2**22)


def simulated(on, operation, algorithm, size, nodes):
    job = Job(Collective(operation, algorithm, bytes=size), Placement(on, nodes))
    done = run(on, [job], Options(engine="analytic"))
    return float(done.jobs[0].finished.max()) * 1e-6  # us


def write(folder, on, more=()):
    """Write what a machine would have measured; return both files."""
    rows = [HEAD]
    for name, nodes in RUNS.items():
        for operation, theirs, ours in ROWS:
            for size in SIZES:
                block = size // len(nodes) if operation == "allgather" else size
                time = simulated(on, operation, ours, block, nodes)
                rows.append(f"{name},{len(nodes)},1,{operation},{theirs},{size},9,,{time:.6f},")
    rows += more
    measured = folder / "measured.csv"
    measured.write_text("\n".join(rows) + "\n")
    ranks = ["run,rank,host"]
    ranks += [f"{name},{i},{host}" for name, nodes in RUNS.items() for i, host in enumerate(nodes)]
    hosts = folder / "nodes.csv"
    hosts.write_text("\n".join(ranks) + "\n")
    return measured, hosts


def machine_with(**changes):
    return machine.load("jupiter-fdr", {key.replace("__", "."): v for key, v in changes.items()})
