"""Whatever files hold, reading them ends with documents or with an error that names the file."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.layouts import FILES

from keyphrase_metrics import io
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.inputs import Problems

DOCS = Path(__file__).parent.parent / "docs" / "file-layouts.md"
NAMES = sorted(FILES)
ROLES = st.sampled_from(["predictions", "references", "sources"])
PIECES = st.sampled_from(
    [
        *(b"<peos>", b";", b"|", b"\t", b"\n", b"\r\n", b" : ", b"[", b"]", b"{", b"}", b'"', b",", b"\xff", b"\x00"),
        *(b"null", b"[sep]", b"<eos>", b"7", b"\xef\xbb\xbf", "水".encode(), b"[" * 2000),
    ]
)


def read(name, content, role, form=None):
    """Return how many documents, noted problems and lines with something on them a file has."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            data = io.open_file(path, io.OpenOptions(form, role))
            problems = Problems(data.name, data.unit)
            return data, sum(1 for _ in data.rows(data.fields, problems)), problems.count
        except InputError as error:
            assert str(path) in str(error)
            return None, 0, 1


@settings(max_examples=150)
@given(st.sampled_from(NAMES), st.data(), ROLES)
def test_changed_samples(name, data, role):
    content = FILES[name].encode()
    for _ in range(data.draw(st.integers(1, 3))):
        at, length = data.draw(st.integers(0, len(content))), data.draw(st.integers(0, 4))
        content = content[:at] + data.draw(PIECES) + content[at + length :]
    opened, rows, wrong = read(name, content, role)
    assert rows + wrong > 0 or not content.strip() or opened is not None
    if opened is not None and opened.blank_lines:  # no line is lost
        assert rows + wrong == content.count(b"\n") + (not content.endswith(b"\n"))


@settings(max_examples=100)
@given(st.binary(max_size=60), st.sampled_from(["a.txt", "a.json", "a.csv", "a.tsv", "a.pred", "a", "a.key"]), ROLES)
def test_any_bytes(content, name, role):
    read(name, content, role)


@settings(max_examples=100)
@given(st.sampled_from(NAMES), st.sampled_from(io.FORMATS), ROLES)
def test_a_layout_that_a_file_does_not_have(name, form, role):
    read(name, FILES[name].encode(), role, form)


@pytest.mark.parametrize("form", io.FORMATS)
def test_the_page_of_layouts_has_every_command(form):
    (line,) = [line for line in DOCS.read_text().splitlines() if line.startswith(f"| `{form}`")]
    assert "keyphrase-metrics score " in line
