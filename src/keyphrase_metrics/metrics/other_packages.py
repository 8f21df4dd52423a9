"""Metrics of other packages: what they declare in the entry-point group ``keyphrase_metrics.metrics``."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import Distribution, EntryPoint, distribution, distributions

GROUP = "keyphrase_metrics.metrics"


@dataclass(frozen=True)
class DeclaredMetrics:
    """What other packages declare.

    Attributes:
        points: name of a metric -> its entry points, more than one where several packages have the name.
        damaged: the packages whose entry points cannot be read.
    """

    points: dict[str, list[EntryPoint]] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)


def declared() -> DeclaredMetrics:
    """Read the metadata of all installed packages, which takes some milliseconds each time."""
    found = DeclaredMetrics()
    for name in sorted({package.name for package in distributions() if _has_metrics(package)}):
        package = distribution(name)  # that which is imported, where one is there twice
        try:
            points = package.entry_points if _has_metrics(package) else ()
        except (TypeError, ValueError):  # how importlib.metadata fails at a line without "="
            found.damaged.append(_pinned(package))
            continue
        for point in points:
            if point.group == GROUP:
                found.points.setdefault(point.name, []).append(point)
    return found


def package_of(point: EntryPoint) -> str:
    """Return the package and version of an entry point, as pip reads it: ``NAME==VERSION``."""
    assert point.dist is not None
    return _pinned(point.dist)


@cache
def package_declaring(name: str) -> str | None:
    """Return the package and version that declare a metric, as :func:`package_of`; ``None`` unless it is one."""
    points = declared().points.get(name, [])
    return package_of(points[0]) if len(points) == 1 else None


def _has_metrics(package: Distribution) -> bool:
    return GROUP in (package.read_text("entry_points.txt") or "")


def _pinned(package: Distribution) -> str:
    return f"{package.name}=={package.version}"
