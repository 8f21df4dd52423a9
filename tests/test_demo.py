"""The demos without a browser: what the handlers answer, what they refuse, and what reaches them at all."""

import asyncio
import gzip
import json
import math
import os
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

import keyphrase_metrics
from keyphrase_metrics import caution, io
from keyphrase_metrics.demo import a_file, about, files, models, one_document, show, words
from keyphrase_metrics.demo.a_file import Uploads
from keyphrase_metrics.demo.examples import examples_of
from keyphrase_metrics.demo.files import Upload
from keyphrase_metrics.demo.guard import Guard
from keyphrase_metrics.demo.limits import Limits, Refused
from keyphrase_metrics.demo.options import DROPDOWN, OWNERS, options_of
from keyphrase_metrics.page.markup import code
from keyphrase_metrics.parameters import parameters_of
from keyphrase_metrics.registry import Metric, measure_names

ROOT = Path(__file__).resolve().parent.parent
LEXICAL = ["keyphrase_f1", "keyphrase_ndcg", "r_precision"]
LIMITS = Limits()
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>\"' ${7*7} {{7*7}}"


def defaults(options):
    return [control.default for control in options.controls]


def given(options, values, **settings):
    """What the boxes and the controls of a metric hold."""
    boxes = [values.get(role, "") for role in one_document.inputs_of(options)]
    return [*boxes, *(settings.get(control.name, control.default) for control in options.controls)]


def answer(name, values, limits=LIMITS, **settings):
    options = options_of(name)
    return one_document.answer(options, given(options, values, **settings), limits)


class Seen(HTMLParser):
    """The scores and the tags of an answer."""

    def __init__(self, markup):
        super().__init__()
        self.scores, self.tags, self._key = {}, [], None
        self.feed(markup)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self._key = dict(attributes).get("data-score", self._key)

    def handle_data(self, data):
        if self._key is not None:
            self.scores[self._key], self._key = float(data.replace("−", "-")), None


class TestOptions:
    @pytest.mark.parametrize("name", measure_names())
    def test_every_parameter_has_a_control_or_is_the_owners(self, name):
        options = options_of(name)
        controls = {control.name for control in options.controls}
        assert controls | OWNERS | {"num_layers"} >= parameters_of(options.measure).keys()
        assert controls.isdisjoint(OWNERS)

    @pytest.mark.parametrize("name", measure_names())
    def test_controls_at_their_defaults_are_the_metrics_defaults(self, name):
        options = options_of(name)
        measure, usual = options.metric(defaults(options), LIMITS).measure, options.measure()
        ours = {"encoder", "generator", "model", "num_layers"}  # the owner's first choice
        assert {key for key in parameters_of(options.measure) if getattr(measure, key) != getattr(usual, key)} <= ours

    @pytest.mark.parametrize(
        ("name", "preset"), [(name, preset) for name in measure_names() for preset in options_of(name).measure.presets]
    )
    def test_presets_fill_the_controls(self, name, preset):
        options = options_of(name)
        metric = options.metric(options.filled(preset), LIMITS)
        first = {c.name: c.values[c.default] for c in options.controls if c.name in ("encoder", "model")}
        assert metric.measure == Metric.of(name, preset=preset, **first).measure

    @pytest.mark.parametrize("name", measure_names())
    def test_every_choice_can_be_read(self, name):
        options = options_of(name)
        for place, control in enumerate(options.controls):
            for shown, value in control.values.items() if control.widget == DROPDOWN else ():
                values = defaults(options)
                values[place] = shown
                try:
                    metric = options.metric(values, LIMITS)
                except ValueError as error:  # not possible with the others
                    assert "Traceback" not in str(error)
                    continue
                assert getattr(metric.measure, control.name) == value
                assert control.shown(value) == shown

    def test_written_as_shortly_as_can_be(self):
        options = options_of("keyphrase_f1")
        values = options.filled("kpeval")
        assert str(options.metric(values, LIMITS)) == "keyphrase_f1(preset=kpeval)"
        values[[control.name for control in options.controls].index("cutoffs")] = "3; M"
        assert str(options.metric(values, LIMITS)) == "keyphrase_f1(preset=kpeval,cutoffs=[3,M])"

    @pytest.mark.parametrize(
        ("name", "setting", "said"),
        [
            ("semr_p", {"k": 0}, "k: 0 is not allowed; give an integer ≥ 1"),
            ("semr_p", {"k": None}, "k: None is not allowed"),
            ("semr_p", {"k": 2.5}, "k: 2.5 is not allowed"),
            ("semr_p", {"k": math.nan}, "k: nan is not allowed"),
            ("semr_p", {"k": True}, "k: True is not allowed"),
            ("semr_p", {"k": ["3"]}, "is not allowed"),
            ("semr_p", {"k": 10**400}, "is not allowed"),
            ("semr_p", {"k_fraction": "a half"}, "k_fraction: 'a half' is not allowed"),
            ("semr_p", {"k_fraction": "nan"}, "k_fraction: nan is not allowed"),
            ("semr_p", {"k": 2, "k_fraction": "0.5"}, "exclude each other"),
            ("semr_p", {"encoder": "/etc"}, "encoder: '/etc' is no choice"),
            ("semr_p", {"encoder": {"path": "/etc"}}, "is no choice"),
            ("semr_p", {"encoder": "org/other"}, "is no choice"),
            ("r_precision", {"stemmer": "snowball:klingon"}, "is no choice"),
            ("r_precision", {"tokenizer": "str.split"}, "is no choice"),
            ("r_precision", {"lowercase": "yes"}, "lowercase: 'yes' is not allowed; give True or False"),
            ("keyphrase_f1", {"cutoffs": "5, ten"}, "cutoffs: [5, 'ten'] is not allowed"),
            ("keyphrase_f1", {"cutoffs": ""}, "cutoffs: [] is not allowed"),
            ("keyphrase_f1", {"cutoffs": [5]}, "is no text"),
            ("keyphrase_f1", {"cutoffs": ",".join(map(str, range(1, 99)))}, "at most 20 ranks"),
            ("keyphrase_f1", {"cutoffs": "99999999999999999999"}, "is not allowed"),
            ("keyphrase_f1", {"oracle": True, "keyphrases": "present_and_absent"}, "is not possible"),
            ("fem_kp", {"beta": 0.7}, "they must add up to 1"),
            ("fem_kp", {"generator": "facebook/bart-large-cnn"}, "is no choice"),
        ],
    )
    def test_wrong_settings_are_messages(self, name, setting, said):
        markup = answer(name, {"predictions": "fog"}, **setting)
        assert markup.startswith('<div class="km-alert" role="alert">')
        assert show.text(said) in markup

    def test_only_the_owners_models(self, monkeypatch):
        monkeypatch.setenv(models.ENCODERS, "org/one,org/two")
        monkeypatch.setenv(models.GENERATORS, "org/writer")
        monkeypatch.setenv(models.BERTSCORE, "org/bert:3")
        controls = {name: {c.name: c for c in options_of(name).controls} for name in measure_names()}
        assert list(controls["semr_p"]["encoder"].values) == ["org/one", "org/two"]
        assert controls["fem_kp"]["encoder"].default == "org/one"
        assert list(controls["fem_kp"]["generator"].values) == ["org/writer"]
        options = options_of("keyphrase_bertscore")
        measure = options.metric(defaults(options), LIMITS).measure
        assert (measure.model, measure.num_layers) == ("org/bert", 3)

    def test_unless_the_owner_says_otherwise(self):
        offline = {"HF_HUB_OFFLINE": "1"}
        assert models.encoders(offline) == [models.MINILM]
        assert models.encoders({}) == [models.MINILM, "uclanlp/keyphrase-mpnet-v1"]
        assert models.generators({}) == ["serialize"]
        with pytest.raises(ValueError, match="write a model and its layer"):
            models.bertscore_models({models.BERTSCORE: "roberta-large"})


class TestLimits:
    def test_from_the_environment(self):
        assert Limits.of({}) == Limits()
        assert Limits.of({"KEYPHRASE_METRICS_LIMIT_UPLOAD_BYTES": "7"}).upload_bytes == 7

    @pytest.mark.parametrize("value", ["0", "-1", "many", "", "1e3", "٣"])
    def test_wrong_value(self, value):
        with pytest.raises(ValueError, match=r"KEYPHRASE_METRICS_LIMIT_DOCUMENTS=.* is not allowed"):
            Limits.of({"KEYPHRASE_METRICS_LIMIT_DOCUMENTS": value})

    def test_unknown_name(self):
        with pytest.raises(ValueError, match=r"KEYPHRASE_METRICS_LIMIT_ROWS sets no limit; there are .*_DOCUMENTS"):
            Limits.of({"KEYPHRASE_METRICS_LIMIT_ROWS": "1"})

    @pytest.mark.parametrize(
        ("name", "values", "said"),
        [
            ("r_precision", {"predictions": "a\n" * 201}, "Predicted keyphrases: 201 phrases; at most 200"),
            ("r_precision", {"references": ";".join("a" * 201)}, "Reference keyphrases: 201 phrases; at most 200"),
            ("r_precision", {"predictions": "a" * 301}, "a phrase has 301 characters; at most 300"),
            ("r_precision", {"predictions": "a", "sources": "a" * 20_001}, "Document text: 20,001 characters"),
            (
                "r_precision",
                dict.fromkeys(("predictions", "references"), ("語" * 150 + "\n") * 100),
                "have 225,000,000 pairs of words to compare; at most 2,000,000",
            ),
            ("fem_kp", {"predictions": "a", "corpus": "a\n\n" * 101}, "at most 100 are allowed"),
            ("r_precision", {"predictions": ["a"]}, "Predicted keyphrases: [&#x27;a&#x27;] is no text"),
            ("r_precision", {"predictions": {"path": "/etc/passwd"}}, "is no text"),
            ("r_precision", {"predictions": 7}, "is no text"),
        ],
    )
    def test_too_much_is_a_message(self, name, values, said):
        assert said in answer(name, values)

    def test_largest_document_takes_seconds(self):
        words_each = math.isqrt(LIMITS.document_word_pairs) // LIMITS.phrases - 1
        phrases = [f"{'wörter ' * words_each} {place}" for place in range(LIMITS.phrases)]
        document = {"predictions": "\n".join(phrases), "references": "\n".join(phrases[::-1])}
        for name in LEXICAL:
            began = time.monotonic()
            assert Seen(answer(name, document, alpha_ndcg=True, one_to_one=True)).scores
            assert time.monotonic() - began < 20


class TestOneDocument:
    def test_phrases_are_in_lines_or_between_semicolons(self):
        assert one_document.split(" a b ;c\r\n\n d;; ") == ["a b", "c", "d"]

    @pytest.mark.parametrize(
        ("name", "example"),
        [
            pytest.param(name, example, id=f"{name}-{example.title}")
            for name in LEXICAL
            for example in examples_of(name)
            if example.settings.get("relevance") != "semantic"  # those are scored in the browser
        ],
    )
    def test_examples_score_as_the_core_does(self, name, example):
        settings = {key: list(value) if isinstance(value, tuple) else value for key, value in example.settings.items()}
        metric = Metric.of(name, **settings)
        scores = keyphrase_metrics.score(
            [example.predictions],
            [example.references],
            [example.texts["sources"]] if example.texts else None,
            metrics=[metric],
        )[str(metric)].scores
        shown = {
            c.name: c.shown(example.settings[c.name]) for c in options_of(name).controls if c.name in example.settings
        }
        boxes = {role: example.box(role) for role in ("predictions", "references", "sources")}
        assert Seen(answer(name, boxes, **shown)).scores == {
            key: pytest.approx(value, abs=5e-5) for key, value in scores.items()
        }

    @pytest.mark.parametrize("name", measure_names())
    def test_every_metric_has_examples_of_its_own(self, name):
        options, titles = options_of(name), [example.title for example in examples_of(name)]
        assert len(set(titles)) == len(titles) >= 2
        for example in examples_of(name):
            assert example.settings.keys() <= {control.name for control in options.controls}
            assert all(example.box(role) for role in ["predictions", *options.needs])

    def test_printed_scores_of_the_papers(self):
        systems = {example.title: example for example in examples_of("keyphrase_ndcg")[:2]}
        found = {}
        for title, example in systems.items():
            boxes = {role: example.box(role) for role in ("predictions", "references")}
            found[title] = Seen(answer("keyphrase_ndcg", boxes)).scores["ndcg"]
        assert found == {"Schluter, system 2": 0.9387, "Schluter, system 1": 0.6814}
        case = {example.title: example for example in examples_of("r_precision")}
        for title, score in (("SemR-p paper, case 6", 1.0), ("SemR-p paper, case 5", 0.0)):
            boxes = {role: case[title].box(role) for role in ("predictions", "references")}
            assert Seen(answer("r_precision", boxes)).scores["r_precision_approximate"] == score

    def test_nothing_typed_is_no_error(self):
        for name in measure_names():
            assert answer(name, {}) == show.hint("Type some phrases, or load an example.")

    def test_warnings_are_shown_and_not_raised(self, recwarn):
        markup = answer("r_precision", {"predictions": "fog"})
        assert "The document has no references, so it scores 0" in markup
        assert Seen(markup).scores["r_precision"] == 0
        assert "it is left out and has no score" in answer("r_precision", {"predictions": "fog"}, on_empty="skip")
        assert "does not allow it" in answer("r_precision", {"predictions": "fog"}, on_empty="error")
        assert not recwarn.list

    def test_missing_text_says_what_to_fill_in(self):
        markup = answer("keyphrase_f1", {"predictions": "fog", "references": "fog"}, keyphrases="present")
        assert "needs the document text; fill it in" in markup

    @pytest.mark.parametrize("name", LEXICAL)
    def test_what_was_typed_is_never_markup(self, name):
        typed = {"predictions": f"{SCRIPT}\nfog", "references": SCRIPT, "sources": SCRIPT}
        markup = answer(name, typed)
        assert "&lt;script&gt;" in markup
        seen = Seen(markup)
        assert not {tag for tag, _ in seen.tags} & {"script", "img", "iframe", "object", "a"}
        assert not [key for _, attributes in seen.tags for key in attributes if key.startswith("on")]

    def test_table_adds_up_and_says_what_is_left_out(self):
        markup = answer("r_precision", {"predictions": "fog\nFogs\n!\nrain\nhail", "references": "fog;rain"})
        assert "1 prediction with the stems of an earlier one is dropped" in markup
        assert re.search(r"Only 2 of \d predictions take part", markup)
        table = markup.partition('<table class="km-phrases">')[2].partition("</table>")[0]
        cells = re.findall(r"<td>(?:<b>)?([0-9.]+)(?:</b>)?</td>", table)
        assert len(cells) % 3 == 0
        *credits, total = [[float(cell) for cell in cells[row : row + 3]] for row in range(0, len(cells), 3)]
        assert [sum(column) for column in zip(*credits, strict=True)] == pytest.approx(total, abs=1e-3)

    def test_a_fault_of_ours_is_a_message_and_a_line_in_the_log(self, monkeypatch, caplog):
        def broken(*args, **kwargs):
            raise RuntimeError("/srv/secret/path broke")

        monkeypatch.setattr(one_document.scoring, "score", broken)
        markup = answer("r_precision", {"predictions": "fog"})
        assert show.text(words.FAILED) in markup
        assert "secret" not in markup
        assert "/srv/secret/path broke" in caplog.text

    def test_a_model_that_cannot_be_loaded_is_named_without_paths(self, monkeypatch, caplog):
        monkeypatch.setenv(models.ENCODERS, "org/absent")
        markup = answer("sem_f1", {"predictions": "fog", "references": "rain"})
        assert "The encoder org/absent cannot be loaded on this server." in markup
        assert "pip install" not in markup
        assert "offline" in caplog.text or "cannot be loaded" in caplog.text

    def test_warnings_of_two_calls_do_not_mix(self):
        with caution.gathered() as outer:
            with caution.gathered() as inner:
                caution.warn("inner")
            caution.warn("outer")
        assert (outer, inner) == (["outer"], ["inner"])


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
    chosen = [(fields or {}).get(role) for role in a_file.roles_of(options)]
    values = [settings.get(control.name, control.default) for control in options.controls]
    return a_file.score(options, Uploads(predictions, references), chosen, values, limits, folder)


def said(folder, predictions, references=None, **kwargs):
    """What a visitor is told, checked for what nobody should be told."""
    with pytest.raises(words.Told) as told:
        score(folder, predictions, references, **kwargs)
    messages = told.value.messages
    for message in messages:
        assert str(folder.parent) not in message
        assert "/tmp" not in message
        assert not re.search(r"--[a-z]", message)
        assert "Traceback" not in message
    return "\n".join(messages)


def parquet(rows):
    import pyarrow
    import pyarrow.parquet

    out = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), out)
    return out.getvalue().to_pybytes()


CSV = "id,predictions,references\na,fog;wind,fog;rain\nb,hail,hail\n"


class TestAFile:
    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("run.jsonl", lines(ROWS)),
            ("run.jsonl.gz", gzip.compress(lines(ROWS).encode())),
            ("run.csv", CSV),
            ("run.csv.gz", gzip.compress(CSV.encode())),
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
            assert f'data-identity="{part}">{code(value)}<' in scored.markup
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
        assert scored.markup.count('<tr><th scope="row">') == 2
        assert "<bdi>&lt;two&gt;</bdi>" in scored.markup

    def test_other_fields(self, folder):
        rows = [{"key": r["id"], "found": r["predictions"], "gold": r["references"], "body": r["text"]} for r in ROWS]
        upload = put(folder, "run.jsonl", lines(rows))
        assert "has no field predictions or prediction" in said(folder, upload)
        fields = {"predictions": "found", "references": ["gold"], "sources": ["body"], "id": "key"}
        rows = score(folder, upload, fields=fields, name="keyphrase_f1", keyphrases="present").downloads[0].read_text()
        assert json.loads(rows.splitlines()[0])["id"] == "a"

    def test_choices_of_fields(self, folder):
        upload = put(folder, "run.jsonl", lines(ROWS))
        found = a_file.choices(options_of("keyphrase_f1"), Uploads(upload), LIMITS)
        assert {role: choice.usual for role, choice in found.items()} == {
            "predictions": ["predictions"],
            "references": ["references"],
            "sources": ["title", "text"],
            "id": ["id"],
        }
        assert found["references"].fields == list(ROWS[0])
        assert "references" not in a_file.choices(options_of("keyphrase_diversity"), Uploads(upload), LIMITS)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("run.jsonl", lines(ROWS) + "{nonsense\n", "run.jsonl, line 3: is no JSON"),
            ("run.jsonl", lines([{**ROWS[0], "references": "fog"}]), "run.jsonl, line 1: field 'references' is 'fog'"),
            ("run.jsonl.gz", gzip.compress(b"[1]\n", mtime=0), "run.jsonl.gz, line 1: is [1] (list)"),
            ("run.jsonl.gz", gzip.compress(lines(ROWS).encode())[:-20], "run.jsonl.gz: is no complete gzip file"),
            ("run.jsonl.gz", b"not gzip", "run.jsonl.gz: is no complete gzip file"),
            ("run.csv", CSV + "c,fog\n", "run.csv, line 4: has 2 cells, but the header has 3"),
            ("run.csv", ",".join(map(str, range(201))), "run.csv has 201 fields; at most 200"),
            ("run.csv.gz", gzip.compress(b"a" * 1_000_000, mtime=0), "the name of a field has 1,000,000 characters"),
            ("run.csv", "id,id\n1,2\n", "run.csv: its header names 'id' more than once"),
            ("run.jsonl", "", "run.jsonl: holds no documents"),
            ("run.jsonl", b"\xff\xfe\x00", "run.jsonl, line 1: is no valid UTF-8"),
            ("run.parquet", b"PAR1 but not really PAR1", "run.parquet: cannot be read as Parquet"),
            ("run.parquet", b"PAR1" + bytes(100) + b"PAR1", "run.parquet: cannot be read as Parquet ("),
            (
                "run.parquet",
                parquet([{"id": "a", "predictions": ["fog"], "references": None}]),
                "run.parquet, row 1: field 'references' is null",
            ),
            ("run.parquet.gz", b"", "its suffix is not known"),
            ("run.txt", "fog", "its suffix is not known"),
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

    def test_no_message_of_the_readers_names_options(self):
        """Every option that a message of the readers can name is one that is taken out."""
        source = "\n".join(path.read_text() for path in (ROOT / "src/keyphrase_metrics/io").glob("*.py"))
        named = set(re.findall(r"--[a-z]+(?:-[a-z]+)*", source)) - {"--by"}
        assert named
        handled = "\n".join(pattern for pattern, _ in words._OF_OPTIONS).replace(
            "--[a-z]+-field", " ".join(option for option in named if option.endswith("-field"))
        )
        assert {option for option in named if option not in handled} == set()


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
            with pytest.raises(Refused, match="There is no such upload"):
                files.uploaded(path, folder, LIMITS)
        assert files.uploaded(str(put(folder, "run.jsonl", "{}").path), folder, LIMITS).name == "run.jsonl"

    def test_too_large(self, folder):
        upload = put(folder, "run.jsonl", "x" * 11)
        with pytest.raises(Refused, match=r"run.jsonl is larger than the 1e-05 MB"):
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


def ask(folder, path, body=b"", method="POST", headers=(), **limits):
    """What the guard answers, and the body that reached the app behind it (``None`` if none did)."""
    reached, answers = [], []

    async def app(scope, receive, send):
        reached.append((await receive())["body"])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def receive():
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message):
        answers.append(message)

    bounds = {"body_bytes": 1000, "upload_bytes": 100, "kept_bytes": 50_000, "admit": lambda name: True, **limits}
    scope = {"type": "http", "path": path, "method": method, "headers": list(headers)}
    asyncio.run(Guard(app, folder=folder, **bounds)(scope, receive, send))
    return answers[0]["status"], reached[0] if reached else None


class TestGuard:
    def test_calls_pass_as_they_are(self, folder):
        body = json.dumps({"data": ["a", None, 3, {"path": str(folder / "x" / "run.csv"), "meta": {}}]}).encode()
        assert ask(folder, "/gradio_api/queue/join", body) == (200, body)
        assert ask(folder, "/gradio_api/cancel") == (200, b"")
        assert ask(folder, "/", method="GET") == (200, b"")

    @pytest.mark.parametrize(
        "file",
        [
            {"path": "/etc/passwd"},
            {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}},
            {"path": "https://example.org/large.csv", "meta": {"_type": "gradio.FileData"}},
            {"path": "uploads/../../etc/passwd"},
            {"path": ["/etc/passwd"]},
            {"path": "a\0b"},
            {"url": "https://example.org/large.csv"},
            {"deep": [{"path": "/etc/passwd"}]},
        ],
    )
    def test_files_that_were_not_uploaded(self, folder, file):
        assert ask(folder, "/gradio_api/queue/join", json.dumps({"data": [file]}).encode()) == (400, None)

    @pytest.mark.parametrize("body", [b"nonsense", b"[" * 400, b'{"a":' * 100 + b"1" + b"}" * 100, b"\xff"])
    def test_what_is_no_sound_json(self, folder, body):
        assert ask(folder, "/gradio_api/queue/join", body) == (400, None)

    @pytest.mark.parametrize("name", ["x" * 101, 7, ["x"], {}, False])
    def test_names_of_visitors_that_no_client_makes(self, folder, name):
        assert ask(folder, "/gradio_api/queue/join", json.dumps({"session_hash": name}).encode()) == (400, None)

    def test_who_fetches_nothing_gets_no_more(self, folder):
        for name, status in (("one", 429), ("another", 200), (None, 200)):
            body = json.dumps({"data": [], "session_hash": name}).encode()
            assert ask(folder, "/gradio_api/queue/join", body, admit=lambda name: name != "one")[0] == status

    def test_sizes(self, folder):
        assert ask(folder, "/gradio_api/queue/join", b" " * 1001) == (413, None)
        upload = "/gradio_api/upload"
        assert ask(folder, upload) == (411, None)
        assert ask(folder, upload, headers=[(b"content-length", b"30000")]) == (413, None)
        assert ask(folder, upload, headers=[(b"content-length", b"200")])[0] == 200
        put(folder, "much.csv", "x" * 49_900)
        assert ask(folder, upload, headers=[(b"content-length", b"200")]) == (503, None)

    @pytest.mark.parametrize(
        "path",
        ["process_recording", "vibe-edit/", "undo-vibe-edit", "proxy=https://example.org", "dev/reload", "deep_link"],
    )
    def test_parts_that_the_demos_do_not_use(self, folder, path):
        for method in ("GET", "POST"):
            assert ask(folder, f"/gradio_api/{path}", method=method) == (404, None)


@pytest.mark.parametrize("name", measure_names())
def test_cards_are_shown_without_front_matter_and_inner_links(name):
    card = about.card(name)
    assert card.startswith("# ")
    assert "<!--" not in card
    targets = re.findall(r"\]\(([^)]*)\)", card)
    assert all(target.startswith("https://") for target in targets)


@pytest.mark.parametrize("name", measure_names())
def test_every_module_has_a_space(name):
    source = (ROOT / "spaces" / name / "app.py").read_text()
    assert f'demo.launch("{name}")' in source
    compile(source, name, "exec")


def test_importing_the_demo_imports_nothing_heavy():
    import subprocess
    import sys

    code = (
        "import sys, keyphrase_metrics.demo as d; print({'gradio', 'torch', 'pandas', 'fastapi'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


SERVED = """
import json, time, urllib.error, urllib.request
from keyphrase_metrics import demo
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.options import options_of

limits = Limits(sessions=5, unfetched=3)
app, local_url, _ = demo.launch("r_precision", limits=limits, prevent_thread_lock=True, quiet=True)
address, queue = f"{local_url}gradio_api/call/r_precision", app.blocks._queue
values = ["fog;wind", "fog", "", *(control.default for control in options_of("r_precision").controls)]

def call(name, fetched):
    body = json.dumps({"data": values, "session_hash": name}).encode()
    request = urllib.request.Request(address, body, {"content-type": "application/json"})
    try:
        event = json.load(urllib.request.urlopen(request))["event_id"]
    except urllib.error.HTTPError as error:
        return error.code
    if fetched:
        return urllib.request.urlopen(f"{address}/{event}").read().decode().count("data-score")
    while event in queue.event_ids_to_events:
        time.sleep(0.01)

found = {"scores": [call(f"visitor {number}", fetched=True) for number in range(20)]}
found["unfetched"] = [call("one", fetched=False) for _ in range(4)]
found["gone"] = [call(f"gone {number}", fetched=False) for number in range(20)]
found["names"] = len(queue.pending_event_ids_session), len(queue.pending_messages_per_session)
found["records"], found["summary"] = len(queue.event_analytics), queue.cached_event_analytics_summary
app.blocks.close()
print(json.dumps(found))
"""


def test_a_server_keeps_nothing_of_visitors_who_are_gone():
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", SERVED], capture_output=True, text=True, check=True, timeout=120)
    found = json.loads(done.stdout.splitlines()[-1])
    assert len(set(found["scores"])) == 1
    assert found["scores"][0] > 0
    assert found["unfetched"] == [None, None, None, 429]
    assert found["gone"] == [None] * 20
    assert max(found["names"]) <= 6  # those remembered, and the one who has called since
    assert found["records"] <= 1
    assert found["summary"] == {"functions": {}}


def test_unknown_names():
    from keyphrase_metrics import demo

    with pytest.raises(ValueError, match="metric 'semrp' is not known"):
        demo.build("semrp")
    with pytest.raises(ValueError, match="names is empty"):
        demo.build([])
