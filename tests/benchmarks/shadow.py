"""Three judges of the same candidates over twenty filled schemas: analytic model, shadow planner, execution.

Kendall's tau-b is between the rankings of a table's candidates by the analytic cost ratio and by the shadow's time
ratio, which both count planning (the shadow's is processor time); beside it stands tau without planning: analytic
execution against the planner's cost. Values closer than the stated tie count as equal. The formulas of the model were
looked at with half of the schemas; the others only judge. "Ahead" schemes are left out: their partitions for new rows
are empty today, while the model prices the day when they are not.

Direction is over single queries: where the shadow says a query costs at least a quarter more or less on a candidate,
does its execution time on the filled table move the same way.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from partadvisor.advise.advise import advise_on
from partadvisor.io.binaries import find_binaries
from partadvisor.io.server import Server, start_server
from partadvisor.io.shadow.run import verify
from partadvisor.model.advice import Advice, Candidate
from partadvisor.model.snapshot import Snapshot
from partadvisor.model.workload import Workload
from partadvisor.pg import knowledge
from partadvisor.pg.scheme_text import parse_scheme
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

TIES = (0.10, 0.25)
"""Ratios closer than these are ties; the second is what twins, candidates alike in all but their columns, differ by."""
BAND = math.log(1.25)
HELD_OUT = ("billing", "chat", "events", "ledger", "mail", "orders", "sensors", "stock", "tickets", "votes")
"""Schemas that nobody looked at while the formulas and constants of the model were chosen: every second one by name."""
EXECUTED = 2  # candidates of each schema that are filled for real
_SETTINGS = {"fsync": "off", "autovacuum": "off", "max_wal_size": "8GB", "max_parallel_workers_per_gather": "0"}

_LOCK_MS = float(knowledge.load("read_cost.toml")["lock_us"]) / 1000


@dataclass(frozen=True)
class Pair:
    """One query on one candidate: ratios by the shadow and by execution."""

    name: str
    shadow: float
    executed: float


def tau_b(first: Sequence[float], second: Sequence[float], tie: float) -> float | None:
    """Kendall's tau-b of two lists of logarithms; None when one of them has nothing but ties."""
    signs = [
        (_sign(first[i] - first[j], tie), _sign(second[i] - second[j], tie))
        for i, j in itertools.combinations(range(len(first)), 2)
    ]
    left, right = sum(a != 0 for a, _ in signs), sum(b != 0 for _, b in signs)
    if not left or not right:
        return None
    return sum(a * b for a, b in signs) / math.sqrt(left * right)


def _sign(difference: float, tie: float) -> int:
    return 0 if abs(difference) < math.log(1 + tie) else 1 if difference > 0 else -1


def twins(model: Sequence[float], costs: Sequence[float], times: Sequence[float]) -> list[float]:
    """How far times are apart where model and planner's cost are the same: the noise of measuring planning."""
    pairs = itertools.combinations(zip(model, costs, times, strict=True), 2)
    return [abs(a[2] - b[2]) for a, b in pairs if abs(a[0] - b[0]) < 1e-3 and abs(a[1] - b[1]) < 1e-3]


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


def execution_ratio(candidate: Candidate, workload: Workload) -> float:
    """The model's new ÷ old time of the reads without planning and the locks it takes."""
    times = {f.fingerprint: f.mean_ms for f in workload.families}
    read = [e for e in candidate.queries or () if e.planning_ms]  # an INSERT has none
    before = added = 0.0
    for effect in read:
        locks = max(0, effect.locks - candidate.locks.fast_path_slots) * _LOCK_MS
        weight = effect.calls_per_second or 0.0
        before += weight * times[effect.fingerprint]
        added += weight * (effect.added_ms - effect.planning_ms - locks)
    return max(0.001, 1 + added / before) if before else 1.0


def _verified(advice: Advice) -> list[Candidate]:
    return [
        c
        for c in advice.tables[0].candidates
        if c.verification and c.verification.cost_ratio is not None and not parse_scheme(c.scheme).is_ahead
    ]


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


@dataclass
class Tally:
    """What all schemas add up to."""

    taus: dict[float, dict[str, float]] = field(default_factory=lambda: {tie: {} for tie in TIES})
    cost_taus: dict[str, float] = field(default_factory=dict)
    noise: list[float] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)
    compared: int = 0
    different: int = 0

    def add(self, case: Case, analytic: Advice, workload: Workload, found: Sequence[Candidate]) -> None:
        """One schema's rankings, printed."""
        told = {c.scheme: c for c in analytic.tables[0].candidates}
        answers = [c.verification for c in found if c.verification]
        model = [math.log(told[c.scheme].read.cost_ratio) for c in found]
        running = [math.log(execution_ratio(told[c.scheme], workload)) for c in found]
        times = [math.log(v.time_ratio or 1.0) for v in answers]
        costs = [math.log(v.cost_ratio or 1.0) for v in answers]
        found_taus = {tie: tau_b(model, times, tie) for tie in TIES}
        cost_tau = tau_b(running, costs, TIES[0])
        for tie, tau in found_taus.items():
            if tau is not None:
                self.taus[tie][case.name] = tau
        if cost_tau is not None:
            self.cost_taus[case.name] = cost_tau
        self.noise += twins(model, costs, times)
        self.compared += sum(v.compared_partitions for v in answers)
        self.different += sum(v.different_partitions for v in answers)
        shown = ", ".join(f"{_shown(tau)} (ties {tie:.0%})" for tie, tau in found_taus.items())
        role = "held out" if case.name in HELD_OUT else "looked at"
        print(
            f"{case.name:10} tau {shown}, without planning {_shown(cost_tau)}, {len(found)} candidates, {role}",
            flush=True,
        )
        for one, *logs in sorted(zip(found, model, times, running, costs, strict=True), key=lambda x: x[2]):
            a, b, c, d = map(math.exp, logs)
            print(
                f"    {one.scheme:44} model {a:7.2f}  shadow {b:7.2f}  without planning {c:7.2f} {d:7.2f}", flush=True
            )


def _shown(tau: float | None) -> str:
    return "(only ties)" if tau is None else f"{tau:.2f}"


def main() -> None:
    """Print tau for each schema and overall, then the agreement of directions."""
    tally = Tally()
    began = time.perf_counter()
    with start_server(find_binaries(), settings=_SETTINGS) as server:
        for case in CASES:
            server.create_database(case.name)
            snapshot = fill(case, server.dsn(case.name))
            workload = timed(case, server.dsn(case.name), snapshot)
            analytic, shadow = advised(case, snapshot, workload)
            found = _verified(shadow)
            tally.add(case, analytic, workload, found)
            for chosen in _extremes(found):
                tally.pairs += executed(case, server, snapshot, workload, chosen)
    for tie, taus in tally.taus.items():
        _overall(f"with planning, ties below {tie:.0%}", taus)
    _overall("without planning", tally.cost_taus)
    noise = sorted(math.exp(n) - 1 for n in tally.noise)
    if noise:
        print(f"twins differ by {noise[len(noise) // 2]:.0%} in the middle, by {noise[-1]:.0%} at most: planning time")
    same = tally.compared - tally.different
    print(f"partition counts: {same} of {tally.compared} as the model predicts for the same values")
    _directions(tally.pairs)
    print(f"{time.perf_counter() - began:.0f} s in all")


def _overall(what: str, taus: Mapping[str, float]) -> None:
    """The mean over all schemas, over those looked at, and over those held out."""
    print(f"Kendall tau-b {what}:")
    held = {name: tau for name, tau in taus.items() if name in HELD_OUT}
    looked = {name: tau for name, tau in taus.items() if name not in HELD_OUT}
    for role, found in (("all", taus), ("looked at", looked), ("held out", held)):
        if found:
            mean = sum(found.values()) / len(found)
            print(f"  {role:9} mean {mean:.3f} over {len(found)} schemas, least {min(found.values()):.2f}")


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
