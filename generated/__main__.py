"""Write the modules of this folder anew: ``python -m asympkit.generated``."""

from pathlib import Path

from asympkit.theories.registry import write_all

if __name__ == "__main__":
    write_all(Path(__file__).parent)
