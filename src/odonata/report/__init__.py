"""Tables and figures of results; nothing is computed here that a result doesn't hold.

>>> from odonata.report import Table
>>> print(Table(["class", "busy"], [["local", "38 %"]]))
| class | busy |
|:------|-----:|
| local | 38 % |
"""

from typing import TYPE_CHECKING

from odonata.lazy import lazily

if TYPE_CHECKING:
    from odonata.report.comparison import circumstances, run_labels
    from odonata.report.comparison_figures import draw_comparison, plot_comparison
    from odonata.report.difference import (
        change_table,
        difference_table,
        difference_tables,
        paths_table,
    )
    from odonata.report.explanation import (
        breakdown_table,
        part_table,
        slack_table,
        stretch_table,
    )
    from odonata.report.explanation_figure import draw_breakdown, plot_breakdown
    from odonata.report.exporting import export_timeline, require_export
    from odonata.report.fastest import fastest_sentence
    from odonata.report.figures import draw_run, plot_run
    from odonata.report.level_figures import LevelPanel, draw_levels, plot_levels
    from odonata.report.matrix_figures import MatrixPanel, draw_matrices, plot_matrices
    from odonata.report.page_of_run import require_page, run_page, save_page
    from odonata.report.printing import (
        form_of_tables,
        print_line,
        print_list,
        print_table,
        print_tables,
        printed,
    )
    from odonata.report.profile_figures import draw_profile, plot_profile
    from odonata.report.reordering import reordering_table
    from odonata.report.spreadsheets import csv_of, csv_of_records, escape_formula
    from odonata.report.style import require_figure, save_figure
    from odonata.report.table import Table
    from odonata.report.tables import (
        comparison_table,
        hot_links,
        link_class_table,
        summary_table,
        where_the_time_goes,
    )
    from odonata.report.timeline_figure import KIND_COLOURS, draw_timeline, plot_timeline

__all__ = [
    "KIND_COLOURS",
    "LevelPanel",
    "MatrixPanel",
    "Table",
    "breakdown_table",
    "change_table",
    "circumstances",
    "comparison_table",
    "csv_of",
    "csv_of_records",
    "difference_table",
    "difference_tables",
    "draw_breakdown",
    "draw_comparison",
    "draw_levels",
    "draw_matrices",
    "draw_profile",
    "draw_run",
    "draw_timeline",
    "escape_formula",
    "export_timeline",
    "fastest_sentence",
    "form_of_tables",
    "hot_links",
    "link_class_table",
    "part_table",
    "paths_table",
    "plot_breakdown",
    "plot_comparison",
    "plot_levels",
    "plot_matrices",
    "plot_profile",
    "plot_run",
    "plot_timeline",
    "print_line",
    "print_list",
    "print_table",
    "print_tables",
    "printed",
    "reordering_table",
    "require_export",
    "require_figure",
    "require_page",
    "run_labels",
    "run_page",
    "save_figure",
    "save_page",
    "slack_table",
    "stretch_table",
    "summary_table",
    "where_the_time_goes",
]

__getattr__, __dir__ = lazily(
    __name__,
    {
        "comparison": ["circumstances", "run_labels"],
        "comparison_figures": ["draw_comparison", "plot_comparison"],
        "difference": ["change_table", "difference_table", "difference_tables", "paths_table"],
        "explanation": [
            "breakdown_table",
            "part_table",
            "slack_table",
            "stretch_table",
        ],
        "explanation_figure": ["draw_breakdown", "plot_breakdown"],
        "exporting": ["export_timeline", "require_export"],
        "fastest": ["fastest_sentence"],
        "figures": ["draw_run", "plot_run"],
        "level_figures": ["LevelPanel", "draw_levels", "plot_levels"],
        "matrix_figures": ["MatrixPanel", "draw_matrices", "plot_matrices"],
        "page_of_run": ["require_page", "run_page", "save_page"],
        "printing": [
            "form_of_tables",
            "print_line",
            "print_list",
            "print_table",
            "print_tables",
            "printed",
        ],
        "profile_figures": ["draw_profile", "plot_profile"],
        "reordering": ["reordering_table"],
        "spreadsheets": ["csv_of", "csv_of_records", "escape_formula"],
        "style": ["require_figure", "save_figure"],
        "table": ["Table"],
        "tables": [
            "comparison_table",
            "hot_links",
            "link_class_table",
            "summary_table",
            "where_the_time_goes",
        ],
        "timeline_figure": ["KIND_COLOURS", "draw_timeline", "plot_timeline"],
    },
)
