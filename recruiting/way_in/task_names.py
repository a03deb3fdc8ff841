"""How a person's own data name a task: the same in every list, and saying nothing about the task.

Primary keys would tell hidden checks, which are made later than the study's own tasks.
"""

from django.utils.crypto import salted_hmac

LENGTH = 16


def task_name(person: int | None, task: int | None) -> str | None:
    """Return the name of a task (primary keys) in the data of a person; None for what is about no task."""
    if task is None:
        return None
    return salted_hmac("recruiting.way_in.task_names", f"{person} {task}", algorithm="sha256").hexdigest()[:LENGTH]
