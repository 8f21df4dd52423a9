"""Strings to stems to integers."""
