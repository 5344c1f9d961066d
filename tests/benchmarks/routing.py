"""How many values a second hash routing handles, next to asking a server for the same hashes.

The server gets the values as one array and answers with one hash for each, over a Unix socket: the cheapest way
to ask it. Both sides are timed in turn, best of three, and their answers are compared.
"""

import time
from collections.abc import Callable
from typing import Any, LiteralString

import psycopg

from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import start_server
from partadvisor.pg.hashing.routing import hash_values

SEED = 8816678312871386365

# type, the server's function, expression for value number g
INPUTS: tuple[tuple[LiteralString, LiteralString, LiteralString], ...] = (
    ("integer", "hashint4extended", "(g * 7919) % 1000003"),
    ("bigint", "hashint8extended", "g::bigint * 7919 * 104729"),
    ("text", "hashtextextended", "'warehouse-' || lpad(g::text, 10, '0')"),
    ("uuid", "uuid_hash_extended", "md5(g::text)::uuid"),
    ("timestamptz", "timestamptz_hash_extended", "timestamptz '2024-01-01' + g * interval '1.7 s'"),
    ("numeric", "hash_numeric_extended", "round((g * 1.37)::numeric, 2)"),
    ("date", "hashdateextended", "date '1990-01-01' + g % 20000"),
    ("inet", "hashinetextended", "'10.0.0.0'::inet + g"),
    ("double precision", "hashfloat8extended", "sqrt(g)"),
)


def best_of_three(task: Callable[[], list[int]]) -> tuple[float, list[int]]:
    """Shortest time in seconds, and the result."""
    times = []
    for _ in range(3):
        started = time.perf_counter()
        result = task()
        times.append(time.perf_counter() - started)
    return min(times), result


def ask(
    connection: psycopg.Connection[tuple[Any, ...]], type_name: LiteralString, function: LiteralString, texts: list[str]
) -> list[int]:
    """The server's hashes of the values, as unsigned numbers."""
    query = f"SELECT {function}(v, {SEED}) FROM unnest(%s::text[]::{type_name}[]) v"
    collated = query.replace("(v,", '(v COLLATE "C",') if type_name == "text" else query
    return [h % 2**64 for (h,) in connection.execute(collated, [texts])]


def main(count: int = 200_000) -> None:
    """Print a line for each type: values a second here, by asking, and the ratio."""
    print(f"hash routing, {count} values of each type")
    print(f"{'type':18} {'values/s':>12} {'asking':>12} {'ratio':>7}")
    with start_server(find_binaries()) as server, psycopg.connect(server.dsn()) as connection:
        for type_name, function, expression in INPUTS:
            query = f"SELECT format('%s', {expression}) FROM generate_series(1, {count}) g"
            texts = [text for (text,) in connection.execute(query)]
            ours, hashes = best_of_three(lambda t=type_name, v=texts: hash_values(t, v)[0].tolist())  # type: ignore[misc]
            asked, theirs = best_of_three(lambda t=type_name, f=function, v=texts: ask(connection, t, f, v))  # type: ignore[misc]
            assert hashes == theirs, type_name
            print(f"{type_name:18} {count / ours:12,.0f} {count / asked:12,.0f} {asked / ours:7.1f}")


if __name__ == "__main__":
    main()
