"""Table 3 of the AMG paper, modelled anew: writes the tables of README.md."""

from __future__ import annotations

from pathlib import Path

from odonata import machine, model

README = Path(__file__).with_name("README.md")
CORES = 1024
PUBLISHED_MS = {
    "16x1": (9.75, 11.3),
    "8x2": (14.9, 16.3),
    "4x4": (24.2, 27.6),
    "2x8": (44.2, 51.8),
    "1x16": (86.4, 104.0),
}
"""Modelled and measured, 1,024 cores."""


def modelled(mix: str, scenario: str = "distance", **options: str) -> float:
    """Return the cycle time [ms]."""
    eos = machine.load("eos")
    found = model.predict_cycle(
        eos, "laplace", (50, 50, 25), CORES, model.Mix.parse(mix), scenarios=[scenario], **options
    )
    return found.cycle_seconds[scenario] * 1e3


def mixes() -> list[str]:
    """Return the lines of the table of mixes."""
    lines = [
        "| mix | published modelled | published measured | modelled (ours) | ours / published | "
        "accuracy | without the coarsest | restriction by rows of P |",
        "|:--|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for mix, (published, measured) in PUBLISHED_MS.items():
        ours = modelled(mix)
        lines.append(
            f"| {mix} | {published} | {measured} | {ours:.3f} | {ours / published - 1:+.1%} | "
            f"{model.accuracy(ours, measured):.1%} | {modelled(mix, coarsest='none'):.3f} | "
            f"{modelled(mix, restrict_rows='operator'):.3f} |"
        )
    return lines


def scenarios() -> list[str]:
    """Return the lines of the table of scenarios, by both counts of links."""
    lines = ["| mix | links | " + " | ".join(model.SCENARIOS) + " |"]
    lines.append("|:--|:--|" + "--:|" * len(model.SCENARIOS))
    for mix in PUBLISHED_MS:
        for links in ("paper", "wiring"):
            times = [f"{modelled(mix, s, links=links):.2f}" for s in model.SCENARIOS]
            lines.append(f"| {mix} | {links} | " + " | ".join(times) + " |")
    return lines


def fits() -> list[str]:
    """Return the lines of the table of best fits, of the cycle as a whole."""
    lines = ["| links | " + " | ".join(PUBLISHED_MS) + " |", "|:--|" + ":--|" * len(PUBLISHED_MS)]
    measured = {model.Mix.parse(mix): [ms] for mix, (_, ms) in PUBLISHED_MS.items()}
    for links in ("paper", "wiring"):
        ours = {
            mix: {s: [modelled(str(mix), s, links=links)] for s in model.SCENARIOS}
            for mix in measured
        }
        lines.append(f"| {links} | " + " | ".join(model.best_fit(measured, ours).values()) + " |")
    return lines


def put(text: str, name: str, lines: list[str]) -> str:
    """Return the text with the table after ``<!-- name -->`` replaced."""
    head, mark, rest = text.partition(f"<!-- {name} -->\n")
    after = rest.partition("<!-- end -->")[2]
    return f"{head}{mark}{chr(10).join(lines)}\n<!-- end -->{after}"


def main() -> None:
    """Write the tables."""
    text = README.read_text(encoding="utf-8")
    for name, table in (("mixes", mixes), ("scenarios", scenarios), ("fits", fits)):
        text = put(text, name, table())
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
