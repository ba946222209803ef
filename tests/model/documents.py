"""Documents of odonata-amg: a level, and measured cycles that are made from the model itself."""

from __future__ import annotations

from odonata import machine, model

POINTS = (50, 50, 25)

LEVEL = {
    "rows": 2000,
    "nnz_per_row": 6.5,
    "P_nnz_per_row": 2.0,
    "A_max_sends": 1,
    "A_max_elements_sent": 100,
    "P_max_sends": 1,
    "P_max_elements_sent": 10,
    "active_ranks": 2,
}
"""Document of two ranks, each with 10 x 10 x 10 points."""


def document(scenario, mix, cores=1024, factor=1.0, **options):
    """Return what ``odonata-amg`` would write if Eos were as a scenario says, times a factor."""
    eos = machine.load("eos")
    prediction = model.predict_cycle(
        eos, "laplace", POINTS, cores, mix, scenarios=[scenario], **options
    )
    h, times = prediction.hierarchy, prediction.times[scenario]
    levels = []
    for i in range(h.num_levels):
        parts = {name: factor * float(getattr(times, name)[i])
                 for name in ("smooth", "restrict", "interp")}  # fmt: skip
        seconds = parts | {"direct": 1e-4 if i + 1 == h.num_levels else 0.0}
        levels.append(
            {
                "rows": int(h.rows[i]),
                "nnz_per_row": float(h.row_nonzeros[i]),
                "P_nnz_per_row": float(h.interp_nonzeros[i]),
                "A_max_sends": int(h.sends[i]),
                "A_max_elements_sent": int(h.values_sent[i]),
                "P_max_sends": int(h.interp_sends[i]),
                "P_max_elements_sent": int(h.interp_values_sent[i]),
                "active_ranks": int(h.active_ranks[i]),
                "flop_seconds": 1e-9,
                "seconds": seconds,
                "mean_seconds": {name: s / 2 for name, s in seconds.items()},
            }
        )
    return {
        "source": "a test",
        "problem": "laplace",
        "ranks": h.ranks,
        "points_per_rank": list(h.points_per_rank),
        "cycle_seconds": 0.01,
        "levels": levels,
    }
