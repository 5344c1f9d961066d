"""The published case of the extension lock: order entry, 50 warehouses, 64 and 128 clients, with no server at all.

The answer of that talk is a hash key on the warehouse column; a key that grows with time buys nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from partadvisor.advise.advise import advise
from partadvisor.io.offline import offline_snapshot
from partadvisor.io.snapshot_file import write_snapshot
from partadvisor.model.advice import Advice, Candidate
from partadvisor.model.diagnosis import Diagnosis

CASE = Path(__file__).parents[1] / "cases" / "order_entry"
GROWING = "range(ol_o_id) by 1000"
WAREHOUSE = {
    "order_line": "ol_w_id",
    "orders": "o_w_id",
    "new_order": "no_w_id",
    "customer": "c_w_id",
    "district": "d_w_id",
    "warehouse": "w_id",
    "stock": "s_w_id",
    "history": "h_w_id",
}
# JSON essentials of the product's contract; more fields may come, these stay
DIAGNOSIS = "schema_version verdict confidence samples waits tables gain_limit advice assumptions missing"
WAIT, TABLE_WAIT = "class share low high", "table extension_share via relation inserts_per_second pages_per_second"
GAIN = "low expected high next_bottleneck"
ADVICE, TABLE = (
    "schema_version diagnosis tables assumptions missing",
    "table verdict reason recommended group candidates",
)
CANDIDATE = (
    "rank scheme strategy columns partitions feasible blockers migration write throughput_ratio read locks pareto "
    "sensitivity queries"
)
PARTS = {
    "write": "effective_partitions max_share partitions_per_statement",
    "throughput_ratio": GAIN,
    "read": "partitions_per_query cost_ratio unpruned_share verified",
    "locks": "per_query_max fast_path_slots",
}
QUERY = "name fingerprint calls_per_second partitions_touched partitions when why"


@pytest.fixture(scope="module")
def snapshot_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], Path]:
    """The case as a snapshot file, by its number of clients."""
    folder = tmp_path_factory.mktemp("order_entry")

    def made(clients: int) -> Path:
        path = folder / f"{clients}.json"
        if not path.exists():
            text = (CASE / "stats.toml").read_text()
            assert "clients = 128" in text
            stats = folder / "stats.toml"
            stats.write_text(text.replace("clients = 128", f"clients = {clients}"))
            write_snapshot(path, offline_snapshot(CASE / "schema.sql", CASE / "queries.sql", stats))
        return path

    return made


def run(*arguments: str | Path) -> str:
    found = subprocess.run(
        [sys.executable, "-m", "partadvisor", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def advised(path: Path, *options: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("advise", path, "--format", "json", *options))
    return found


def scored(path: Path, table: str, *keys: str) -> list[dict[str, Any]]:
    (found,) = advised(path, "--table", table, *(word for key in keys for word in ("--key", key)))["tables"]
    return [next(c for c in found["candidates"] if c["scheme"] == key) for key in keys]


@pytest.mark.parametrize("clients", [64, 128])
def test_the_warehouse_column_is_recommended(snapshot_file: Callable[[int], Path], clients: int) -> None:
    advice = advised(snapshot_file(clients))
    assert advice["diagnosis"]["verdict"] == "extension"
    (table,) = advice["tables"]
    assert (table["table"], table["verdict"]) == ("public.order_line", "partition")
    chosen = next(c for c in table["candidates"] if c["rank"] == table["recommended"])
    assert (chosen["strategy"], chosen["columns"]) == ("hash", ["ol_w_id"])
    assert chosen["feasible"]
    assert chosen["write"]["partitions_per_statement"] == 1
    assert chosen["write"]["max_share"] < 0.2
    assert chosen["read"]["unpruned_share"] == 0
    assert 1.1 < chosen["throughput_ratio"]["low"] < chosen["throughput_ratio"]["high"]
    assert chosen["throughput_ratio"]["high"] <= advice["diagnosis"]["gain_limit"]["high"] + 1e-9


@pytest.mark.parametrize("clients", [64, 128])
def test_a_key_that_grows_with_time_buys_nothing(snapshot_file: Callable[[int], Path], clients: int) -> None:
    path = snapshot_file(clients)
    growing, line = scored(path, "order_line", GROWING, "hash(ol_number) into 16")
    assert growing["write"]["max_share"] > 0.95
    assert growing["throughput_ratio"]["expected"] < 1.1
    assert line["write"]["partitions_per_statement"] > 5  # it differs within a statement
    (orders,) = scored(path, "orders", "range(o_entry_d) by month")
    assert orders["write"]["max_share"] > 0.95


@pytest.mark.parametrize("table", WAREHOUSE)
def test_the_warehouse_column_is_in_every_primary_key(snapshot_file: Callable[[int], Path], table: str) -> None:
    snapshot = _read(snapshot_file(128))
    column = WAREHOUSE[table]
    assert _candidate(
        advise(snapshot, table=table, keys=[f"hash({column}) into 16"]), f"hash({column}) into 16"
    ).feasible


@pytest.mark.parametrize(
    ("table", "key", "rules"),
    [
        ("order_line", "hash(ol_i_id) into 16", ["PF101"]),
        ("order_line", "hash(ol_w_id, ol_i_id) into 16", ["PF101"]),
        ("order_line", "hash(ol_w_id, ol_number) into 16", []),
        ("order_line", "range(ol_o_id) by 1000, hash(ol_w_id) into 8", []),
        ("orders", "hash(o_d_id) into 8", []),
        ("orders", "hash(o_c_id) into 8", ["PF101"]),
        ("new_order", "hash(no_o_id) into 8", []),
        ("customer", "hash(c_last) into 8", ["PF101"]),
        ("district", "hash(d_name) into 8", ["PF101"]),
        ("warehouse", "hash(w_name) into 8", ["PF101"]),
        ("item", "hash(i_id) into 8", []),
        ("item", "hash(i_name) into 8", ["PF101"]),
        ("stock", "hash(s_i_id) into 8", []),
        ("stock", "hash(s_w_id) into 8", []),
        ("stock", "hash(s_quantity) into 8", ["PF101", "PF402"]),
        ("history", "hash(h_c_id) into 8", []),
    ],
)
def test_primary_keys_decide_what_is_feasible(
    snapshot_file: Callable[[int], Path], table: str, key: str, rules: list[str]
) -> None:
    found = _candidate(advise(_read(snapshot_file(128)), table=table, keys=[key]), key)
    assert sorted({b.rule for b in found.blockers}) == rules
    assert found.feasible == (not rules)


def test_a_table_that_nobody_inserts_into_is_left_alone(snapshot_file: Callable[[int], Path]) -> None:
    (item,) = advised(snapshot_file(128), "--table", "item")["tables"]
    assert item["verdict"] == "do_not_partition"
    assert item["recommended"] is None


def test_the_named_key_stands_beside_the_found_ones(snapshot_file: Callable[[int], Path]) -> None:
    text = run("advise", snapshot_file(128), "--table", "public.order_line", "--key", "hash(ol_i_id) into 16")
    assert text.startswith("public.order_line: partition by hash(ol_w_id) into ")
    row = next(line for line in text.splitlines() if "hash(ol_i_id) into 16" in line and "%" in line)
    assert row.lstrip().startswith("+")
    assert row.endswith("not possible")
    assert "[PF101]" in text


def test_details_name_every_query_of_the_table(snapshot_file: Callable[[int], Path]) -> None:
    (table,) = advised(snapshot_file(128), "--details", "--key", "hash(ol_o_id) into 8")["tables"]
    chosen = next(c for c in table["candidates"] if c["rank"] == table["recommended"])
    queries = {q["name"]: q for q in chosen["queries"]}
    assert {"lines of an order", "deliver lines", "low stock"} <= set(queries)
    assert all(q["partitions_touched"] == 1 and q["partitions"] == chosen["partitions"] for q in queries.values())
    by_order = next(c for c in table["candidates"] if c["scheme"] == "hash(ol_o_id) into 8")
    low_stock = next(q for q in by_order["queries"] if q["name"] == "low stock")
    assert (low_stock["partitions_touched"], low_stock["when"]) == (8, "never")  # a range does not prune a hash key
    text = run("advise", snapshot_file(128), "--details")
    assert all(name in text for name in queries)


def test_json_has_every_field_of_the_contract(snapshot_file: Callable[[int], Path]) -> None:
    advice = advised(snapshot_file(128), "--details", "--key", "hash(ol_i_id) into 16")
    _has(advice, ADVICE)
    _diagnosis(advice["diagnosis"])
    for table in advice["tables"]:
        _has(table, TABLE)
        for candidate in table["candidates"]:
            _has(candidate, CANDIDATE)
            for part, fields in PARTS.items():
                _has(candidate[part], fields)
            for blocker in candidate["blockers"]:
                _has(blocker, "rule text")
            for query in candidate["queries"]:
                _has(query, QUERY)
    assert any(c["blockers"] for t in advice["tables"] for c in t["candidates"])
    msgspec.convert(advice, Advice)
    diagnosis = json.loads(run("diagnose", snapshot_file(128), "--format", "json"))
    _diagnosis(diagnosis)
    assert diagnosis == advice["diagnosis"]
    msgspec.convert(diagnosis, Diagnosis)


@pytest.mark.parametrize("command", ["advise", "diagnose"])
def test_json_is_as_its_published_schema_says(snapshot_file: Callable[[int], Path], command: str) -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs" / "schemas" / f"{command}.json").read_text())
    value = json.loads(run(command, snapshot_file(64), "--format", "json"))
    assert _violations(value, schema, schema, "$") == []
    value["schema_version"] = "one"
    assert _violations(value, schema, schema, "$") == ["$.schema_version: not integer"]


def test_the_files_can_be_given_directly() -> None:
    inputs = ("--schema", CASE / "schema.sql", "--queries", CASE / "queries.sql", "--stats", CASE / "stats.toml")
    text = run("diagnose", *inputs)
    assert text.startswith("Inserts queue to extend a table")
    assert "public.order_line" in text
    text = run("advise", *inputs)
    assert text.startswith("public.order_line: partition by hash(ol_w_id) into ")
    assert f"partadvisor plan --schema {CASE / 'schema.sql'}" in text


def _read(path: Path) -> Any:
    from partadvisor.io.snapshot_file import read_snapshot

    return read_snapshot(path)


def _candidate(advice: Advice, scheme: str) -> Candidate:
    (table,) = advice.tables
    return next(c for c in table.candidates if c.scheme == scheme)


def _has(value: dict[str, Any], fields: str) -> None:
    assert set(fields.split()) <= set(value)


def _diagnosis(value: dict[str, Any]) -> None:
    _has(value, DIAGNOSIS)
    _has(value["gain_limit"], GAIN)
    for wait in value["waits"]:
        _has(wait, WAIT)
    for table in value["tables"]:
        _has(table, TABLE_WAIT)


_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "number": (int, float), "integer": int, "boolean": bool,
    "null": type(None),
}  # fmt: skip


def _violations(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str) -> list[str]:
    """Where a value breaks a JSON Schema, for the few keywords that the published ones use."""
    if "$ref" in schema:
        return _violations(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, at)
    if "anyOf" in schema:
        found = [_violations(value, option, root, at) for option in schema["anyOf"]]
        return [] if not all(found) else min(found, key=len)
    if "enum" in schema:
        return [] if value in schema["enum"] else [f"{at}: not one of {schema['enum']}"]
    kind = schema.get("type")
    if kind and (not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean")):
        return [f"{at}: not {kind}"]
    found = []
    if isinstance(value, dict):
        lacking = set(schema.get("required", ())) - set(value)
        found += [[f"{at}: lacks {name}"] for name in sorted(lacking)]
        known = schema.get("properties", {})
        for name, part in value.items():
            inside = known.get(name, schema.get("additionalProperties", {} if not known else None))
            if inside is None:
                found.append([f"{at}.{name}: not in the schema"])
            elif isinstance(inside, dict):
                found.append(_violations(part, inside, root, f"{at}.{name}"))
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        found += [_violations(part, schema["items"], root, f"{at}[{i}]") for i, part in enumerate(value)]
    return [text for texts in found for text in texts]
