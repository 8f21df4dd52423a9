"""What visitors send to the demos: files and uploads."""

import gzip
import json
import os
import re
import time
import xml.etree.ElementTree as ET

import pytest
from support.demo import LIMITS
from support.documents import ROOT

import keyphrase_metrics
from keyphrase_metrics import io
from keyphrase_metrics.demo import file_tab, files
from keyphrase_metrics.demo.file_tab import Uploads
from keyphrase_metrics.demo.files import Upload
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.messages import UserError
from keyphrase_metrics.demo.options import options_of
from keyphrase_metrics.reports import templating

pytestmark = pytest.mark.slow

ROWS = [
    {
        "id": "a",
        "title": "On fog",
        "text": "fog and rain",
        "predictions": ["fog", "wind"],
        "references": ["fog", "rain"],
    },
    {"id": "b", "title": "On hail", "text": "hail", "predictions": ["hail"], "references": ["hail"]},
]


@pytest.fixture
def folder(tmp_path):
    """Where the server keeps uploads."""
    (tmp_path / "uploads").mkdir()
    return tmp_path / "uploads"


def put(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Upload(path, name)


def lines(rows):
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def score(folder, predictions, references=None, name="r_precision", limits=LIMITS, fields=None, **settings):
    options = options_of(name)
    chosen = [(fields or {}).get(role) for role in file_tab.roles_of(options)]
    values = [settings.get(control.name, control.default) for control in options.controls]
    return file_tab.score(options, Uploads(predictions, references), chosen, values, limits, folder)


def said(folder, predictions, references=None, **kwargs):
    """What a visitor is told, checked for what nobody should be told."""
    with pytest.raises(UserError) as raised:
        score(folder, predictions, references, **kwargs)
    reported = raised.value.messages
    for message in reported:
        assert str(folder.parent) not in message
        assert "/tmp" not in message
        assert not re.search(r"--[a-z]", message)
        assert "Traceback" not in message
    return "\n".join(reported)


def parquet(rows):
    import pyarrow
    import pyarrow.parquet

    out = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue().to_pybytes()


PACKED = gzip.compress(lines(ROWS).encode(), mtime=0)
CSV = "id,predictions,references\na,fog;wind,fog;rain\nb,hail,hail\n"


class TestAFile:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("run.jsonl", lines(ROWS)),
            ("run.jsonl.gz", PACKED),
            ("run.csv", CSV),
            ("run.csv.gz", gzip.compress(CSV.encode(), mtime=0)),
            ("run.tsv", CSV.replace(",", "\t")),
            ("run.parquet", parquet(ROWS)),
        ],
    )
    def test_scores_as_the_core_does(self, folder, name, content):
        upload = put(folder, name, content)
        scored = score(folder, upload)
        core = keyphrase_metrics.score(
            [row["predictions"] for row in ROWS],
            [row["references"] for row in ROWS],
            metrics="r_precision",
            per_document=True,
        )["r_precision"]
        for part, value in (("signature", core.signature), ("data", core.data)):
            assert f'data-identity="{part}">{templating.macros().code(value)}<' in scored.markup
        assert "<bdi>run</bdi>" in scored.markup
        assert all(f"<td>{value:.4f}</td>" in scored.markup for value in core.scores.values())
        rows = [json.loads(line) for line in scored.downloads[0].read_text().splitlines()]
        assert [row["id"] for row in rows] == ["a", "b"]
        for key, values in core.per_document.items():
            assert [row[f"r_precision/{key}"] for row in rows] == values
        table = io.open_file(scored.downloads[1])
        assert list(table.fields) == list(rows[0])
        read = [row for _, row in table.rows(table.fields, io.Problems("", "line"))]
        assert read == [{key: str(value) for key, value in row.items()} for row in rows]
        assert upload.path.exists()
        assert {path.name for path in folder.iterdir()} == {name, scored.folder.name}

    def test_several_systems_and_references_apart(self, folder):
        both = [{"id": r["id"], "predictions": {"one": r["predictions"], "<two>": []}} for r in ROWS]
        scored = score(folder, put(folder, "runs.jsonl", lines(both)), put(folder, "gold.jsonl", lines(ROWS[::-1])))
        assert "<bdi>&lt;two&gt;</bdi>" in scored.markup
        assert "<two>" not in scored.markup

    def test_several_systems_are_compared_as_the_library_does(self, folder):
        rows = [
            {"predictions": {"half": ["fog"], "all": ["fog", f"wind {place}"]}, "references": ["fog", f"wind {place}"]}
            for place in range(8)
        ]
        scored = score(folder, put(folder, "runs.jsonl", lines(rows)), name="r_precision")
        found = ET.fromstring(re.sub("<wbr/?>", "", scored.markup))
        difference, *_ = (
            row for row in found.iter("tr") if len(row) > 5 and row[0].findtext("bdi") == "all" and row[3].text
        )
        cells = ["".join(cell.itertext()) for cell in difference]
        # each of 8 documents is better by 1/2: of 2^8 signs 2 are as extreme; no resample differs
        assert cells[1:6] == ["1.0000", "[1.0000, 1.0000]", "+0.5000↑", "[+0.5000, +0.5000]", "0.0078"]
        assert "paired permutation test" in scored.markup
        assert len(list(found.iter("svg"))) == 2

    @pytest.mark.parametrize("name", ["keyphrase_diversity", "keyphrase_f1", "keyphrase_rouge"])
    def test_systems_without_phrases_and_with_one_document_are_compared_too(self, folder, name):
        rows = [{"predictions": {"one": ["fog"], "none": []}, "references": ["fog"]}]
        assert "baseline" in score(folder, put(folder, "runs.jsonl", lines(rows)), name=name).markup

    def test_other_fields(self, folder):
        rows = [{"key": r["id"], "found": r["predictions"], "gold": r["references"], "body": r["text"]} for r in ROWS]
        upload = put(folder, "run.jsonl", lines(rows))
        assert "has no field predictions or prediction" in said(folder, upload)
        fields = {"predictions": "found", "references": ["gold"], "sources": ["body"], "id": "key"}
        rows = score(folder, upload, fields=fields, name="keyphrase_f1", keyphrases="present").downloads[0].read_text()
        assert json.loads(rows.splitlines()[0])["id"] == "a"

    def test_choices_of_fields(self, folder):
        upload = put(folder, "run.jsonl", lines(ROWS))
        found = file_tab.choices(options_of("keyphrase_f1"), Uploads(upload), LIMITS)
        assert {role: choice.usual for role, choice in found.items()} == {
            "predictions": ["predictions"],
            "references": ["references"],
            "sources": ["title", "text"],
            "id": ["id"],
        }
        assert found["references"].fields == list(ROWS[0])
        assert "references" not in file_tab.choices(options_of("keyphrase_diversity"), Uploads(upload), LIMITS)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("run.jsonl", lines(ROWS) + "{nonsense\n", "run.jsonl, line 3: not valid JSON"),
            ("run.jsonl", lines([{**ROWS[0], "references": "fog"}]), "run.jsonl, line 1: field 'references' is 'fog'"),
            ("run.jsonl.gz", gzip.compress(b"[1]\n", mtime=0), "run.jsonl.gz, line 1: is [1] (list)"),
            (
                "run.jsonl.gz",
                PACKED[:-20],
                "run.jsonl.gz: is not a complete gzip file",
            ),
            ("run.jsonl.gz", b"not gzip", "run.jsonl.gz: is not a complete gzip file"),
            ("run.csv", CSV + "c,fog\n", "run.csv, line 4: has 2 cells, but the header has 3"),
            ("run.csv", ",".join(map(str, range(201))), "run.csv has 201 fields; at most 200"),
            (
                "run.jsonl",
                lines([{**ROWS[0], "\ud800": 1}]),
                "run.jsonl: the name '\\ud800' of a field is not valid Unicode",
            ),
            ("run.csv.gz", gzip.compress(b"a" * 1_000_000, mtime=0), "the name of a field has 1,000,000 characters"),
            ("run.csv", "id,id\n1,2\n", "run.csv: its header names 'id' more than once"),
            ("run.jsonl", "", "run.jsonl: holds no documents"),
            ("run.jsonl", b"\xff\xfe\x00", "run.jsonl, line 1: is not valid UTF-8"),
            ("run.parquet", b"PAR1 but not really PAR1", "run.parquet: cannot be read as Parquet"),
            ("run.parquet", b"PAR1" + bytes(100) + b"PAR1", "run.parquet: cannot be read as Parquet"),
            (
                "run.parquet",
                parquet([{"id": "a", "predictions": ["fog"], "references": None}]),
                "run.parquet, row 1: field 'references' is null",
            ),
            ("run.parquet.gz", b"", "its suffix is not known"),
            ("run.xls", "fog", "its suffix is not known"),
            ("run.jsonl", lines([{"predictions": ["fog"]}]), "has no references"),
            ("run.jsonl", lines([ROWS[0], ROWS[0]]), "run.jsonl repeats 1 id ('a')"),
            (
                "run.jsonl",
                lines([{**ROWS[0], "predictions": ["a" * 301]}]),
                "run.jsonl, line 1 (id 'a'), predictions: Predicted",
            ),
            (
                "run.jsonl",
                lines([ROWS[0], {**ROWS[1], "references": ["x"] * 201}]),
                "run.jsonl, line 2 (id 'b'), references: ",
            ),
            (
                "run.jsonl",
                lines([{**ROWS[0], "predictions": {"s": ["a"]}}, ROWS[1]]),
                "line 2: field 'predictions' has",
            ),
        ],
    )
    def test_what_is_wrong_says_where(self, folder, name, content, message):
        assert message in said(folder, put(folder, name, content))

    def test_documents_that_differ(self, folder):
        one, other = put(folder, "run.jsonl", lines(ROWS)), put(folder, "gold.jsonl", lines(ROWS[:1]))
        assert "run.jsonl has 1 id ('b') that gold.jsonl lacks" in said(folder, one, other)
        assert "run.jsonl lacks 1 id ('b') of gold.jsonl" in said(
            folder, put(folder, "run.jsonl", lines(ROWS[:1])), put(folder, "gold.jsonl", lines(ROWS))
        )

    def test_a_text_that_is_needed_must_be_there(self, folder):
        rows = [{key: row[key] for key in ("predictions", "references")} for row in ROWS]
        upload = put(folder, "run.jsonl", lines(rows))
        message = said(folder, upload, name="keyphrase_f1", keyphrases="present")
        assert "run.jsonl: with these settings the metric needs the document text" in message

    @pytest.mark.parametrize(
        ("limit", "message"),
        [
            ({"documents": 1}, "more than 1 documents"),
            ({"file_word_pairs": 4}, "have 5 pairs of words to compare; at most 4"),
            ({"file_phrases": 3}, "has 6 phrases; at most 3"),
            ({"text_characters": 3}, "run.jsonl, line 1 (id 'a'), sources: Document text: "),
            ({"unpacked_bytes": 40}, "is larger than the 4e-05 MB"),
        ],
    )
    def test_limits(self, folder, limit, message):
        upload = put(folder, "run.jsonl.gz" if "unpacked_bytes" in limit else "run.jsonl", lines(ROWS))
        if upload.path.suffix == ".gz":
            upload.path.write_bytes(gzip.compress(upload.path.read_bytes()))
        assert message in said(folder, upload, limits=Limits(**limit), name="keyphrase_f1", keyphrases="present")

    def test_too_many_systems(self, folder):
        rows = [{**ROWS[0], "predictions": {str(place): ["fog"] for place in range(11)}}]
        assert "has 11 systems; at most 10" in said(folder, put(folder, "run.jsonl", lines(rows)))

    @pytest.mark.model
    def test_models_read_no_more_than_allowed(self, folder):
        upload = put(folder, "run.jsonl", lines(ROWS))
        message = said(folder, upload, name="sem_f1", limits=Limits(model_characters=14))
        assert "has 15 characters that would go through a model; at most 14" in message  # fog wind rain hail
        assert "model" not in score(folder, upload, name="keyphrase_ndcg", limits=Limits(model_characters=1)).markup

    @pytest.mark.skipif(os.name != "posix", reason="memory is bounded on Unix")
    def test_parquet_that_unfolds_without_end(self, folder):
        import pyarrow
        import pyarrow.parquet

        text = pyarrow.array(["x" * 1_000_000]).take(pyarrow.array([0] * 300))
        table = pyarrow.table({"predictions": text, "references": text})
        path = folder / "bomb.parquet"
        pyarrow.parquet.write_table(table, path, compression="zstd")
        assert path.stat().st_size < 100_000
        message = said(folder, Upload(path, "bomb.parquet"))
        assert message == "bomb.parquet cannot be read as Parquet within the memory and size that are allowed here."

    def test_gzip_that_unfolds_without_end(self, folder):
        upload = put(folder, "bomb.jsonl.gz", gzip.compress(b"0" * 50_000_000))
        assert "is larger than the 20 MB that are allowed here when it is unpacked" in said(folder, upload)

    def test_working_copies_are_gone(self, folder, tmp_path, monkeypatch):
        monkeypatch.setattr(files.tempfile, "tempdir", str(tmp_path))
        score(folder, put(folder, "run.parquet", parquet(ROWS)))
        said(folder, put(folder, "bad.jsonl.gz", gzip.compress(b"nonsense")))
        assert [path.name for path in tmp_path.iterdir()] == ["uploads"]

    def test_a_file_that_was_deleted_in_the_meantime(self, folder):
        upload = put(folder, "run.jsonl", lines(ROWS))
        upload.path.unlink()
        assert "run.jsonl is no longer here" in said(folder, upload)

    def test_what_helps_elsewhere_is_not_hinted_at(self, folder):
        """Of what would help, a visitor reads what can be done on the page."""
        upload = put(folder, "run.jsonl", lines([{**ROWS[0], "predictions": "fog"}]))
        assert said(folder, upload).endswith("it must be a list of phrases")
        upload = put(folder, "run.jsonl", lines([{"predictions": ["fog"]}]))
        assert said(folder, upload).endswith("; choose the right one above, or add the file that holds them")
        upload = put(folder, "run.jsonl", lines(ROWS))
        message = said(folder, upload, fields={"references": ["gold"]})
        assert message.startswith("run.jsonl has no field 'gold' (Reference keyphrases); it has ")

    def test_no_file_below_the_command_line_names_options(self):
        for room in ("io", "parsing", "demo"):
            for path in (ROOT / "src/keyphrase_metrics" / room).rglob("*.py"):
                assert not re.search(r"--[a-z]", path.read_text()), path


class TestUploads:
    def test_only_files_that_were_uploaded(self, folder, tmp_path):
        secret = tmp_path / "secret.jsonl"
        secret.write_text(lines(ROWS))
        (folder / "link.jsonl").symlink_to(secret)
        for path in (
            str(secret),
            str(folder / ".." / "secret.jsonl"),
            str(folder / "link.jsonl"),
            str(folder),
            str(folder / "absent.jsonl"),
            "/etc/passwd",
            "https://example.org/x.jsonl",
            "",
            "a\0b",
            7,
            {"path": str(secret)},
        ):
            with pytest.raises(UserError, match="There is no such upload"):
                files.uploaded(path, folder, LIMITS)
        assert files.uploaded(str(put(folder, "run.jsonl", "{}").path), folder, LIMITS).name == "run.jsonl"

    def test_too_large(self, folder):
        upload = put(folder, "run.jsonl", "x" * 11)
        with pytest.raises(UserError, match=r"run.jsonl is larger than the 1e-05 MB"):
            files.uploaded(str(upload.path), folder, Limits(upload_bytes=10))

    def test_old_files_are_swept_away(self, folder):
        (folder / "hash").mkdir()
        old, new = put(folder / "hash", "old.csv", ""), put(folder, "new.csv", "")
        (folder / "link").symlink_to(ROOT)
        now = time.time()
        os.utime(old.path, (now - 1000, now - 1000))
        assert files.swept(folder, 900, now) == 1
        assert new.path.exists()
        assert files.swept(folder, 900, now + 1000) == 2
        assert list(folder.iterdir()) == []
        assert (ROOT / "setup.cfg").exists()
