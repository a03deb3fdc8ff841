"""Log lines that user data cannot forge and that carry no secrets."""

import logging


class OneLineFormatter(logging.Formatter):
    """One record, one line: control characters of the message are written out as escapes."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        trace = record.exc_info or record.exc_text or record.stack_info
        text = super().format(record)
        kept = "\n" if trace else ""
        return "".join(c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in text)
