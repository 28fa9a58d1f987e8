"""Checksums of a file's contents: damage is detected before a number is used."""

import hashlib
import json
from contextlib import contextmanager

import numpy as np

#: odd factors of a sum over the words of a row: files are read with those they were written with, so that the seed
#: belongs to their format
_FACTORS = np.random.Generator(np.random.PCG64(20231016)).integers(0, 2**63, 512, dtype=np.uint64) * np.uint64(2) \
    + np.uint64(1)
#: 2**64 over the golden ratio, as a factor of the place: neighbours get numbers that are far apart
_PLACE = np.uint64(0x9E3779B97F4A7C15)
#: rows at a time: their words stay in the cache
_ROWS = 4096


class DamageError(ValueError):
    """The contents of a file do not fit their checksum."""

    def __init__(self):
        super().__init__("its checksum does not fit its contents: it was damaged or edited")


def of_arrays(about, arrays):
    """Compute a checksum of arrays, by name, and of the data that describe them."""
    whole = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        whole.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        whole.update(array.tobytes() if array.dtype.kind == "U" else array.data)
    return whole.hexdigest()


def of_rows(rows, places, own):
    """Compute a checksum for each row of an array of floats and its place.

    Parameters
    ----------
    rows : ndarray, shape (..., columns)
    places : ndarray of int, shape (...)
        So that a row at another place is detected.
    own : int
        The column that holds the checksums themselves.

    Returns
    -------
    ndarray, shape (...)
        Whole numbers below 2**52, which are floats without an error.

    Notes
    -----
    The words of a row times odd numbers, summed modulo 2**64: the change of any one word changes the sum, another
    damage leaves the upper 52 bits with a chance of 2e-16.  It costs as much as zlib.crc32 of the data, and each point
    has its own: none is lost with another, and no crash comes between the checksum of one and the data of others.
    """
    words = np.ascontiguousarray(rows).view(np.uint64).reshape(-1, rows.shape[-1])
    factors = np.resize(_FACTORS, rows.shape[-1])
    factors[own] = 0
    found = (np.asarray(places).astype(np.uint64).ravel() + np.uint64(1)) * _PLACE
    for first in range(0, len(words), _ROWS):
        part = words[first:first + _ROWS]
        found[first:first + _ROWS] += (part ^ (part >> np.uint64(31))) @ factors
    found ^= found >> np.uint64(29)
    found *= _FACTORS[-1]
    return (found >> np.uint64(12)).astype(float).reshape(rows.shape[:-1])


def sealed(data):
    """Add a checksum of all other entries to a dict for JSON."""
    return {**data, "checksum": of_arrays(data, {})}


def check_seal(data):
    """Raise unless a dict fits its checksum."""
    if data.get("checksum") != of_arrays({k: v for k, v in data.items() if k != "checksum"}, {}):
        raise DamageError


@contextmanager
def marked_text(path, mark, about):
    """Write a new text file; its first line is a mark, a checksum of all that follows, and a description, as JSON."""
    with open(path, "wb") as stream:
        stream.write(mark.encode() + bytes(64))
        text = _Hashed(stream)
        text.write(f" {json.dumps(about)}\n")
        yield text
        stream.seek(len(mark.encode()))
        stream.write(text.hash.hexdigest().encode())


class _Hashed:
    """A stream that hashes the text written to it."""

    def __init__(self, stream):
        self.stream, self.hash = stream, hashlib.sha256()

    def write(self, text):
        data = text.encode()
        self.hash.update(data)
        self.stream.write(data)


def read_mark(path, mark):
    """Return the description in a file of :func:`marked_text`; raise unless all of it fits its checksum."""
    with open(path, "rb") as stream:
        if stream.read(len(mark.encode())) != mark.encode():
            raise ValueError("its first line is not the mark of its kind")
        known, whole = stream.read(64), hashlib.sha256()
        begin = stream.tell()
        while block := stream.read(1 << 20):
            whole.update(block)
        if known != whole.hexdigest().encode():
            raise DamageError
        stream.seek(begin)
        return json.loads(stream.readline())
