"""Checksums of a file's contents: damage is detected before a number is used."""

import hashlib
import json
from contextlib import contextmanager
from zlib import crc32

import numpy as np


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
    """Return zlib.crc32 of each row of an array of floats, with its place in the whole, as a float.

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
    """
    keyed = np.array(rows, order="C")
    keyed[..., own] = np.asarray(places) + 1.0
    found = [crc32(row) for row in keyed.reshape(-1, rows.shape[-1])]
    return np.array(found, dtype=float).reshape(rows.shape[:-1])


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
