"""Django's backend for PostgreSQL, which gives up on a server that does not answer at all.

TCP tells nobody that a server is frozen, as by a hung virtual machine: the machine still acknowledges what is sent. And
it takes hours to notice that a machine is gone from which nothing but an answer is expected. So a thread that has
waited for PATIENCE seconds opens another connection. If that is not answered within `connect_timeout` either, its own
is closed, and the statement fails as it does if the server is away. A server that answers is only busy with the
statement, or waits for a lock, and is waited for; it is asked again from time to time.
"""

from typing import Any

import psycopg
from django.db.backends.postgresql import base

PATIENCE, LONGEST_PATIENCE = 5.0, 60.0
"""Seconds before the server is asked for the first time; twice as long each time after that, up to the second."""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that notices if its server falls silent."""

    def get_new_connection(self, conn_params: Any) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.__class__ = WatchedConnection  # Django calls psycopg.connect() by its name
        connection.parameters = conn_params
        return connection


class WatchedConnection(psycopg.Connection):
    """A connection of psycopg; `parameters` are those with which it was opened."""

    parameters: dict[str, Any]

    def wait(self, gen: Any, *given: Any, **more: Any) -> Any:
        """Do a step of the protocol, such as a statement: all of them come through here."""
        if given or more:  # a step with a time limit of its own
            return super().wait(gen, *given, **more)
        patience = PATIENCE
        while True:
            try:
                return super().wait(gen, timeout=patience)
            except psycopg.errors._WaitTimeout:
                self._check_server()
            patience = min(2 * patience, LONGEST_PATIENCE)

    def _check_server(self) -> None:
        """Close this connection and raise OperationalError if the server answers no other one."""
        try:
            psycopg.connect(**self.parameters).close()
        except psycopg.errors.ConnectionTimeout as problem:
            self.close()
            raise psycopg.OperationalError("the database server does not answer") from problem
        except psycopg.Error:  # it refuses connections, so it answers
            return
