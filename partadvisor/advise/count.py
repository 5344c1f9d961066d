"""How many hash partitions: the smallest power of two with room for the gain, in steps a measurement cannot flip.

The wanted number of independent queues depends on the possible gain in three coarse steps (``rules/advice.toml``), not
on the measured value itself: repeated measurements of one server must lead to one scheme.
"""

from __future__ import annotations

from collections.abc import Callable

from partadvisor.advise.candidates import with_modulus
from partadvisor.advise.spread import SpreadModel
from partadvisor.model.scheme import HashLevel, Scheme
from partadvisor.pg import knowledge

_NEAR_BEST = 0.75


def queues_wanted(possible_gain: float) -> int:
    """Independent queues (1 / largest share) that leave head-room for a gain of that ratio."""
    steps = knowledge.load("advice.toml")["queues"]
    return int(next(s["wanted"] for s in steps if possible_gain <= s["gain_up_to"]))


def choose_count(
    scheme: Scheme, model: SpreadModel, possible_gain: float, too_costly: Callable[[Scheme], bool]
) -> Scheme:
    """``scheme`` with its number of hash partitions chosen.

    Args:
        scheme: with any modulus; returned as it is when no level is a hash.
        model: write spread of the table's schemes.
        possible_gain: throughput ratio that the removal of the queue allows.
        too_costly: whether a scheme's unpruned reads cost more than its spread is worth.
    """
    level = next((x for x in scheme.levels if isinstance(x, HashLevel)), None)
    if level is None:
        return scheme
    ladder = _ladder(scheme, model, level)
    queues = {modulus: 1 / model.spread(with_modulus(scheme, modulus)).max_share for modulus in ladder}
    wanted = queues_wanted(possible_gain)
    enough = [m for m in ladder if queues[m] >= wanted]
    best = max(queues.values())
    chosen = enough[0] if enough else next(m for m in ladder if queues[m] >= _NEAR_BEST * best)
    while chosen > ladder[0] and too_costly(with_modulus(scheme, chosen)):
        chosen = ladder[ladder.index(chosen) - 1]
    return with_modulus(scheme, chosen)


def _ladder(scheme: Scheme, model: SpreadModel, level: HashLevel) -> list[int]:
    """Counts worth trying: not more partitions than the key has values that count (1 / collision probability)."""
    ladder = [int(p) for p in knowledge.load("advice.toml")["ladder"]]
    values = 1 / max(1e-9, model.sample(level.columns).expected.collision)
    if len(scheme.levels) > 1:
        ladder = [p for p in ladder if p <= 32]
    return [p for p in ladder if p <= values] or ladder[:1]
