"""What was compared as one page: `lpdpl-train report` writes it from the records of `lpdpl-train compare`."""

from train_host.report.write import write_report

__all__ = ["write_report"]
