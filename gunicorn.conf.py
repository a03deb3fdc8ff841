"""What all starts of gunicorn have in common; gunicorn reads this file from the folder it is started in.

The parent loads the program once and makes it ready; web processes are forks of it. They share its memory, and one that
is started again answers at once. To load another version, start the server again: HUP only makes new processes.
"""

import gc
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.module_loading import import_string

from config.warm_up import warm_up

gc.disable()  # loading leaves little garbage, and looking for it takes a third of the time; `warm_up` turns it on
logger_class = "config.gunicorn_logger.OneLineLogger"
preload_app = True


def when_ready(server: Any) -> None:
    """Make ready what all web processes share, after the program is loaded and before the first is forked."""
    warm_up()
    if settings.PROFILE == "production":
        import_string("operating.surroundings.log_warnings")()
        connection.close()  # processes connect after the fork
