"""An extension of griffe, which reads the docstrings for the API pages: examples become code, and roles plain names."""

from __future__ import annotations

import re
from typing import Any

import griffe

ROLE = re.compile(r":\w+:`~?([^`]+)`")
EXAMPLE = re.compile(r"^>>> .*?(?=^\s*$|\Z)", re.MULTILINE | re.DOTALL)


class Docstrings(griffe.Extension):
    """Write docstrings of Python's own form as Markdown."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of an object that was read."""
        if obj.docstring is not None and "```" not in obj.docstring.value:
            text = ROLE.sub(r"`\1`", obj.docstring.value)
            obj.docstring.value = EXAMPLE.sub(lambda example: f"```pycon\n{example[0].rstrip()}\n```\n", text)

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Change the docstring of the package itself, which is not an object of another."""
        self.on_object(obj=pkg)
