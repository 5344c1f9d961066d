"""Asks a server for the types of a statement's parameters."""

from __future__ import annotations

import re
from collections.abc import Mapping

import psycopg

from partadvisor.io.connect import Connection
from partadvisor.workload.replay.statements import ParameterTypes

_NAME = "partadvisor_types"


def parameter_types(connection: Connection) -> ParameterTypes:
    """A function that prepares a statement and reads back the types the server gave its parameters.

    The connection has to be in autocommit mode. A refused statement gives the server's message instead.
    """

    def types(text: str) -> Mapping[int, str] | str:
        try:
            connection.execute(f"PREPARE {_NAME} AS {text}".encode())
        except psycopg.Error as error:
            if connection.closed or connection.broken:
                raise
            return error.diag.message_primary or str(error)
        row = connection.execute(
            "SELECT array(SELECT format_type(t, NULL) FROM unnest(parameter_types::oid[]) WITH ORDINALITY AS u(t, n)"
            " ORDER BY n) FROM pg_catalog.pg_prepared_statements WHERE name = %s",
            [_NAME],
        ).fetchone()
        connection.execute(f"DEALLOCATE {_NAME}")
        named = {int(number) for number in re.findall(r"\$(\d+)", text)}
        return {n: name for n, name in enumerate(row[0] if row else (), start=1) if n in named}

    return types
