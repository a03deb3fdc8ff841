"""The only message that goes through the broker."""

from celery import shared_task

from config.background.claiming import process_row


@shared_task(name="interrater.do_row", ignore_result=True)
def do_row(key: str, pk: int) -> None:
    """Process a row of background work, unless another worker has it or it is finished."""
    process_row(key, pk)
