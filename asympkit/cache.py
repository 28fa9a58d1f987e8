"""Keep generated kernels in ``ASYMPKIT_CACHE_DIR``, or the user's cache folder.

The files in it are executed (kernels, and their code compiled by numba), so that the folder must belong to the user
alone.  Files are recognised by their names; others are never touched.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
import stat
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

from platformdirs import user_cache_path

#: kernels, their unfinished copies, and what Python and numba put into ``__pycache__`` for them
_KERNEL = re.compile(r"asympkit_kernel_[0-9a-f]{16}\.py(\.\w+\.part)?")
_COMPILED = re.compile(r"asympkit_kernel_[0-9a-f]{16}\.[\w<>.-]+\.(pyc|nbi|nbc)(\.tmp\.[0-9a-f]+|\.\d+)?")
_COMPILED_FOLDER = "__pycache__"
_temporary: dict[int, Path] = {}
_told: set[tuple[str, str]] = set()


class _UnsafeError(Exception):
    """Report a folder that cannot be used, and why."""


def directory() -> Path:
    """Return the cache folder, creating it when first needed.

    ``ASYMPKIT_CACHE_DIR`` if set, else the platform's folder for caches (``~/.cache/asympkit`` on Linux, below
    ``XDG_CACHE_HOME`` where that is set).  It is a folder of the user alone (mode 0700): one that holds other things
    too, and that others may read, gets a subfolder ``asympkit``.
    Where there is none that nobody else may write to, a temporary folder of this process serves, and a warning says
    why and what to do.
    """
    wanted = _wanted()
    try:
        return _make_private_folder(wanted)
    except (_UnsafeError, OSError) as error:
        return _fallback(wanted, error)


def write(name: str, text: str) -> Path:
    """Ensure that a text file of the cache holds a text, and return its path.

    A file with other or partial content is replaced atomically.
    """
    data, folder = text.encode(), directory()
    path = folder / name
    if _holds(path, data):
        _forget_damaged_code(folder, Path(name).stem)
        return path
    try:
        _replace(path, data)
    except OSError as error:
        path = _fallback(folder, error) / name
        _replace(path, data)
    return path


def clear() -> None:
    """Remove all generated kernels and their compiled code, and the folder if nothing else is in it."""
    wanted = _wanted()
    for folder in (wanted, wanted / "asympkit", _temporary.get(os.getpid())):
        if folder is not None and folder.is_dir() and not folder.is_symlink() and _is_ours(folder):
            _remove_kernels(folder)


def _wanted():
    chosen = os.environ.get("ASYMPKIT_CACHE_DIR")
    return Path(chosen) if chosen else user_cache_path("asympkit", appauthor=False)


def _is_ours(path):
    return not hasattr(os, "geteuid") or path.lstat().st_uid == os.geteuid()


def _make_private_folder(folder):
    """Return a folder that belongs to the user alone; create it or restrict its mode if necessary."""
    if not folder.is_symlink() and not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):         # another process was faster
            folder.mkdir(mode=0o700)
    _check_way(folder)
    mode = _checked_mode(folder)
    if mode & 0o077 and hasattr(os, "geteuid"):
        others = [f.name for f in folder.iterdir() if not (f.name == _COMPILED_FOLDER or _KERNEL.fullmatch(f.name))]
        if mode & 0o022 and others:
            raise _UnsafeError(f"others may write to it (mode {mode:04o}): chmod 700 {folder}")
        if others:
            return _make_private_folder(folder / "asympkit")
        if mode & 0o022:                        # others may have written its files
            _remove_kernels(folder, whole=False)
        folder.chmod(0o700)
        if _checked_mode(folder) & 0o022:
            raise _UnsafeError("others may write to it, and its mode cannot be changed")
    compiled = folder / _COMPILED_FOLDER
    if not compiled.is_symlink() and not compiled.exists():
        with suppress(FileExistsError):
            compiled.mkdir(mode=0o700)
    if _checked_mode(compiled) & 0o022:
        _remove_kernels(folder, whole=False)
        compiled.chmod(0o700)
    if not os.access(folder, os.W_OK | os.X_OK) or not os.access(compiled, os.W_OK | os.X_OK):
        raise _UnsafeError("it cannot be written")
    return folder


def _checked_mode(folder):
    """Return the permissions of a folder, or raise if it is a link or not the user's own."""
    about = folder.lstat()
    if stat.S_ISLNK(about.st_mode):
        raise _UnsafeError(f"{folder.name} is a symbolic link: give the folder that it leads to")
    if not stat.S_ISDIR(about.st_mode):
        raise _UnsafeError(f"{folder.name} is not a folder")
    if not _is_ours(folder):
        raise _UnsafeError(f"{folder.name} belongs to another user ( {about.st_uid})")
    return stat.S_IMODE(about.st_mode)


def _check_way(folder):
    """Raise if a parent folder lets others exchange its contents (writable by all and not sticky)."""
    if not hasattr(os, "geteuid"):
        return
    for above in folder.resolve().parents:
        about = above.stat()
        if about.st_mode & 0o002 and not about.st_mode & stat.S_ISVTX:
            raise _UnsafeError(f"all users may write to {above}, above it: chmod o-w {above}")


def _fallback(folder, error):
    """Return the temporary folder of this process, after a warning."""
    reason = getattr(error, "strerror", None) or str(error)
    if (str(folder), reason) not in _told:
        _told.add((str(folder), reason))
        warnings.warn(f"cache: {folder} is not used: {reason}; compiled code is kept in a temporary folder until this "
                      "process ends. Set ASYMPKIT_CACHE_DIR to a folder that you alone may write to.",
                      RuntimeWarning, stacklevel=4)
    known = _temporary.get(os.getpid())
    if known is None or not known.is_dir():
        known = _temporary[os.getpid()] = Path(tempfile.mkdtemp(prefix="asympkit-"))
        (known / _COMPILED_FOLDER).mkdir(mode=0o700)
        atexit.register(_drop, known, os.getpid())
    return known


def _drop(folder, process):
    if os.getpid() == process:                  # not in a fork
        shutil.rmtree(folder, ignore_errors=True)


def _holds(path, data):
    """Return whether a regular file of the user, not a link, holds exactly these bytes."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    with open(handle, "rb") as stream:
        about = os.fstat(stream.fileno())
        return (stat.S_ISREG(about.st_mode) and about.st_size == len(data)
                and (not hasattr(os, "geteuid") or about.st_uid == os.geteuid()) and stream.read() == data)


def _replace(path, data):
    handle, part = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(part)
        raise
    if hasattr(os, "O_DIRECTORY"):
        with suppress(OSError):                 # flush the directory entry too
            folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)


def _forget_damaged_code(folder, kernel):
    """Remove the compiled code of a kernel if one of its files is empty or truncated: numba writes it again."""
    with suppress(OSError), os.scandir(folder / _COMPILED_FOLDER) as entries:
        found = [e for e in entries if e.name.startswith(f"{kernel}.") and e.name.endswith((".nbi", ".nbc"))]
        if any(not _is_whole(e.path) for e in found):
            for e in found:
                os.unlink(e.path)


def _is_whole(path):
    with open(path, "rb") as stream:
        if not stream.seek(0, os.SEEK_END):
            return False
        stream.seek(-1, os.SEEK_END)
        return stream.read() == b"."            # the last byte of every pickle


def _remove_kernels(folder, whole=True):
    """Remove files with the names of kernels, and with ``whole`` the folders if they are then empty."""
    found = 0
    for place, pattern in ((folder / _COMPILED_FOLDER, _COMPILED), (folder, _KERNEL)):
        if place.is_symlink() or not place.is_dir():
            continue
        for f in list(place.iterdir()):
            if pattern.fullmatch(f.name) and (f.is_symlink() or f.is_file()):
                with suppress(FileNotFoundError):
                    f.unlink()
                found += 1
    if whole and found:
        for place in (folder / _COMPILED_FOLDER, folder):
            with suppress(OSError):             # something else is in it
                place.rmdir()
