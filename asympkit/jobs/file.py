"""The file of a long job: its finished part, written completely at once, and read again to continue.

Checksums of the contents detect damage before a number is used.
"""

import hashlib
import json
import os
import time
from abc import ABC, abstractmethod
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

import numpy as np

from ..errors import DomainError


class DamageError(ValueError):
    """The contents of a file do not fit their checksum."""

    def __init__(self):
        super().__init__("its checksum does not fit its contents: it was damaged or edited")


def checksum_arrays(about, arrays):
    """Compute a checksum of arrays, by name, and of the data that describe them."""
    whole = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        whole.update(f"\n{name} {array.dtype.str} {array.shape}\n".encode())
        whole.update(array.tobytes() if array.dtype.kind == "U" else array.data)
    return whole.hexdigest()


def checksum_rows(rows, places, own):
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


def add_checksum(data):
    """Add a checksum of all other entries to a dict for JSON."""
    return {**data, "checksum": checksum_arrays(data, {})}


def verify_checksum(data):
    """Raise unless a dict fits its checksum."""
    if data.get("checksum") != checksum_arrays({k: v for k, v in data.items() if k != "checksum"}, {}):
        raise DamageError


@contextmanager
def write_marked_text(path, mark, about):
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
    """Return the description in a file of :func:`write_marked_text`; raise unless all of it fits its checksum."""
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


#: longest time between two writes, in seconds, which a crash may lose
PAUSE = 2.0
#: or this many times the duration of the last write, if that is less: quick writes cost a twentieth of the time
_SHARE = 20


class JobFile(ABC):
    """A file that holds the finished part of one job and identifies the job.

    Parameters
    ----------
    path : str or Path
    about : dict of str to str
        Description of the request; a file of another request is not changed.

    Raises
    ------
    DomainError
        If the name has another ending, its folder does not exist, the file is none of this kind, or it is one of
        another job.
    """

    #: kind of contents, in a word
    kind = "result"
    endings = (".npz",)

    def __init__(self, path, about):
        if not isinstance(path, str | os.PathLike):
            raise DomainError(f"file: got {path!r:.60}; expected the name of a file, a text or a pathlib.Path")
        self.path, self.about = Path(os.fspath(path)), about
        if self.path.suffix not in self.endings:
            raise DomainError(f"file: got {str(path)!r}; expected a name that ends in {' or '.join(self.endings)}")
        if not self.path.parent.is_dir():
            raise DomainError(f"file: got {str(path)!r}; the folder {str(self.path.parent)!r} does not exist")

    @abstractmethod
    def read_from(self, path):
        """Return the description in the file, and its data if that is of this job."""

    def read(self):
        """Return the data, or None where there is no file."""
        if not self.path.exists():
            return None
        try:
            found, data = self.read_from(self.path)
        except Exception as error:       # a damaged file may raise anything in its reader
            raise DomainError(f"file: {str(self.path)!r} is no file of a {self.kind} "
                              f"({str(error) or 'it ends too early'}); give another name") from error
        for key in dict.fromkeys((*self.about, *found)):
            if self.about.get(key) != found.get(key):
                raise DomainError(f"file: {str(self.path)!r} holds another {self.kind}: there {key} is "
                                  f"{str(found.get(key))[:60]}, here {str(self.about.get(key))[:60]}; "
                                  "give another name, or remove the file")
        return data


class ResultFile(JobFile):
    """A file that is rewritten completely each time; arguments as for :class:`JobFile`."""

    def __init__(self, path, about):
        super().__init__(path, about)
        self._written, self._cost = -float("inf"), 0.0

    @abstractmethod
    def write_to(self, path, *content):
        """Write everything to a new file."""

    def write(self, *content, at_last=False):
        """Write everything, unless the last time was a moment ago; whether it was written."""
        start = time.monotonic()
        if not at_last and start - self._written < min(PAUSE, _SHARE * self._cost):
            return False
        name = self.path.with_name(f".{self.path.stem}.{os.getpid()}{self.path.suffix}")
        try:
            self.write_to(name, *content)
            flush(name)
            os.replace(name, self.path)     # a reader sees the old file or the new one, never half of one
        finally:
            name.unlink(missing_ok=True)
            self._written = time.monotonic()
            self._cost = self._written - start
        return True


def flush(path):
    """Write a file's buffers to the disk."""
    with open(path, "rb+") as stream:
        os.fsync(stream.fileno())


def write_npz(path, about, arrays):
    """Write arrays, their description, and a checksum of both."""
    with open(path, "wb") as stream:
        np.savez_compressed(stream, **arrays, about=np.array(json.dumps(about)),
                            checksum=np.array(checksum_arrays(about, arrays)))


def read_npz(path):
    """Return the description and the arrays by name; raise unless they fit their checksum."""
    with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as data:
        arrays = {name: data[name] for name in data}
    if "checksum" not in arrays:
        raise ValueError("it has no checksum: an earlier version or another program wrote it")
    about, checksum = json.loads(str(arrays.pop("about"))), str(arrays.pop("checksum"))
    if checksum != checksum_arrays(about, arrays):
        raise DamageError
    return about, arrays


def digest(array):
    """Return a short text that distinguishes arrays of floats."""
    return hashlib.sha256(np.ascontiguousarray(array, dtype=float).tobytes()).hexdigest()[:16]


def several(array):
    """Name an array by its size and digest."""
    return f"{np.size(array)} values {digest(array)}"


def describe_failed_write(path, error, finished, total, what, where):
    """Return the message for a file that could not be written."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"file: could not write {str(path)!r} ({reason}); {finished} of {total} {what} are finished and kept {where}"
