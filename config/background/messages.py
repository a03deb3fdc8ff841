"""The only message that goes through the broker."""

from django.db import close_old_connections

from config.background.study_turns import process_in_turn
from config.celery import app


@app.task(name="interrater.do_row", ignore_result=True)
def do_row(key: str, pk: int) -> None:
    """Process a row of background work: that of the study whose turn it is, which may be another one.

    A thread keeps its connection to the database from row to row, unless it is broken or too old.
    """
    close_old_connections()
    process_in_turn(key, pk)
