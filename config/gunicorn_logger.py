"""Gunicorn's own lines in the form of all others; `gunicorn.conf.py` names this class."""

from typing import Any

from gunicorn.glogging import Logger

from config.log_lines import line_formatter


class OneLineLogger(Logger):
    """Writes each record on one line, with the id of its request and without the secrets of links."""

    def setup(self, cfg: Any) -> None:
        super().setup(cfg)
        for handler in self.error_log.handlers:
            handler.setFormatter(line_formatter())
