"""``python -m keyphrase_metrics`` is the command ``keyphrase-metrics``."""

import sys

from keyphrase_metrics.cli import main

sys.exit(main())
