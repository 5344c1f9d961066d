"""The lookup made from a snapshot's relations."""

import msgspec

from partadvisor.model.catalog import Column, Dependent, Relation, Trigger
from partadvisor.sql.names import SchemaNames
from tests.sql.brief import conditions, first


def _relation(name: str, *columns: Column, kind: str = "table", dependents: tuple[Dependent, ...] = ()) -> Relation:
    return Relation(oid=1, schema="app", name=name, kind=kind, columns=columns, dependents=dependents)  # type: ignore[arg-type]


def _column(name: str, number: int, **more: object) -> Column:
    return Column(name=name, number=number, type="integer", base_type="integer", **more)  # type: ignore[arg-type]


VIEW = Dependent(kind="view", name="app.busy", definition=" SELECT jobs.id AS job FROM app.jobs WHERE jobs.state = 1;")
NAMES = SchemaNames.from_relations(
    [
        _relation(
            "jobs",
            _column("id", 1, identity="always"),
            _column("state", 2, default="0"),
            _column("made", 3, default="clock_timestamp()"),
            _column("both", 4, default="(id + state)", generated="stored"),
            dependents=(VIEW, Dependent(kind="function", name="app.f", definition="x")),
        ),
        _relation("busy", _column("job", 1), kind="view"),
    ]
)


def test_tables_of_one_schema_are_found_without_it() -> None:
    assert first("select * from jobs", NAMES).table == "app.jobs"


def test_views_are_read_as_their_text() -> None:
    assert conditions("select * from busy where job = 5", NAMES) == ["jobs: state = 1 and id = 5"]
    assert conditions("select * from busy b(x) where x = 5", NAMES) == ["jobs: state = 1 and id = 5"]


def test_a_view_is_written_through_unless_a_trigger_does_it() -> None:
    found = first("insert into busy (job) values (1)", NAMES)
    assert (found.table, found.columns) == ("app.jobs", ("id",))
    trigger = Trigger(name="i", definition="x", timing="instead")
    busy = msgspec.structs.replace(_relation("busy", _column("job", 1), kind="view"), triggers=(trigger,))
    own = SchemaNames.from_relations([_relation("jobs", _column("id", 1), dependents=(VIEW,)), busy])
    assert first("insert into busy (job) values (1)", own).table == "app.busy"


def test_defaults_decide_columns_left_out() -> None:
    found = first("insert into jobs (state) values ($1), ($2)", NAMES)
    assert (found.constant_columns, found.varying_columns) == ((), ("id", "made"))
    found = first("insert into jobs (id) values ($1), ($2)", NAMES)
    assert (found.constant_columns, found.varying_columns) == (("state",), ("made",))


def test_a_view_on_itself_ends() -> None:
    odd = SchemaNames({}, {"public.v": "SELECT * FROM public.v"}, ("public",), {"v": ("public.v",)})
    assert first("select * from v", odd).table == "public.v"
