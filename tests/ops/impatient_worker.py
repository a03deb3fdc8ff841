"""The web server's worker with short deadlines, for tests that wait until they are over."""

from config.buffering_worker import BufferingWorker


class ImpatientWorker(BufferingWorker):
    """Waits half a second for a request, for a reader, and before it closes."""

    seconds_to_send = seconds_to_read = seconds_to_close = 0.5
