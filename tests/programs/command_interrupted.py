"""The command, interrupted where it scores: ARGUMENT...."""

import os
import signal
import sys

from keyphrase_metrics import cli, scoring

scoring.score = lambda *arguments, **options: os.kill(os.getpid(), signal.SIGINT)
raise SystemExit(cli.main(sys.argv[1:]))
