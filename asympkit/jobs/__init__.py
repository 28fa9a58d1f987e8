"""Long jobs in many pieces: executors, progress, and files from which an interrupted run goes on."""

from .file import ResultFile
from .run import HIDDEN, check_executor, held, interruption, lost_worker, progress_bar, run_jobs

__all__ = ["HIDDEN", "ResultFile", "check_executor", "held", "interruption", "lost_worker", "progress_bar", "run_jobs"]
