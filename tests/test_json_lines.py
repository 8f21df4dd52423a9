"""Lines of JSON are read as Python's ``json`` reads them, whatever reads most of them faster."""

import json
import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from keyphrase_metrics import io
from keyphrase_metrics.io.json_objects import Repeating, json_rows

KEYS = st.text(string.ascii_lowercase + "水é", min_size=1, max_size=3)
NUMBERS = st.one_of(st.integers(), st.integers(-(2**70), 2**70), st.floats())
ANY_TEXT = st.text(st.characters(codec=None, categories=None), max_size=5)  # halves of surrogate pairs too
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, ANY_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=4)
DAMAGE = [b"", b'"', b"\\", b"\\ud83d", b",", b":", b"{", b"}", b"[", b"]", b"\xff", b"\xed\xa0\x80", b"\xef\xbb\xbf"]
DAMAGE += [b"\x00", b"\x0b", b"\xc2\xa0", b"0", b"-", b".", b"e999", b"NaN", b"-Infinity", b"18446744073709551616"]


def rows_of(*lines):
    problems = io.Problems("a.jsonl", "line", most=9)
    return list(json_rows(enumerate(lines, 1), problems)), problems


def as_python(line, *, first):
    """Return ``repr`` of what ``json`` makes of a line, and whether an object in it names a key twice."""
    repeated = []

    def as_object(pairs):
        repeated.extend([key for key, _ in pairs][len(dict(pairs)) :])
        return dict(pairs)

    text = line.decode("utf-8-sig" if first else "utf-8").rstrip()
    return json.loads(text, object_pairs_hook=as_object), bool(repeated)


@given(OBJECTS, st.booleans(), st.sampled_from([(", ", ": "), (",", ":")]))
@example({"id": 18446744073709551616, "x": [-(10**30)]}, True, (",", ":"))
def test_objects_are_what_json_makes_of_them(value, ascii_only, separators):
    text = json.dumps(value, ensure_ascii=ascii_only, separators=separators)
    try:
        line = text.encode()
    except UnicodeEncodeError:  # no such file can be written
        line = json.dumps(value, separators=separators).encode()
    ((number, row),), problems = rows_of(line + b"\n")
    assert (number, repr(dict(row)), problems.count) == (1, repr(json.loads(line)), 0)


@given(OBJECTS, st.booleans(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 3), st.sampled_from(DAMAGE))))
def test_damaged_lines_are_read_or_refused_as_json_does(value, second, damage):
    line = json.dumps(value).encode()
    for at, dropped, put in damage:
        line = line[:at] + put + line[at + dropped :]
    line = line.replace(b"\n", b"")
    lines = [b"{}", line] if second else [line]
    found, problems = rows_of(*lines)
    try:
        expected, repeats = as_python(line, first=not second)
    except (ValueError, RecursionError):
        expected, repeats = None, False
    rows = dict(found)
    if isinstance(expected, dict) and not repeats:
        assert repr(rows[len(lines)]) == repr(expected)
        assert not problems.count
    elif not repeats:  # where a key is repeated at some depth either may be right
        assert len(lines) not in rows
        blank = not line.decode("utf-8-sig" if not second else "utf-8", "replace").strip()
        assert problems.numbers == ([] if blank else [len(lines)])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": "a"', "a.jsonl, line 2: not valid JSON (Expecting ',' delimiter at column 11)"),
        (b'{"id": "a\x01"}', "a.jsonl, line 2: not valid JSON (Invalid control character at at column 10)"),
        (b'\xef\xbb\xbf{"id": 1}', "a.jsonl, line 2: not valid JSON (Unexpected UTF-8 BOM (decode using utf-8-sig)"),
        (b'{"id": "\xff"}', "a.jsonl, line 2: is not valid UTF-8 at byte 9"),
        (b'["a"]', "a.jsonl, line 2: is ['a'] (list); a line must be one JSON object"),
        (b'{"id": 1, "id": 1}', "a.jsonl, line 2: has the field 'id' more than once"),
        (b'{"id":1,"id" :1}', "a.jsonl, line 2: has the field 'id' more than once"),
        (b'{"id" : 1, "id"\t: 1}', "a.jsonl, line 2: has the field 'id' more than once"),
        (b'{"id":1,"i\\u0064":1}', "a.jsonl, line 2: has the field 'id' more than once"),
        (b'{"a\\\\":1,"a\\\\":1}', "a.jsonl, line 2: has the field 'a\\\\' more than once"),
        (b'{"id": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "a.jsonl, line 2: is nested too deeply"),
        (b'{"id": ' + b"1" * 5000 + b"}", "a.jsonl, line 2: not valid JSON (Exceeds the limit"),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_column(line, message):
    found, problems = rows_of(b'{"id": "first"}', line, b'{"id": "third"}')
    assert [number for number, _ in found] == [1, 3]
    assert str(problems.first[0]).startswith(message)


def spelled(text, escaped):
    """Return a string as JSON, with some of its characters as escapes."""
    plain = (json.dumps(each, ensure_ascii=False)[1:-1] for each in text)
    return '"' + "".join(f"\\u{ord(a):04x}" if e else b for a, b, e in zip(text, plain, escaped, strict=False)) + '"'


SPELLINGS = st.tuples(st.sampled_from(["a", "b", "a\\", '"', ":", "é", '":']), st.lists(st.booleans(), min_size=2))
GAPS = st.sampled_from(["", " ", "\t ", "\r"])
TEXTS = st.one_of(st.just("1"), SPELLINGS.map(lambda each: spelled(*each)))


def objects_of(inner):
    pairs = st.tuples(SPELLINGS, GAPS, inner).map(lambda pair: f"{spelled(*pair[0])}{pair[1]}:{pair[2]}")
    return st.lists(pairs, max_size=3).map(lambda each: "{" + ",".join(each) + "}")


NESTED = st.recursive(
    TEXTS,
    lambda inner: st.one_of(objects_of(inner), st.lists(inner, max_size=3).map(lambda each: f"[{','.join(each)}]")),
    max_leaves=8,
)


def is_repeating(value):
    """Say whether an object at any depth is marked as one that names a key twice."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return isinstance(value, Repeating) or any(map(is_repeating, inner))


@given(objects_of(NESTED))
def test_no_repeated_key_is_lost_however_it_is_spelled(text):
    repeated = []

    def as_object(pairs):
        repeated.append(len({key for key, _ in pairs}) < len(pairs))
        return dict(pairs)

    value = json.loads(text, object_pairs_hook=as_object)
    found, problems = rows_of(text.encode() + b"\n")
    if repeated[-1]:  # the object of the line
        assert (found, problems.first[0].code) == ([], "repeated-field")
    else:
        assert (found, is_repeating(found[0][1])) == ([(1, value)], any(repeated))


@pytest.mark.parametrize("depth", range(900, 1000, 5))
def test_any_depth_is_read_or_refused(tmp_path, depth):
    path = tmp_path / "deep.jsonl"
    path.write_text('{"references": ["y"]}\n{"references": ' + "[" * depth + "]" * depth + "}\n")
    data = io.open_file(path)
    columns = io.resolve(data, io.Fields(), predictions=False, references=True)
    part = io.read_part(data, columns)
    assert (len(part.table), part.problems.numbers) == (1, [2])
