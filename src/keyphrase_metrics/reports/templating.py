"""HTML from the templates of this package and of rooms above it; whatever is filled in is escaped unless it is markup.

A template stands in the folder ``templates`` of a package, and is named by both: ``comparison/page.html.j2`` is one of
these reports, ``keyphrase_metrics.demo:answer.html.j2`` one of the demo.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from keyphrase_metrics import formatting
from keyphrase_metrics.reports.charts import labels

if TYPE_CHECKING:
    import jinja2

_FILTERS = (
    formatting.count, formatting.number, formatting.p_value, formatting.percent, formatting.score, formatting.signed
)  # fmt: skip


def render(template: str, **context: object) -> Markup:
    """Return the markup that a template makes of what is filled in.

    >>> render("figure.html.j2", caption="<b>", content=Markup("<svg></svg>"))
    Markup('<figure><figcaption>&lt;b&gt;</figcaption><svg></svg></figure>')
    """
    return Markup(formatting.valid(environment().get_template(template).render(context).strip()))


@lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """Return the one environment, which is made when a page is first asked for."""
    import jinja2

    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_source),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update({one.__name__: one for one in _FILTERS})
    made.filters["whole"] = labels.whole
    made.globals["DASH"] = formatting.DASH
    return made


def _source(name: str) -> str | None:
    package, _, file = name.rpartition(":")
    path = resources.files(package or "keyphrase_metrics.reports").joinpath("templates", file)
    return path.read_text("utf-8") if path.is_file() else None


def macros(template: str = "macros.html.j2") -> Any:
    """Return what a template defines, as functions that give markup."""
    return environment().get_template(template).module
