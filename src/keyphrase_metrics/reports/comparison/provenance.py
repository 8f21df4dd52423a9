"""Where the numbers come from: the Q-10 record, signatures, data, settings, command and versions."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict

from keyphrase_metrics.compare.study import Study
from keyphrase_metrics.reports.markup import body, code, folded, name, paragraph, section, table, text

Q10 = Mapping[str, tuple[str, str]]  # question -> (answer, who says so)
_PACKAGES = ("keyphrase-metrics", "numpy", "scipy", "nltk")  # of every page


def record(q10: Q10 | None) -> str:
    """Return the section with the record of the ten questions."""
    if q10 is None:
        return section("q10", "Q-10 record", paragraph("No record was given.", "note"))
    rows = [(name(question), [name(answer), name(who)]) for question, (answer, who) in q10.items()]
    return section(
        "q10",
        "Q-10 record",
        table(["question", "answer", "said by"], [body(rows)], "The ten questions", captioned=False),
    )


def made_by(study: Study, command: str) -> str:
    """Return the section on how the numbers were made."""
    parts = ["<h3>Signatures</h3>"]
    for metric, one in study.metrics.items():
        rows = [*one.signature.values.items(), ("version", one.signature.version)]
        settings = _pairs(rows, f"Settings of {text(metric)}")
        line = f'<p class="line">{code(one.signature)}</p>'
        parts.append(f"<h4>{text(metric)}</h4>{line}{folded('Item by item', settings)}")
    parts.append("<h3>Data</h3>")
    for data in dict.fromkeys(str(one.data) for one in study.metrics.values()):
        metrics = [metric for metric, one in study.metrics.items() if str(one.data) == data]
        whose = f"{', '.join(map(text, metrics))}:" if len(metrics) < len(study.metrics) else ""
        parts.append(f'<p class="line">{whose} {code(data)}</p>')
    parts.append(f"<h3>Intervals and tests</h3>{_pairs(asdict(study.settings).items(), 'Settings of the comparison')}")
    return section("made", "How this was made", *parts, command_line(command), versions())


def command_line(command: str) -> str:
    """Return what made a page, broken between words only; nothing where it is not known."""
    words = " ".join(f"<span>{text(word)}</span>" for word in command.split(" "))
    return f'<h3>Command</h3><p class="command"><code>{words}</code></p>' if command else ""


def versions(*more: str) -> str:
    """Return the versions of what computed the numbers, with more packages where they are installed."""
    rows = [("Python", platform.python_version())]
    for package in (*_PACKAGES, *more):
        with suppress(importlib.metadata.PackageNotFoundError):
            rows.append((package, importlib.metadata.version(package)))
    return f"<h3>Versions</h3>{_pairs(rows, 'Versions')}"


def _pairs(rows: Iterable[tuple[str, object]], caption: str) -> str:
    return table(["item", "value"], [body((text(key), [name(value)]) for key, value in rows)], caption, captioned=False)
