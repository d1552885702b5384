"""A report: one HTML file with inline pictures, which needs no network and no script."""

from replibandit.report.page import report, write_text

__all__ = ["report", "write_text"]
