from .comparison import circumstances, run_labels
from .comparison_figures import draw_comparison, plot_comparison
from .difference import difference_tables, paths_table
from .explanation import breakdown_table, part_table, slack_table, stretch_table
from .explanation_figure import draw_breakdown, plot_breakdown
from .exporting import export_timeline, require_export
from .fastest import fastest_sentence
from .figures import draw_run, plot_run
from .level_figures import draw_levels, plot_levels
from .matrix_figures import draw_matrices, plot_matrices
from .page_of_run import require_page, save_page
from .printing import form_of_tables, print_line, print_table, print_tables
from .profile_figures import draw_profile, plot_profile
from .reordering import reordering_table
from .style import require_figure
from .table import Table
from .tables import comparison_table, link_class_table, summary_table, where_the_time_goes
from .timeline_figure import draw_timeline, plot_timeline

__all__ = [
    "Table",
    "breakdown_table",
    "circumstances",
    "comparison_table",
    "difference_tables",
    "draw_breakdown",
    "draw_comparison",
    "draw_levels",
    "draw_matrices",
    "draw_profile",
    "draw_run",
    "draw_timeline",
    "export_timeline",
    "fastest_sentence",
    "form_of_tables",
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
    "print_table",
    "print_tables",
    "reordering_table",
    "require_export",
    "require_figure",
    "require_page",
    "run_labels",
    "save_page",
    "slack_table",
    "stretch_table",
    "summary_table",
    "where_the_time_goes",
]
