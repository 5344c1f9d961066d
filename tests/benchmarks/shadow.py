"""Three judges of the same candidates over twenty filled schemas: analytic model, shadow planner, execution.

Kendall's tau-b is between the rankings of a table's candidates by the analytic cost ratio and by the shadow's. Values
closer than 2 % count as a tie. Direction is over single queries: where the shadow says a query costs at least a quarter
more or less on a candidate, does its execution time on the filled table move the same way.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from partadvisor.advise.advise import advise_on
from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import Server, start_server
from partadvisor.io.shadow.run import verify
from partadvisor.model.advice import Advice, Candidate
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload
from partadvisor.sql.server_text import server_text
from tests.shadow_cases import (
    CASES,
    Case,
    answers,
    candidate,
    executed_ms,
    fill,
    fill_candidate,
    reads,
    session,
    workload_of,
)

TIE = math.log(1.02)
BAND = math.log(1.25)
EXECUTED = 2  # candidates of each schema that are filled for real
_SETTINGS = {"fsync": "off", "autovacuum": "off", "max_wal_size": "8GB", "max_parallel_workers_per_gather": "0"}

T = TypeVar("T")


@dataclass(frozen=True)
class Pair:
    """One query on one candidate: ratios by the shadow and by execution."""

    name: str
    shadow: float
    executed: float


def tau_b(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Kendall's tau-b of two lists of logarithms; None when one of them has nothing but ties."""
    signs = [
        (_sign(first[i] - first[j]), _sign(second[i] - second[j]))
        for i, j in itertools.combinations(range(len(first)), 2)
    ]
    left, right = sum(a != 0 for a, _ in signs), sum(b != 0 for _, b in signs)
    if not left or not right:
        return None
    return sum(a * b for a, b in signs) / math.sqrt(left * right)


def _sign(difference: float) -> int:
    return 0 if abs(difference) < TIE else 1 if difference > 0 else -1


def timed(case: Case, dsn: str, snapshot: Snapshot) -> Workload:
    """The workload with mean times as the filled server shows them, as pg_stat_statements would have told."""
    workload = workload_of(snapshot)
    uses = reads(case, workload)
    with session(dsn, snapshot) as connection:
        found = answers(connection, uses, snapshot)
        times = {
            use.family.fingerprint: executed_ms(connection, server_text(use.family.text), answer.values)
            for use, answer in zip(uses, found, strict=True)
            if answer.planned is not None
        }
    families = tuple(msgspec.structs.replace(f, mean_ms=times.get(f.fingerprint, f.mean_ms)) for f in workload.families)
    return msgspec.structs.replace(workload, families=families)


def advised(case: Case, snapshot: Snapshot, workload: Workload) -> tuple[Advice, Advice]:
    """The analytic advice, and the same with the planner's answers."""
    advice = advise_on(snapshot, workload, table=case.hot, top=12, details=True)
    return advice, verify(snapshot, advice, workload, progress=lambda _what, _share: None, details=True)


def _verified(advice: Advice) -> list[Candidate]:
    return [c for c in advice.tables[0].candidates if c.verification and c.verification.cost_ratio is not None]


def executed(case: Case, server: Server, snapshot: Snapshot, workload: Workload, chosen: Candidate) -> list[Pair]:
    """The reads of a case, run on the table as it is and on a filled candidate."""
    laid = candidate(case, snapshot, chosen.scheme)
    name = f"{case.name}_{chosen.rank}"
    server.create_database(name)
    fill_candidate(case, server.dsn(name), snapshot, laid)
    uses = reads(case, workload)
    ratios = {q.fingerprint: q.cost_ratio for q in chosen.verification.queries} if chosen.verification else {}
    found = []
    with session(server.dsn(case.name), snapshot) as old, session(server.dsn(name), snapshot) as new:
        for use, answer in zip(uses, answers(old, uses, snapshot), strict=True):
            ratio, text = ratios.get(use.family.fingerprint), server_text(use.family.text)
            if ratio is None:
                continue
            before, after = executed_ms(old, text, answer.values, 7), executed_ms(new, text, answer.values, 7)
            found.append(Pair(f"{case.name}: {use.name} on {chosen.scheme}", ratio, after / before))
    return found


def _extremes(candidates: Sequence[Candidate]) -> list[Candidate]:
    ranked = sorted(candidates, key=lambda c: c.verification.cost_ratio or 1.0 if c.verification else 1.0)
    return [ranked[0], ranked[-1]][:EXECUTED] if len(ranked) > 1 else ranked


def main() -> None:
    """Print tau for each schema and overall, then the agreement of directions."""
    taus, pairs, counted, different = [], [], 0, 0
    began = time.perf_counter()
    with start_server(find_binaries(), settings=_SETTINGS) as server:
        for case in CASES:
            server.create_database(case.name)
            snapshot = fill(case, server.dsn(case.name))
            workload = timed(case, server.dsn(case.name), snapshot)
            analytic, shadow = advised(case, snapshot, workload)
            found = _verified(shadow)
            told = {c.scheme: c.read.cost_ratio for c in analytic.tables[0].candidates}
            ours = [math.log(told[c.scheme]) for c in found]
            theirs = [math.log(c.read.cost_ratio) for c in found]
            tau = tau_b(ours, theirs)
            taus += [tau] if tau is not None else []
            counted += sum(c.verification.compared_partitions for c in found if c.verification)
            different += sum(c.verification.different_partitions for c in found if c.verification)
            shown = "only ties" if tau is None else f"{tau:.2f}"
            print(f"{case.name:10} tau {shown:9} over {len(found)} candidates", flush=True)
            for one, a, b in sorted(zip(found, ours, theirs, strict=True), key=lambda x: x[2]):
                print(f"    {one.scheme:44} model {math.exp(a):8.3f}  planner {math.exp(b):8.3f}")
            for chosen in _extremes(found):
                pairs += executed(case, server, snapshot, workload, chosen)
    print(f"Kendall tau-b: mean {sum(taus) / len(taus):.3f} over {len(taus)} schemas, least {min(taus):.2f}")
    print(f"partition counts: {counted - different} of {counted} as the model predicts for the same values")
    _directions(pairs)
    print(f"{time.perf_counter() - began:.0f} s in all")


def _directions(pairs: Sequence[Pair]) -> None:
    clear = [p for p in pairs if abs(math.log(p.shadow)) > BAND]
    agreeing = [p for p in clear if math.log(p.shadow) * math.log(p.executed) > 0]
    strict = [p for p in clear if abs(math.log(p.executed)) > BAND]
    both = [p for p in strict if math.log(p.shadow) * math.log(p.executed) > 0]
    print(f"direction: {len(agreeing)} of {len(clear)} query/candidate pairs outside 0.80 to 1.25 of the shadow agree")
    print(f"  where execution is outside that band as well: {len(both)} of {len(strict)}")
    calm = [p for p in pairs if abs(math.log(p.shadow)) <= BAND]
    still = [p for p in calm if abs(math.log(p.executed)) <= BAND]
    print(f"  inside the band: {len(still)} of {len(calm)} stay inside it when run")
    for pair in clear:
        if pair not in agreeing:
            print(f"  differs: {pair.name}: shadow {pair.shadow:.2f}, execution {pair.executed:.2f}")
