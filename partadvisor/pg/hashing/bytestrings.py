"""Hashes of types whose key is a run of bytes: text, bytea, uuid, network addresses and the like.

Values are the server's text output. Each function raises ValueError for text that is not.
"""

from __future__ import annotations

import codecs
import re
import socket
from collections.abc import Sequence

import numpy as np

from partadvisor.pg.hashing.mixing import U64, hash_bytes, hash_uint32
from partadvisor.pg.hashing.types import UnroutableType

_INET, _INET6 = 2, 3  # PGSQL_AF_INET and PGSQL_AF_INET6: the latter is not the system's AF_INET6
_OCTAL_CHAR = re.compile(r"\\[0-3][0-7]{2}")
_TID = re.compile(r"\((\d+),(\d+)\)")

# Server encodings that Python knows by another name. SQL_ASCII holds whatever the client sent, nowadays UTF-8.
_CODECS = {
    "SQL_ASCII": "utf-8",
    "EUC_CN": "gb2312",
    "EUC_JIS_2004": "euc_jis_2004",
    "SHIFT_JIS_2004": "shift_jis_2004",
    "KOI8R": "koi8_r",
    "KOI8U": "koi8_u",
}


def codec_of(encoding: str) -> str:
    """Python's codec for a server encoding (``pg_encoding_to_char``).

    Raises:
        UnroutableType: for MULE_INTERNAL and EUC_TW, which Python cannot write.
    """
    name = _CODECS.get(encoding.upper(), encoding)
    for candidate in (name, name.upper().replace("WIN", "cp")):
        try:
            return codecs.lookup(candidate).name
        except LookupError:
            continue
    raise UnroutableType(
        f"cannot compute the hash partition of text in encoding {encoding}",
        detail="The server hashes the bytes of the text in the database's encoding.",
    )


def hash_text(values: Sequence[str], codec: str) -> U64:
    """Text, varchar and name: the bytes in the database's encoding."""
    return _hash_each([v.encode(codec) for v in values])


def hash_blank_padded(values: Sequence[str], codec: str) -> U64:
    """Bpchar: trailing blanks do not count."""
    return _hash_each([v.rstrip(" ").encode(codec) for v in values])


def hash_byteas(values: Sequence[str]) -> U64:
    r"""Bytea in hexadecimal output, ``\x...``."""
    if not all(v.startswith("\\x") for v in values):
        raise ValueError("not hexadecimal bytea")
    return _hash_each([bytes.fromhex(v[2:]) for v in values])


def hash_uuids(values: Sequence[str]) -> U64:
    """Uuid."""
    return _hash_fixed("".join(values).replace("-", ""), values, text_length=36, size=16)


def hash_macaddrs(values: Sequence[str]) -> U64:
    """Macaddr, six bytes."""
    return _hash_fixed("".join(values).replace(":", ""), values, text_length=17, size=6)


def hash_macaddrs8(values: Sequence[str]) -> U64:
    """Macaddr8, eight bytes."""
    return _hash_fixed("".join(values).replace(":", ""), values, text_length=23, size=8)


def hash_networks(values: Sequence[str]) -> U64:
    """Inet and cidr: family, prefix length, address."""
    return _hash_each([_network_bytes(v) for v in values])


def hash_single_bytes(values: Sequence[str]) -> U64:
    r"""The one-byte ``"char"``; bytes above 127 are printed as ``\ooo`` and are negative."""
    signed = np.array([_single_byte(v) for v in values], dtype=np.uint8).view(np.int8)
    return hash_uint32(signed.astype(np.int32).view(np.uint32))


def hash_tids(values: Sequence[str]) -> U64:
    """Tid: block number, high half first, and line pointer."""
    return _hash_each([_tid_bytes(v) for v in values])


def hash_oidvectors(values: Sequence[str]) -> U64:
    """Oidvector: its OIDs one after another."""
    return _hash_each([np.array(v.split(), dtype="<u4").tobytes() for v in values])


def _hash_each(strings: Sequence[bytes]) -> U64:
    return hash_bytes(b"".join(strings), np.fromiter(map(len, strings), np.int64, len(strings)))


def _hash_fixed(digits: str, values: Sequence[str], *, text_length: int, size: int) -> U64:
    """Hash values of one size from all their hexadecimal digits; the lengths show a malformed value."""
    packed = bytes.fromhex(digits)
    if len(packed) != size * len(values) or not all(len(v) == text_length for v in values):
        raise ValueError("wrong length")
    return hash_bytes(packed, np.full(len(values), size, dtype=np.int64))


def _network_bytes(value: str) -> bytes:
    address, _, prefix = value.partition("/")
    try:
        if ":" in address:
            family, packed = _INET6, socket.inet_pton(socket.AF_INET6, address)
        else:
            family, packed = _INET, socket.inet_pton(socket.AF_INET, address)
    except OSError as error:
        raise ValueError(value) from error
    bits = int(prefix) if prefix else 8 * len(packed)
    if not 0 <= bits <= 8 * len(packed):
        raise ValueError(value)
    return bytes((family, bits)) + packed


def _single_byte(value: str) -> int:
    if _OCTAL_CHAR.fullmatch(value):
        return int(value[1:], 8)
    encoded = value.encode() or b"\0"
    if len(encoded) > 1:
        raise ValueError(value)
    return encoded[0]


def _tid_bytes(value: str) -> bytes:
    match = _TID.fullmatch(value)
    if match is None:
        raise ValueError(value)
    block, line = map(int, match.groups())
    return np.array([block >> 16, block & 0xFFFF, line], dtype="<u2").tobytes()
