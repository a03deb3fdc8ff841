"""The addresses on a task's page. Django looks for each of them in all patterns; here each pattern is found once."""

import uuid
from functools import lru_cache

from django.urls import get_script_prefix, reverse

NO_TASK = uuid.UUID(int=0)
OF_TASKS = ("desk", "save_draft", "pulse", "submit_task", "flag_task", "skip_task")


def task_address(name: str, key: uuid.UUID) -> str:
    """The address `annotation:NAME` of the assignment with this key."""
    return _address(get_script_prefix(), f"annotation:{name}", NO_TASK).replace(str(NO_TASK), str(key))


def page_addresses(slug: str, key: uuid.UUID) -> dict[str, str]:
    """All addresses on the page of a task of the study `slug`, by their names."""
    prefix = get_script_prefix()
    return {
        "home": _address(prefix, "annotation:home"),
        "sign_in": _address(prefix, "accounts:sign_in"),
        "keys": _address(prefix, "accounts:keys"),
        "preferences": _address(prefix, "accounts:preferences"),
        "guidelines": _address(prefix, "annotation:guidelines", slug),
        "ask": _address(prefix, "recruiting:task_thread", slug, NO_TASK).replace(str(NO_TASK), str(key)),
        **{name: task_address(name, key) for name in OF_TASKS},
    }


@lru_cache(maxsize=256)
def _address(prefix: str, name: str, *args: uuid.UUID | str) -> str:
    """An address below `prefix`, which `reverse` takes from the thread."""
    return reverse(name, args=args)
