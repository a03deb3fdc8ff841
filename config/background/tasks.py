"""The one message that goes through the broker."""

from celery import shared_task

from config.background.claiming import do


@shared_task(name="interrater.do_row", ignore_result=True)
def do_row(key: str, pk: int) -> None:
    """Do a row of background work, unless somebody does or has done it."""
    do(key, pk)
