"""A diagnosis for people: the verdict first, then its evidence, then what to do."""

from __future__ import annotations

from partadvisor.advise import waits
from partadvisor.model.diagnosis import Diagnosis, GainLimit, TableWait, WaitShare
from partadvisor.render.latency_text import latency_lines
from partadvisor.render.log_text import log_lines
from partadvisor.render.style import Style, interval_bar, pad, percent, quantity, wrapped

TITLES = {
    "extension": "Inserts queue to extend a table",
    "storage_reads": "Storage is the limit: sessions wait for pages",
    "wal": "The write-ahead log is the limit",
    "row_locks": "Row locks are the limit",
    "index_leaf": "Sessions queue for the same index page",
    "lock_manager": "The lock manager is the limit",
    "cpu": "The CPU is the limit",
    "client": "Transactions wait for the application",
    "none": "Nothing queues long enough to matter",
    "insufficient": "Not enough seen for a verdict",
}
"""Verdict → what it says, for people."""
TO_PARTITION = ("extension", "index_leaf")
_SMALL = 0.005  # classes below are summed up in a line
_MOST_TABLES = 8


def diagnosis_text(d: Diagnosis, *, width: int, colour: bool) -> str:
    """The whole page, lines of at most ``width`` characters (from 60 on), ending in a newline."""
    style, width = Style(colour), max(width, 60)
    parts = [
        _verdict(d, style, width),
        _waits(d, style, width),
        latency_lines(d.latency, style, width),
        log_lines(d.log, style, width),
        _tables(d.tables, style, width),
        _gain(d, style, width),
        _listed("What to do", d.advice, style, width, numbered=True),
        _listed("Taken for granted", d.assumptions, style, width),
        _listed("Not known", d.missing, style, width),
    ]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _verdict(d: Diagnosis, style: Style, width: int) -> list[str]:
    paint = style.yellow
    if d.verdict in TO_PARTITION:
        paint = style.red
    elif d.verdict == "none":
        paint = style.green
    title, sure = TITLES[d.verdict], f"verdict {d.verdict}, confidence {percent(d.confidence)}"
    if d.verdict == "insufficient":
        sure = ""
    head = [f"{style.bold(paint(title))}  {style.dim(sure)}".rstrip()]
    if len(title) + 2 + len(sure) > width:
        head = [style.bold(paint(title)), style.dim(sure)]
    return [*head, *wrapped(d.reason, width)]


def _waits(d: Diagnosis, style: Style, width: int) -> list[str]:
    if not d.waits:
        return []
    large = [w for w in d.waits if w.share >= _SMALL]
    small = [w for w in d.waits if w.share < _SMALL]
    name_width = max(len(waits.label(w.wait_class)) for w in large)
    sessions = width - name_width - 43 >= 16  # room for their number beside name, bar, share and interval
    bar_width = max(4, min(40, width - name_width - (43 if sessions else 25)))
    lines = [style.bold("Where session time goes"), *wrapped(seen(d), width, first="  ")]
    for wait in large:
        lines.append(_wait(wait, style, name_width, bar_width, sessions=sessions))
        lines += _events(wait, style, name_width + 4, width)
    if small:
        names = ", ".join(waits.label(w.wait_class) for w in small)
        lines += [style.dim(line) for line in wrapped(f"below {percent(_SMALL)} each: {names}", width, first="  ")]
    return lines


def seen(d: Diagnosis) -> str:
    """What the shares rest on."""
    parts = []
    if d.samples:
        parts.append(f"{d.samples} samples, worth {d.effective_samples:.0f} independent ones")
    if d.seconds:
        parts.append(f"{d.seconds:.0f} s")
    if d.active_sessions:
        parts.append(f"{quantity(d.active_sessions)} active sessions")
    if d.transactions_per_second:
        parts.append(f"{quantity(d.transactions_per_second)} transactions/s")
    cores = f" of {d.cores} cores" if d.cores else ""
    parts.append("CPU load not known" if d.host_cpu_busy is None else f"CPU {percent(d.host_cpu_busy)} busy{cores}")
    return ", ".join(parts)


def _wait(wait: WaitShare, style: Style, name_width: int, bar_width: int, *, sessions: bool) -> str:
    name = pad(waits.label(wait.wait_class), name_width)
    drawn = style.cyan(interval_bar(wait.low, wait.share, wait.high, bar_width))
    between = style.dim(f"{100 * wait.low:3.0f} to {100 * wait.high:.0f} %")
    count = f"{quantity(wait.sessions)} sessions" if wait.sessions and sessions else ""
    return f"  {name}  {drawn} {pad(percent(wait.share), 6, right=True)}  {pad(between, 12)}  {count}".rstrip()


def _events(wait: WaitShare, style: Style, indent: int, width: int) -> list[str]:
    """The events of a class that has several."""
    if len(wait.events) < 2 and wait.wait_class != "other":
        return []
    named = ", ".join(f"{name} {quantity(mean)}" for name, mean in list(wait.events.items())[:4])
    return [style.dim(line) for line in wrapped(named, width, first=" " * indent)]


def _tables(tables: tuple[TableWait, ...], style: Style, width: int) -> list[str]:
    if not tables:
        return []
    rows = [_row(table) for table in tables[:_MOST_TABLES]]
    head = ("table", "extension", "queue on", "lock busy", "inserts/s", "pages/s")
    kept = [i for i in range(len(head)) if i < 2 or any(row[i] for row in rows)]
    sizes = {i: max(len(head[i]), *(len(row[i]) for row in rows)) for i in kept}
    while sum(sizes.values()) + 2 * len(kept) > width and len(kept) > 2:
        kept.pop()
        sizes = {i: sizes[i] for i in kept}
    lines = [style.bold("Tables that grow"), "  " + style.dim(_cells(head, kept, sizes))]
    lines += ["  " + _cells(row, kept, sizes) for row in rows]
    if len(tables) > _MOST_TABLES:
        lines.append(style.dim(f"  and {len(tables) - _MOST_TABLES} more"))
    return lines


def _cells(row: tuple[str, ...], kept: list[int], sizes: dict[int, int]) -> str:
    return "  ".join(pad(row[i], sizes[i], right=i in (1, 3, 4, 5)) for i in kept).rstrip()


def _row(table: TableWait) -> tuple[str, ...]:
    queue = ""
    if table.relation and table.via and table.via != "heap":
        queue = f"{table.via} {table.relation}"
    elif table.relation:
        queue = "table" if table.relation == table.table else table.relation
    return (
        table.table,
        percent(table.extension_share) if table.extension_share or not table.relation else "",
        queue,
        "" if table.lock_busy is None else percent(table.lock_busy),
        "" if table.inserts_per_second is None else quantity(table.inserts_per_second),
        "" if table.pages_per_second is None else quantity(table.pages_per_second),
    )


def _gain(d: Diagnosis, style: Style, width: int) -> list[str]:
    if d.gain_limit is None:
        return []
    what = "What the end of this queue could buy at most"
    if d.verdict in ("cpu", "none"):
        what = "What the end of all extension waits could buy at most"
    lines = [style.bold(what), f"  {_scale(d.gain_limit, min(40, width - 24), style)}"]
    number = f"{d.gain_limit.expected:.2f} times today's throughput expected"
    lines += wrapped(
        f"{number}, then the next limit is {waits.queue_name(d.gain_limit.next_bottleneck)}.", width, first="  "
    )
    return lines


def _scale(gain: GainLimit, width: int, style: Style) -> str:
    """``1.3 ├──●───┤ 1.8``: the range on a scale that starts at the smaller of 1 and the low end."""
    start, end = min(1.0, gain.low), max(gain.high, 1.2)
    low, middle, high = (round((x - start) / (end - start) * (width - 1)) for x in (gain.low, gain.expected, gain.high))
    drawn = [" "] * width
    drawn[low : high + 1] = "─" * (high - low + 1)
    drawn[low], drawn[high] = "├", "┤"
    drawn[middle] = "●"
    return f"{gain.low:5.2f} {style.cyan(''.join(drawn).rstrip())} {gain.high:.2f}"


def _listed(title: str, items: tuple[str, ...], style: Style, width: int, *, numbered: bool = False) -> list[str]:
    if not items:
        return []
    lines = [style.bold(title)]
    for number, item in enumerate(items, start=1):
        lines += wrapped(item, width, first=f"  {number}. " if numbered else "  · ")
    return lines
