"""Limits of the demo for tests."""

from __future__ import annotations

from keyphrase_metrics.demo.limits import Limits

LIMITS = Limits()
