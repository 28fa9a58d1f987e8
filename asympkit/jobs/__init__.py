"""Long jobs in many pieces: executors, progress, and files from which an interrupted run goes on."""

from .file import ResultFile
from .interrupts import Interruption, held
from .progress import Progress
from .run import check_executor, lost_worker, run_jobs

__all__ = ["Interruption", "Progress", "ResultFile", "check_executor", "held", "lost_worker", "run_jobs"]
