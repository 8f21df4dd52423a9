"""The demos of the metrics: web apps in which anybody can try one, on a document or on a file.

``launch("semr_p")`` serves one metric, ``launch()`` all of them, each in a tab. Needs the extra ``demo``.
"""

from keyphrase_metrics.demo.app import build, launch

__all__ = ["build", "launch"]
