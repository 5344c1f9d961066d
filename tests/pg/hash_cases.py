"""Values of every type that can be routed: a SQL expression for many random ones, and odd ones by hand.

``random`` is evaluated once for each ``g`` of a series; ``odd`` are input texts of the type.
"""

from dataclasses import dataclass

_BITS64 = "('x' || substr(md5(random()::text), 1, 16))::bit(64)::bigint"
_OID = "(random() * 4294967295)::bigint"
_SIGN = "(CASE WHEN random() < 0.5 THEN -1 ELSE 1 END)"
_WORD = "substr(repeat(md5(random()::text), 4), 1, (random() * 100)::int)"
_TEXT = f"CASE g % 3 WHEN 0 THEN translate({_WORD}, 'abcdef', 'äβ漢🐘ñ ') WHEN 1 THEN 'order-' || g ELSE {_WORD} END"
_DAYS = "(random() * 2 - 1) * interval '1000000 days'"
_V6 = r"regexp_replace(md5(random()::text), '(....)(?=.)', '\1:', 'g')::inet"
_V4 = f"('0.0.0.0'::inet + {_OID})"
_DIGITS = "translate(md5(random()::text), 'abcdef', '012345')::numeric"


@dataclass(frozen=True)
class Case:
    """``rows`` random values; odd ones in ``odd_since`` exist from that major on."""

    type: str
    random: str
    odd: tuple[str, ...]
    odd_since: tuple[tuple[int, tuple[str, ...]], ...] = ()
    rows: int = 100_000
    zone: str = "UTC"

    @property
    def id(self) -> str:
        return f"{self.type} at {self.zone}" if self.zone != "UTC" else self.type

    def odd_on(self, major: int) -> list[str]:
        """The odd values the server of this major can read."""
        return [*self.odd, *(v for since, values in self.odd_since if major >= since for v in values)]


_NUMERIC_RANDOM = f"""{_SIGN} * CASE g % 6
    WHEN 0 THEN g::numeric
    WHEN 1 THEN round((random() * 1e6)::numeric, 2)
    WHEN 2 THEN {_DIGITS} * 10::numeric ^ (random() * 40)::int
    WHEN 3 THEN {_DIGITS} / 10::numeric ^ (random() * 40)::int
    WHEN 4 THEN g * 10000::numeric ^ (random() * 6)::int
    ELSE trim_scale(round(random()::numeric, 20)) END"""

_STAMPS_ODD = (
    *("infinity", "-infinity", "2000-01-01 00:00:00", "1999-12-31 23:59:59.999999", "2024-02-29 12:00:00.5"),
    *("4714-11-24 00:00:00 BC", "0001-12-31 23:59:59 BC", "0001-01-01 00:00:00", "294276-12-31 23:59:59.999999"),
    *("0045-03-15 12:00:00.000001 BC", "1600-02-29 00:00:00", "1970-01-01 00:00:00", "10000-01-01 00:00:00"),
)
_ZONED_RANDOM = f"timestamptz '2000-01-01' + CASE g % 2 WHEN 0 THEN {_DAYS} ELSE random() * interval '30 years' END"

CASES = (
    Case("smallint", "((g % 65536) - 32768)::int2", ("32767", "-32768", "0")),
    Case(
        "integer",
        "CASE g % 2 WHEN 0 THEN g ELSE (random() * 4294967295 - 2147483648)::bigint::int END",
        ("0", "1", "-1", "2147483647", "-2147483648"),
    ),
    Case(
        "bigint",
        f"CASE g % 2 WHEN 0 THEN g - 50000 ELSE {_BITS64} END",
        ("0", "-1", "9223372036854775807", "-9223372036854775808", "4294967296", "-4294967296", "-4294967297"),
    ),
    Case(
        "text", _TEXT, ("", " ", "  a ", "\t\n\\", "é", "x" * 4095, "漢" * 11, "a" * 11, "a" * 12, "a" * 13, "a" * 24)
    ),
    Case("character varying(300)", f"({_TEXT})::varchar(300)", ("", "tail  ", "NULL", '"')),
    Case("character(40)", f"({_TEXT})::character(40)", ("", "a", "a  b  ", " ", "ü" * 40, "\t  ")),
    Case('"char"', '(g % 127 + 1)::"char"', ("", "a", " "), ((16, (r"\200", r"\377")),)),
    Case("name", f"({_TEXT})::name", ("", "pg_class", "a" * 63)),
    Case("uuid", "md5(random()::text)::uuid", ("0" * 32, "f" * 32, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11")),
    Case(
        "date",
        "date '4714-11-24 BC' + CASE g % 2 WHEN 0 THEN (random() * 2147483000)::int ELSE 2451545 + g - 50000 END",
        (
            *("infinity", "-infinity", "4714-11-24 BC", "5874897-12-31", "0001-12-31 BC", "0001-01-01", "2000-02-29"),
            *("1900-02-28", "1900-03-01", "2000-01-01", "0004-02-29", "0001-02-29 BC", "0005-02-28 BC"),
        ),
    ),
    Case(
        "timestamp without time zone",
        f"timestamp '2000-01-01' + CASE g % 3 WHEN 0 THEN g * interval '1 hour' ELSE {_DAYS} END",
        _STAMPS_ODD,
    ),
    Case("timestamp with time zone", _ZONED_RANDOM, tuple(v.replace("294276", "294275") for v in _STAMPS_ODD)),
    Case("timestamp with time zone", _ZONED_RANDOM, ("infinity", "1883-01-01"), zone="America/St_Johns"),
    Case("timestamp with time zone", _ZONED_RANDOM, ("-infinity", "2024-07-01"), rows=20_000, zone="Asia/Kolkata"),
    Case(
        "time without time zone",
        "CASE g % 2 WHEN 0 THEN time '00:00' + random() * interval '1 day' ELSE time '00:00' + g * interval '1 s' END",
        ("00:00:00", "24:00:00", "23:59:59.999999", "12:00:00.1"),
    ),
    Case(
        "time with time zone",
        "((time '00:00' + random() * interval '1 day')::text"
        " || (ARRAY['+00', '+05:30', '-08', '-03:30:52'])[g % 4 + 1])::timetz",
        ("00:00:00+00", "24:00:00-15:59:59", "23:59:59.999999+15:59", "12:00:00-00:30"),
    ),
    Case(
        "interval",
        f"{_SIGN} * make_interval(months => (random() * 40 * (g % 3))::int, days => ({_SIGN} * g % 400)::int,"
        f" secs => {_SIGN} * (g % 4) * random() * 1e6)",
        (
            *("0", "1 mon", "30 days", "720:00:00", "-1 day", "1 year -1 day", "-1 mons +3 days -00:00:00.000001"),
            *("178000000 years", "-178000000 years", "2147483647 days", "-2147483648 days"),
            *("-00:00:01", "00:00:00.5", "1 day -24:00:00", "12 mons", "1 year"),
        ),
        ((15, ("2562047788:00:54.775807", "-2562047788:00:54.775807")), (17, ("infinity", "-infinity"))),
    ),
    Case("boolean", "g % 2 = 0", ("t", "f")),
    Case(
        "numeric",
        _NUMERIC_RANDOM,
        (
            *("0", "-0", "0.000", "1", "1.0", "1.10", "1.1000000", "-1.1", "10", "100", "1000", "10000", "100000000"),
            *("0.1", "0.0001", "0.00001", "0.00010001", "9999.9999", "99999999", "10001", "10000.0001", "NaN"),
            *(
                "1e1000",
                "-1e-1000",
                "1e131071",
                "1e-16383",
                "9" * 300,
                "12345678901234567890.1234567890",
                "1e4",
                "1e-4",
            ),
        ),
        ((14, ("Infinity", "-Infinity")),),
    ),
    Case("numeric(12,2)", "round((random() * 1e9)::numeric, 2)", ("0", "1", "1.5", "-0.01", "9999999999.99")),
    Case(
        "bytea",
        "decode(substr(repeat(md5(random()::text), 3), 1, 2 * (random() * 48)::int), 'hex')",
        ("", r"\x00", r"\xff00ff", r"\x" + "00" * 12, r"\x" + "ff" * 4000),
    ),
    Case(
        "inet",
        f"CASE g % 3 WHEN 0 THEN {_V4} WHEN 1 THEN set_masklen({_V4}, (random() * 32)::int)"
        f" ELSE set_masklen({_V6}, (random() * 128)::int) END",
        ("0.0.0.0", "255.255.255.255", "10.1.2.3/8", "::", "::1", "::ffff:10.1.2.3", "fe80::1/64", "0.0.0.0/0", "::/0"),
    ),
    Case(
        "cidr",
        f"CASE g % 2 WHEN 0 THEN network(set_masklen({_V4}, (random() * 32)::int))"
        f" ELSE network(set_masklen({_V6}, (random() * 128)::int)) END",
        ("10/8", "0.0.0.0/0", "192.168.1.1/32", "::/0", "2001:db8::/32", "::ffff:1.2.3.0/120"),
    ),
    Case("macaddr", "substr(md5(random()::text), 1, 12)::macaddr", ("00:00:00:00:00:00", "FF-FF-FF-FF-FF-FF")),
    Case("macaddr8", "substr(md5(random()::text), 1, 16)::macaddr8", ("00:00:00:00:00:00:00:00", "08:00:2b:01:02:03")),
    Case(
        "real",
        f"CASE g % 3 WHEN 0 THEN g::real WHEN 1 THEN random()::real"
        f" ELSE ({_SIGN} * exp((random() - 0.5) * 170))::real END",
        (
            *("0", "-0", "NaN", "Infinity", "-Infinity", "0.1", "7.038531e-26", "1e-45", "1.1754942e-38"),
            *("3.4028235e38", "16777217", "1.5", "1e-40", "2.5"),
        ),
    ),
    Case(
        "double precision",
        f"CASE g % 3 WHEN 0 THEN g::float8 WHEN 1 THEN random() ELSE {_SIGN} * exp((random() - 0.5) * 1400) END",
        (
            *("0", "-0", "NaN", "Infinity", "-Infinity", "0.1", "5e-324", "2.2250738585072014e-308"),
            *("1.7976931348623157e308", "9007199254740993", "1.5"),
        ),
    ),
    Case("oid", f"({_OID})::oid", ("0", "4294967295", "2147483648")),
    Case("xid", f"({_OID})::text::xid", ("0", "4294967295"), rows=10_000),
    Case("cid", f"({_OID})::text::cid", ("0", "4294967295"), rows=10_000),
    Case("xid8", f"({_OID} * (g % 2147483647))::text::xid8", ("0", "18446744073709551615"), rows=10_000),
    Case(
        "pg_lsn",
        f"(to_hex({_OID}) || '/' || to_hex({_OID}))::pg_lsn",
        ("0/0", "FFFFFFFF/FFFFFFFF", "0/16B3748"),
        rows=10_000,
    ),
    Case("tid", f"format('(%s,%s)', {_OID}, g % 65536)::tid", ("(0,0)", "(4294967295,65535)"), rows=10_000),
    Case("oidvector", f"(g || ' ' || {_OID})::oidvector", ("", "1", "1 2 3 4 5 6 7"), rows=10_000),
)
