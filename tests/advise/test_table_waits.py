"""How busy a lock is, from looks of which only some can see a holder that nobody waits for."""

import pytest

from partadvisor.advise.table_waits import table_waits
from partadvisor.model.activity import ActivitySample, ExtensionWait
from tests.advise.snapshots import LINES, observed


def look(*, waiters: int = 0, holders: int = 0, locks_read: bool = True) -> ActivitySample:
    queue = ExtensionWait(relation=LINES, table=LINES, via="heap", waiters=waiters, holders=holders)
    waits = {"CPU": 8 - waiters, **({"Lock:extend": waiters} if waiters else {})}
    extension = (queue,) if waiters or holders else ()
    return ActivitySample(at_ms=0.0, waits=waits, extension=extension, locks_read=locks_read)


@pytest.mark.parametrize(
    ("drawn", "busy"),
    [
        # a tenth of the looks read the locks and find a holder every second time; nobody waits
        ([look(holders=1), *[look(locks_read=False)] * 9, look(), *[look(locks_read=False)] * 9], 0.5),
        # a quarter with waiters; of the rest those that read the locks find it free
        ([look(waiters=2, holders=1)] * 5 + [look()] * 2 + [look(locks_read=False)] * 13, 0.25),
        # the same, and half of those that read the locks find a holder: a quarter and half of the rest
        ([look(waiters=2, holders=1)] * 5 + [look(), look(holders=1)] + [look(locks_read=False)] * 13, 0.625),
        ([look(waiters=2, holders=1)] * 20, 1.0),
        # nothing but the looks with waiters read the locks: at least those
        ([look(waiters=2, holders=1)] * 5 + [look(locks_read=False)] * 15, 0.25),
    ],
)
def test_the_lock_is_as_busy_as_seen_and_as_likely_unseen(drawn: list[ActivitySample], busy: float) -> None:
    (wait,) = table_waits(observed(drawn=tuple(drawn)))
    assert wait.lock_busy == pytest.approx(busy)
