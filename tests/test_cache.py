"""The cache of kernels: a folder of the user alone, files that heal, and no other file of the user touched."""

import os
import subprocess
import sys
import warnings

import pytest
from sympy import symbols

import asympkit as ak
from asympkit import cache

x, h = symbols("x h", real=True)
KERNEL = "asympkit_kernel_0123456789abcdef.py"
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="permissions of POSIX")


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A folder for the cache that is not there yet, and a place for temporary ones."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("ASYMPKIT_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path / "temporary"))
    monkeypatch.setattr(cache, "_temporary", {})
    monkeypatch.setattr(cache, "_told", set())
    return tmp_path / "kernels"


def mode(path):
    return path.stat().st_mode & 0o777


def solve(number):
    """Solve a theory whose kernel depends on a number."""
    theory = ak.Theory(name="shift", parameters={h: ("", "real")}, unknowns=[x], equations=[number * x - h])
    return theory.solve(h=1.0)["x"]


def expect_fallback(home, *reasons):
    text = ".*".join(["cache: .*is not used: ", *reasons, "ASYMPKIT_CACHE_DIR"])
    with pytest.warns(RuntimeWarning, match=f"(?s){text}"):
        folder = cache.directory()
    assert folder.parent == home.parent / "temporary" and mode(folder) == 0o700
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.directory() == folder                              # warned once
    return folder


# -- the folder ------------------------------------------------------------------------------------------------


@posix
def test_the_folder_is_the_users_alone(home):
    assert cache.directory() == home
    assert mode(home) == mode(home / "__pycache__") == 0o700
    path = cache.write(KERNEL, "x = 1\n")
    assert path == home / KERNEL and mode(path) == 0o600


def test_the_folder_follows_the_desktop_convention(home, monkeypatch):
    monkeypatch.delenv("ASYMPKIT_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    assert cache.directory() == home / "asympkit"


@posix
@pytest.mark.parametrize("before", [0o755, 0o750, 0o701, 0o777, 0o770])
def test_a_folder_of_kernels_is_narrowed_down(home, before):
    home.mkdir()
    (home / KERNEL).write_text("x = 1\n")
    (home / "__pycache__").mkdir()
    (home / "__pycache__" / f"{KERNEL[:-3]}.f-1.py311.nbi").write_text("")
    for folder in (home / "__pycache__", home):
        folder.chmod(before)
    assert cache.directory() == home
    assert mode(home) == 0o700 and not mode(home / "__pycache__") & 0o022
    # what others could have written is not kept
    assert (home / KERNEL).exists() == (not before & 0o022)
    assert bool(list((home / "__pycache__").iterdir())) == (not before & 0o022)


@posix
def test_a_folder_of_a_person_gets_a_subfolder(home):
    home.mkdir(mode=0o755)
    home.chmod(0o755)
    (home / "thesis.tex").write_text("all of it")
    assert cache.directory() == home / "asympkit"
    assert mode(home) == 0o755 and mode(home / "asympkit") == 0o700


@posix
def test_where_others_may_write_nothing_is_run(home):
    home.mkdir()
    (home / "thesis.tex").write_text("all of it")
    home.chmod(0o775)
    folder = expect_fallback(home, "others may write to it", "chmod 700")
    assert solve(3) == 1 / 3
    assert len(list(folder.glob("asympkit_kernel_*.py"))) == 1
    assert [f.name for f in home.iterdir()] == ["thesis.tex"]


@posix
def test_a_folder_in_one_that_everybody_may_write_to(home):
    home.mkdir()
    home.parent.chmod(0o777)
    expect_fallback(home, "all users may write to", "chmod o-w")
    home.parent.chmod(0o1777)                                          # as /tmp is
    assert cache.directory() == home


def test_a_link_is_not_followed(home):
    (home.parent / "elsewhere").mkdir()
    home.symlink_to(home.parent / "elsewhere")
    expect_fallback(home, "is a symbolic link")
    assert not list((home.parent / "elsewhere").iterdir())


def test_a_link_among_the_compiled_files_is_not_followed(home):
    home.mkdir(mode=0o700)
    (home.parent / "elsewhere").mkdir()
    (home / "__pycache__").symlink_to(home.parent / "elsewhere")
    expect_fallback(home, "__pycache__ is a symbolic link")


def test_a_file_in_place_of_the_folder(home):
    home.write_text("")
    expect_fallback(home, "is not a folder")


def test_a_file_above_the_folder(home, monkeypatch):
    home.write_text("")
    monkeypatch.setenv("ASYMPKIT_CACHE_DIR", str(home / "below"))
    expect_fallback(home)


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_folder_of_somebody_else(home):
    home.mkdir(mode=0o700)
    os.chown(home, 12345, 12345)
    expect_fallback(home, "belongs to another user")


@posix
def test_whom_a_folder_belongs_to_is_asked(home, monkeypatch):
    home.mkdir(mode=0o700)
    monkeypatch.setattr(cache, "_is_ours", lambda path: path != home)
    expect_fallback(home, "belongs to another user")


def test_the_temporary_folder_goes_with_the_process(tmp_path):
    (tmp_path / "file").write_text("")
    code = ("import warnings; warnings.simplefilter('ignore')\n"
            "import asympkit.cache as c; print(c.write('a.py', 'x = 1'))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True,
                          env={**os.environ, "ASYMPKIT_CACHE_DIR": str(tmp_path / "file"), "TMPDIR": str(tmp_path)})
    assert done.stdout.startswith(str(tmp_path / "asympkit-")) and [f.name for f in tmp_path.iterdir()] == ["file"]


# -- files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["", "x = ", "raise SystemExit", "x = 2\n"])
def test_a_file_that_holds_anything_else_is_replaced(home, damage):
    path = cache.write(KERNEL, "x = 1\n")
    path.write_text(damage)
    assert cache.write(KERNEL, "x = 1\n").read_text() == "x = 1\n"
    assert sorted(f.name for f in home.iterdir()) == ["__pycache__", KERNEL]


def test_a_link_in_place_of_a_file_is_replaced(home):
    other = home.parent / "other.py"
    other.write_text("x = 1\n")
    cache.directory()
    (home / KERNEL).symlink_to(other)
    path = cache.write(KERNEL, "x = 1\n")
    assert not path.is_symlink() and path.read_text() == "x = 1\n" and other.exists()


def test_no_half_of_a_file_is_left(home, monkeypatch):
    cache.directory()

    def full(handle):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"), pytest.warns(RuntimeWarning, match="No space left"):
            cache.write(KERNEL, "x = 1\n")
    assert [f.name for f in home.iterdir()] == ["__pycache__"]
    assert cache.write(KERNEL, "x = 1\n").parent == home


def test_a_damaged_kernel_is_neither_run_nor_kept(home):
    assert solve(5) == 1 / 5
    (path,) = home.glob("asympkit_kernel_*.py")
    text = path.read_text()
    del sys.modules[path.stem]
    path.write_text(f"open({str(home / 'ran')!r}, 'w')\n" + text)
    assert solve(5) == 1 / 5
    assert path.read_text() == text and not (home / "ran").exists()


@pytest.mark.parametrize(("number", "share"), [(17, 0.0), (19, 0.001), (23, 0.5), (29, 0.99)])
def test_torn_byte_code_is_no_obstacle(home, number, share, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert solve(number) == 1 / number
    (path,) = home.glob("asympkit_kernel_*.py")
    (compiled,) = (home / "__pycache__").glob("*.pyc")
    whole = compiled.read_bytes()
    compiled.write_bytes(whole[:int(share * len(whole))])
    del sys.modules[path.stem]
    assert solve(number) == 1 / number


@pytest.mark.parametrize("damage", [b"", b"\x80", b"\x80\x04\x95"])
def test_torn_compiled_code_goes(home, damage):
    cache.write(KERNEL, "x = 1\n")
    stem, other = KERNEL[:-3], "asympkit_kernel_ffffffffffffffff.f-3.py311.nbi"
    files = [f"{stem}.f-3.py311.nbi", f"{stem}.f-3.py311.1.nbc"]
    for name in (*files, other):
        (home / "__pycache__" / name).write_bytes(b"\x80.")
    cache.write(KERNEL, "x = 1\n")
    assert len(list((home / "__pycache__").iterdir())) == 3
    (home / "__pycache__" / files[1]).write_bytes(damage)
    cache.write(KERNEL, "x = 1\n")
    assert [f.name for f in (home / "__pycache__").iterdir()] == [other]


# -- clear -----------------------------------------------------------------------------------------------------


def test_clear_removes_kernels_and_the_folder(home):
    solve(7)
    assert len(list(home.glob("asympkit_kernel_*.py"))) == 1
    cache.clear()
    assert not home.exists()
    cache.clear()                                                       # there is nothing: nothing happens
    assert solve(11) == 1 / 11


@pytest.mark.parametrize("private", [0o700, 0o755])
def test_clear_keeps_everything_else(home, private):
    foreign = ["thesis.tex", "asympkit_kernel.py", "asympkit_kernel_0123.py", "__pycache__/mine.cpython-311.pyc",
               "data/asympkit_kernel_0123456789abcdef.py", f"{KERNEL}.bak", f"x{KERNEL}", "asympkit.txt"]
    for name in foreign:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("mine")
    (home / "asympkit_kernel_aaaaaaaaaaaaaaaa.py").mkdir()              # a folder, whatever its name
    home.chmod(private)
    solve(13)
    compiled = cache.directory() / "__pycache__" / f"{KERNEL[:-3]}.f-3.py311.nbi"
    compiled.write_bytes(b"\x80.")
    cache.clear()
    assert not compiled.exists()
    assert sorted(str(f.relative_to(home)) for f in home.rglob("*") if f.is_file()) == sorted(foreign)
    assert (home / "asympkit_kernel_aaaaaaaaaaaaaaaa.py").is_dir()


def test_clear_follows_no_link(home):
    other = home.parent / "elsewhere"
    other.mkdir()
    (other / KERNEL).write_text("x = 1\n")
    home.symlink_to(other)
    cache.clear()
    assert (other / KERNEL).exists()
