"""Which thread of a web process answers queued sign-ins: it may wait longer, since no page needs it."""

from contextvars import ContextVar

IN_SIGN_IN_THREAD: ContextVar[bool] = ContextVar("in_sign_in_thread", default=False)
