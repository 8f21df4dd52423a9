"""The layouts of files: each is found by its content, and its values are the right ones."""

import gzip
import io as text_io
import json
import sys
from functools import partial

import pytest
from support.layouts import FILES

from keyphrase_metrics import io
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.io.inputs import Problems
from keyphrase_metrics.io.readers import read_blocks

RIGHT = [
    ("ake.json", "references", [["wave", "sea wave"], ["tide"]], ["a", "b"]),
    ("jcdl.json", "predictions", ["wave", "tide"], ["a", "b"]),
    ("scores.json", "predictions", [["wave", 0.5], ["tide", 0.2]], None),
    ("array.json", "predictions", ["wave", "tide"], ["a", "b"]),
    ("a.txt", "predictions", ["wave", "tide"], None),
    ("variants.txt", "references", [["wave", "sea wave"], "tide"], None),
    ("a.pred", "pred_sents", ["sea wave"], None),
    ("kp20k.json", "keywords", ["wave", "tide"], None),
    ("a.final", "references", [["wave", "sea wave"], "tide"], ["A-1", "B-2"]),
    ("open.jsonl", "KeyPhrases", ["sea wave"], ["http://x"]),
    ("kang.json", "label", ["tide"], None),
    ("kpeval.json", "target", "wavelet;[digit] m", None),
    ("kpeval.json", "prediction", ["wavelet"], None),
    ("kpeval.json", "source", "on waves wave ##let [ digit ]", None),
    ("bare.tsv", "references", ["wave", "tide"], ["a", "b"]),
    ("cell.csv", "prediction", "wave;tide;", ["a", "b"]),
    ("listed.ndjson", "predictions", ["wave"], ["a"]),
    ("n-CrowdCountskey", "references", ["wave", "tide"], ["n"]),
    ("n-CrowdCountskey", "reference_weights", [7, 2], ["n"]),
    ("d.key", "references", ["wave", "tide"], ["d"]),
]


def written(folder, name, content=None):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((FILES[name] if content is None else content).encode())
    return path


def rows_of(path, role="predictions", **more):
    data = io.open_file(path, io.OpenOptions(role=role, **more))
    problems = Problems(data.name, data.unit)
    whole = [row for _, row in data.rows(data.fields, problems)]
    problems.raise_if_any()
    with read_blocks(data, data.fields) as reader:
        cut = []
        while (block := reader.read(1)) is not None:
            cut += [row for _, row in block.input().rows(data.fields, Problems(data.name, data.unit))]
    assert cut == whole
    return data, whole, problems.notes


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize(("name", "field", "value", "ids"), RIGHT)
def test_values(tmp_path, name, field, value, ids, zipped):
    path = written(tmp_path, name)
    if zipped and "." in name and name != "d.key":
        path = tmp_path / f"{name.upper() if name == 'listed.ndjson' else name}.gz"
        path.write_bytes(gzip.compress(FILES[name].encode()))
    role = "references" if field.startswith("reference") else "predictions"
    data, rows, _ = rows_of(path, role)
    assert field in data.fields
    assert rows[0][field] == value
    assert [row["id"] for row in rows] == ids if ids else "id" not in rows[0]


def test_texts_part_title_and_body_once(tmp_path):
    _, rows, _ = rows_of(written(tmp_path, "src.txt"), "sources")
    assert [row["text"] for row in rows] == ["on waves a wave and a tide", "none"]
    with pytest.raises(InputError, match=r"line 1: has <eos> 2 times"):
        rows_of(written(tmp_path, "b.txt", "a <eos> b <eos> c\n"), "sources")
    with pytest.raises(InputError, match=r"line 1: field|line 1: has \[sep\] 2 times"):
        rows_of(written(tmp_path, "b.json", '{"source": "a [sep] b [sep] c", "target": "a", "prediction": "a"}\n'))


@pytest.mark.parametrize("name", ["a.txt", "kpeval.json", "cell.csv", "a.pred"])
def test_markers_are_counted(tmp_path, name):
    _, _, notes = rows_of(written(tmp_path, name))
    assert [times for note, times in notes.items() if "marker" in note] == [2 if name == "kpeval.json" else 1]


def test_folders(tmp_path):
    for name in "ab":
        written(tmp_path, f"keys/{name}.key", f"wave {name}\n")
        written(tmp_path, f"docsutf8/{name}.txt", f"Title\nA wave {name}.")
    _, rows, _ = rows_of(tmp_path / "keys", "references")
    assert rows == [{"id": "a", "references": ["wave a"]}, {"id": "b", "references": ["wave b"]}]
    _, rows, _ = rows_of(tmp_path, "references")
    assert rows[1] == {"id": "b", "references": ["wave b"], "text": "Title\nA wave b."}
    (tmp_path / "docsutf8" / "b.txt").unlink()
    with pytest.raises(InputError, match=r"no text for keys/b\.key"):
        rows_of(tmp_path, "references")


def test_a_layout_that_is_named(tmp_path):
    path = written(tmp_path, "run.jsonl", '{"id": "a", "predictions": [["sea", "wave"]]}\n')
    assert rows_of(path)[1][0]["predictions"] == [["sea", "wave"]]
    assert rows_of(path, format="openkp_jsonl")[1][0]["predictions"] == ["sea wave"]
    assert rows_of(path, format="opennmt_kpg_pred")[1][0]["predictions"] == ["sea wave"]
    odd = written(tmp_path, "run.out", "wave;tide\n")
    assert rows_of(odd, format="kenchan_text")[1] == [{"predictions": ["wave", "tide"]}]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.conll", "sea\tB\nwave\tI\n\n", "tags are not phrases"),
        ("a.json", '[["wave", 0.5], ["tide", 0.2]]', "a list over documents must hold a list"),
        ("a.json", '[{"id": 1},\n 3]', "document 2: is 3"),
        ("a.json", '{\n "a": [["x"],\n}', "line 3: not valid JSON"),
        ("a.final", "A-1 : x\nB-2 x\n", "line 2: has no ' : '"),
        ("n-CrowdCountskey", "wave\tmany\n", "line 1: is not a phrase, a tab"),
    ],
)
def test_what_is_wrong_says_where(tmp_path, name, content, message):
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        rows_of(written(tmp_path, name, content), "references")


@pytest.fixture
def scored(scores):
    """Score a file of one system; return its metrics."""

    def run(*argv):
        (system,) = scores(*argv).values()
        return system

    return run


@pytest.fixture
def failed(error):
    """Score what cannot be scored; return the message."""
    return partial(error, "score")


MARKED = "tidal power;sea wall;<peos>;fog bank", "tidal power;<peos>;fog bank"
SOURCE = "tidal power and a sea wall"
KPEVAL = "keyphrase_f1(preset=kpeval,cutoffs=[M])"


def test_markers_are_not_hits(tmp_path, scored):
    target, prediction = MARKED
    trg, out = written(tmp_path, "trg.txt", f"{target}\n"), written(tmp_path, "out.txt", f"{prediction}\n")
    src = written(tmp_path, "src.txt", f"{SOURCE}\n")
    aligned = scored(out, "--references", trg, "--sources", src, "--metrics", KPEVAL)
    row = {"source": SOURCE, "target": target, "prediction": prediction}
    lines = scored(written(tmp_path, "a.jsonl", json.dumps(row)), "--metrics", KPEVAL)
    table = written(tmp_path, "a.csv", f"source,target,prediction\n{SOURCE},{target},{prediction}\n")
    cells = scored(table, "--metrics", KPEVAL)
    for each in (aligned, lines, cells):
        assert next(iter(each.values()))["f1@M"] == pytest.approx(0.8)


def test_line_aligned_files_have_equally_many_lines(tmp_path, failed):
    out, trg = written(tmp_path, "out.txt", "x\ny\n"), written(tmp_path, "trg.txt", "x\ny\nz\n")
    assert "2 documents" in (said := failed(out, "--references", trg)) and "3" in said
    src = written(tmp_path, "src.txt", "x\n")
    said = failed(trg, "--references", trg.rename(tmp_path / "r.txt"), "--sources", src)
    said = failed(out, "--references", out.rename(tmp_path / "s.txt"), "--sources", src) or said
    assert said


def test_texts_by_id(tmp_path, scored, failed):
    run = written(tmp_path, "run.jsonl", '{"id": "a", "predictions": ["wave"], "references": ["wave"]}\n')
    written(tmp_path, "docs/a.txt", "A wave.")
    found = scored(run, "--sources", tmp_path / "docs", "--metrics", "keyphrase_f1(keyphrases=present)")
    assert next(iter(found.values()))["f1@5"] == 1.0
    written(tmp_path, "docs/b.txt", "B")
    assert "'b'" in failed(run, "--sources", tmp_path / "docs")


def test_a_stream_is_read_once(tmp_path, monkeypatch, scored):
    from keyphrase_metrics.io import opening

    monkeypatch.setattr(opening, "_COPIES", {})
    content = b'{"predictions": ["wave"], "references": ["wave"]}\n'
    monkeypatch.setattr(sys, "stdin", text_io.TextIOWrapper(text_io.BytesIO(content)))
    assert scored("-", "--metrics", "r_precision")["r_precision"]["r_precision"] == 1.0


def test_phrases_that_may_be_either_are_not_scored_against_themselves(tmp_path, failed):
    assert "give the file with the references" in failed(written(tmp_path, "open.jsonl"))
    tags = '{"id": "a", "doc_bio_tags": ["B"], "predictions": ["x"], "references": ["x"]}\n'
    said = failed(written(tmp_path, "t.jsonl", tags), "--predictions-field", "doc_bio_tags")
    assert "not phrases" in said
