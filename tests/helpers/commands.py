"""The command line in this process."""

from asympkit.cli import main

__all__ = ["command"]


def command(capsys, *argv):
    """Exit status, output and errors of a command; no error is a traceback."""
    status = main(list(argv))
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return status, out, err
