"""What a thread of the web server does before its first request, so that no annotator waits for it."""

import uuid

from accounts.browser_sessions import SessionStore
from accounts.models import Person
from annotation.desk.hot_queries import plan_statements
from annotation.desk.task_rows import desk_row, task_row
from annotation.studies.queries import ANYBODY, work_of


def warm_up_thread() -> None:
    """Open the thread's connection, and have its database plan the statements of the home page and of the desk.

    PostgreSQL plans them once per connection, which takes longer than to run them. Reads only, and finds nothing.
    """
    SessionStore("nobody").load()
    work_of(Person(pk=ANYBODY))
    desk_row(0, uuid.UUID(int=0))
    task_row(0, uuid.UUID(int=0))
    plan_statements()
