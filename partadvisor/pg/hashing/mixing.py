"""Bob Jenkins' lookup3 in the server's 64-bit seeded form, over whole arrays.

The server's ``hash_bytes_extended`` and ``hash_bytes_uint32_extended`` (common/hashfn.c) work on one value at a time;
here each step of the mixing runs over all values, so the cost per value is that of the arithmetic alone.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

PARTITION_SEED = 0x7A5B22367996DCFD  # HASH_PARTITION_SEED in partbounds.h

_START = 0x9E3779B9 + 3923095
_BLOCK = 12
_CHUNK = 16_384  # values at a time: three words of state and their temporaries stay in the cache

# Bytes of the last, partial block that count, by its length; the third word is shifted up one byte
# because the lowest byte of c is the place of the length.
_TAIL_MASKS = np.array(
    [
        [(1 << 8 * min(n, 4)) - 1 for n in range(_BLOCK)],
        [(1 << 8 * min(max(n - 4, 0), 4)) - 1 for n in range(_BLOCK)],
        [((1 << 8 * max(n - 8, 0)) - 1) << 8 for n in range(_BLOCK)],
    ],
    dtype=np.uint32,
)


def hash_uint32(values: U32) -> U64:
    """64-bit hash of each 32-bit value (``hash_bytes_uint32_extended``)."""
    a, b, c = _seeded(np.array([4], dtype=np.uint32))
    return _joined(*_final(a + values, b, c))


def hash_int64(values: I64) -> U64:
    """64-bit hash of each integer: equal for equal int2, int4 and int8 (``hashint8extended``)."""
    bits = values.view(np.uint64)
    low, high = bits.astype(np.uint32), (bits >> 32).astype(np.uint32)
    return hash_uint32(low ^ np.where(values < 0, ~high, high))


def hash_bytes(buffer: bytes, lengths: I64) -> U64:
    """64-bit hash of each of the byte strings that follow one another in ``buffer`` (``hash_bytes_extended``)."""
    padded = buffer + bytes(_BLOCK)
    words = np.ndarray((len(padded) - 3,), "<u4", padded, strides=(1,))  # words[i] starts at byte i
    starts = np.cumsum(lengths) - lengths
    hashes = np.empty(len(lengths), dtype=np.uint64)
    for first in range(0, len(lengths), _CHUNK):
        chunk = slice(first, first + _CHUNK)
        hashes[chunk] = _hash_chunk(words, starts[chunk], lengths[chunk])
    return hashes


def _hash_chunk(words: U32, starts: I64, lengths: I64) -> U64:
    """Hash some byte strings, longest first so that those with an i-th block are a prefix."""
    order = np.argsort(-(lengths // _BLOCK), kind="stable")
    starts, lengths = starts[order], lengths[order]
    blocks = lengths // _BLOCK
    a, b, c = _seeded(lengths.astype(np.uint32))
    for i in range(blocks[0]):
        k = np.searchsorted(-blocks, -i)
        at = starts[:k] + _BLOCK * i
        a[:k], b[:k], c[:k] = _mix(a[:k] + words[at], b[:k] + words[at + 4], c[:k] + words[at + 8])
    at = starts + _BLOCK * blocks
    masks = _TAIL_MASKS[:, lengths - _BLOCK * blocks]
    a += words[at] & masks[0]
    b += words[at + 4] & masks[1]
    c += (words[at + 8] << 8) & masks[2]
    hashes = np.empty(len(order), dtype=np.uint64)
    hashes[order] = _joined(*_final(a, b, c))
    return hashes


def _seeded(lengths: U32) -> tuple[U32, U32, U32]:
    """The state before the first byte: it depends on the seed and the length only."""
    start = lengths + _START
    return _mix(start + (PARTITION_SEED >> 32), start + (PARTITION_SEED & 0xFFFFFFFF), start)


def _joined(_: U32, b: U32, c: U32) -> U64:
    return (b.astype(np.uint64) << np.uint64(32)) | c


def _rotated(x: U32, bits: int) -> U32:
    return (x << np.uint32(bits)) | (x >> np.uint32(32 - bits))


def _mix(a: U32, b: U32, c: U32) -> tuple[U32, U32, U32]:
    """lookup3's reversible mix of three words."""
    a, c = (a - c) ^ _rotated(c, 4), c + b
    b, a = (b - a) ^ _rotated(a, 6), a + c
    c, b = (c - b) ^ _rotated(b, 8), b + a
    a, c = (a - c) ^ _rotated(c, 16), c + b
    b, a = (b - a) ^ _rotated(a, 19), a + c
    c, b = (c - b) ^ _rotated(b, 4), b + a
    return a, b, c


def _final(a: U32, b: U32, c: U32) -> tuple[U32, U32, U32]:
    """lookup3's last mix, after which b and c are the hash."""
    c = (c ^ b) - _rotated(b, 14)
    a = (a ^ c) - _rotated(c, 11)
    b = (b ^ a) - _rotated(a, 25)
    c = (c ^ b) - _rotated(b, 16)
    a = (a ^ c) - _rotated(c, 4)
    b = (b ^ a) - _rotated(a, 14)
    c = (c ^ b) - _rotated(b, 24)
    return a, b, c
