"""The report: one page that `lpdpl-train report` writes from the records of `lpdpl-train compare`."""

from train_host.report.write import write_report

__all__ = ["write_report"]
