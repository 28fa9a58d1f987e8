"""Checksums of what a file holds: damage is noticed before a number is used."""

import hashlib
import json
from contextlib import contextmanager
from zlib import crc32

import numpy as np


class DamageError(ValueError):
    """What a file holds does not fit its checksum."""

    def __init__(self):
        super().__init__("its checksum does not fit what it holds: it was damaged or edited")


def of_arrays(about, arrays):
    """A text for what arrays hold, by name, and for what is said about them."""
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
        So that a row that was moved is noticed.
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
    """A dict for JSON with a checksum of all its other entries."""
    return {**data, "checksum": of_arrays(data, {})}


def check_seal(data):
    """Raise unless a dict fits its checksum."""
    if data.get("checksum") != of_arrays({k: v for k, v in data.items() if k != "checksum"}, {}):
        raise DamageError


@contextmanager
def marked_text(path, mark, about):
    """A new text file; its first line is a mark, a checksum of all that follows, and what it is about, as JSON."""
    with open(path, "wb") as stream:
        stream.write(mark.encode() + bytes(64))
        text = _Hashed(stream)
        text.write(f" {json.dumps(about)}\n")
        yield text
        stream.seek(len(mark.encode()))
        stream.write(text.hash.hexdigest().encode())


class _Hashed:
    """What is written is hashed too."""

    def __init__(self, stream):
        self.stream, self.hash = stream, hashlib.sha256()

    def write(self, text):
        data = text.encode()
        self.hash.update(data)
        self.stream.write(data)


def read_mark(path, mark):
    """What a file of :func:`marked_text` is about; raise unless all of it fits its checksum."""
    with open(path, "rb") as stream:
        if stream.read(len(mark.encode())) != mark.encode():
            raise ValueError("its first line does not say which")
        known, whole = stream.read(64), hashlib.sha256()
        begin = stream.tell()
        while block := stream.read(1 << 20):
            whole.update(block)
        if known != whole.hexdigest().encode():
            raise DamageError
        stream.seek(begin)
        return json.loads(stream.readline())
