"""Resampling, intervals, tests and effect sizes of scores."""
