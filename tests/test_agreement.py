"""Judgements read, joined and counted; what is found of them; the command, its outputs and its errors."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from support.documents import ROOT

import keyphrase_metrics
from keyphrase_metrics import cli
from keyphrase_metrics.agreement import AgreementSettings, Judgement, Judgements, agree, read_judgements
from keyphrase_metrics.agreement.judgements import KINDS
from keyphrase_metrics.agreement.tables import tables, written_tables
from keyphrase_metrics.compare.tables import FORMS
from keyphrase_metrics.errors import InputError

REFERENCES = [["énergie solaire", "brouillard"], ["marée"], ["digue", "houle"], ["éolienne"]]
IDS = ["a", "b", "c", "d"]
SYSTEMS = {
    "tout": REFERENCES,
    "moitié": [each[:1] for each in REFERENCES],
    "rien": [["x", "y"]] * 4,
    "mixte": [["énergies solaires"], ["x"], ["y", "houle"], ["éoliennes"]],
}
QUICK = AgreementSettings(resamples=50, permutations=50)
EXAMPLES = [
    f"examples/{name}.jsonl" for name in ("extractor", "generator", "agreement/judged/mixer", "agreement/judged/terse")
]


def scored(metrics=("keyphrase_f1(cutoffs=[M])",), systems=SYSTEMS, **options):
    how = {"metrics": list(metrics), "per_document": True, "explain": True, "language": "fr", **options}
    return {name: keyphrase_metrics.score(lists, REFERENCES, **how) for name, lists in systems.items()}


def lists(rated, ids=IDS, rater=None):
    return [Judgement(each, (name,), None, float(rating), rater) for each in ids for name, rating in rated.items()]


def write_lines(path, rows):
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


ROWS = {
    "lists": [{"id": "a", "system": "é", "rating": 2, "rater": "eve"}, {"id": "b", "system": "é", "rating": None}],
    "phrases": [{"id": "a", "system": "é", "phrase": "marée", "rating": 0.5}],
    "references": [{"id": "a", "phrase": "marée", "rating": 3}],
    "pairs": [{"id": "a", "system_a": "é", "system_b": "o", "winner": "o"},
              {"id": "b", "system_a": "o", "system_b": "é", "winner": "tie"}],
}  # fmt: skip
READ = {
    "lists": [Judgement("a", ("é",), None, 2.0, "eve")],
    "phrases": [Judgement("a", ("é",), "marée", 0.5)],
    "references": [Judgement("a", (), "marée", 3.0)],
    "pairs": [Judgement("a", ("o", "é"), None, 1.0), Judgement("b", ("o", "é"), None, 0.0)],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_judgements_are_read_from_every_kind_of_file(kind, suffix, tmp_path):
    path, rows = tmp_path / f"judged.{suffix}", ROWS[kind]
    if suffix == "jsonl":
        write_lines(path, rows)
    elif suffix == "parquet":
        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    else:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    found = read_judgements(path)
    assert (found.kind, list(found.rows)) == (kind, READ[kind])
    assert found.missing == sum(row.get("rating", 0) is None for row in rows)


def test_fields_have_other_names_and_raters_may_come_late(tmp_path):
    rows = [{"doc": 7, "run": "é", "quality": 1}, {"doc": 7, "run": "o", "quality": 2, "who": "eve"}]
    path = write_lines(tmp_path / "judged.jsonl", rows)
    found = read_judgements(path, {"id": "doc", "system": "run", "rating": "quality", "rater": "who"})
    assert list(found.rows) == [Judgement("7", ("é",), None, 1.0), Judgement("7", ("o",), None, 2.0, "eve")]


def test_counts_of_references_are_judgements_of_them(tmp_path):
    path = write_lines(tmp_path / "counts.jsonl", [{"id": "a", "references": [["marée", 3], ["digue", 1]]}])
    found = read_judgements(path)
    assert (found.kind, [(row.phrase, row.rating) for row in found.rows]) == (
        "references", [("marée", 3.0), ("digue", 1.0)]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "code", "said"),
    [
        ([{"id": "a", "system": "é", "rating": "good"}], "not-a-number", "line 1: field 'rating' is 'good' (str)"),
        ([{"id": "a", "system": "é", "rating": [1]}], "wrong-type", "a rating must be a number"),
        ([{"id": "a", "system": "é", "rating": True}], "wrong-type", "a rating must be a number"),
        ([{"id": "a", "system": "é", "rating": 1}] * 2, "repeated-judgement", "line 2: 'é' of document 'a' is judged"),
        ([{"id": "a", "system": "é", "rating": None}], "no-judgements", "holds no judgements with a rating"),
        ([{"id": None, "system": "é", "rating": 1}], "wrong-type", "an id must be a string or a whole number"),
        ([{"id": "a", "system": "é", "phrase": " ", "rating": 1}], "blank", "must be a phrase"),
        ([{"id": "a", "system_a": "é", "system_b": "o", "winner": "x"}], "not-allowed", "it must be 'é', 'o' or 'tie'"),
        ([{"id": "a", "system_a": "é", "system_b": "é", "winner": "é"}], "same-system", "compares 'é' with itself"),
        ([{"id": "a", "predictions": ["x"]}], "missing-field", "has no judgements; it has id, predictions"),
        ([{"id": "a", "references": ["x"]}], "missing-field", "has no judgements"),
    ],
)
def test_what_is_wrong_with_judgements_is_said(rows, code, said, tmp_path):
    with pytest.raises(InputError) as error:
        read_judgements(write_lines(tmp_path / "judged.jsonl", rows))
    assert error.value.code == code
    assert said in str(error.value)


def test_unknown_fields_are_named(tmp_path):
    path = write_lines(tmp_path / "judged.jsonl", ROWS["lists"])
    with pytest.raises(InputError, match="has no field stars"):
        read_judgements(path, {"rating": "stars"})
    with pytest.raises(InputError, match="known are id, system"):
        read_judgements(path, {"stars": "rating"})


def test_what_has_no_counterpart_is_left_out_and_counted_in_both_directions():
    rows = lists({"tout": 3, "moitié": 2, "rien": 1}, ids=["a", "b", "elsewhere"]) + lists({"absent": 9}, ids=["a"])
    found = agree(Judgements("lists", rows, missing=2), scored(), IDS, keys=["f1@M"], settings=QUICK)
    assert found.left_out == {
        "judgements without a rating": 2,
        "judged documents without predictions": 1,
        "judged systems without predictions": 1,
        "judgements of what was not predicted": 4,
        "documents without judgements": 2,
        "systems without judgements": 1,
        "lists without judgements": 16 - 6,
    }
    assert found.examples["systems without judgements"] == ["mixte"]
    assert found.lists["f1@M"]["kendall"].value == 1.0
    assert any("far too few for a verdict" in note for note in found.notes)
    assert json.loads(json.dumps(found.to_dict()))["left_out"]["judgements of what was not predicted"]["n"] == 4


def test_judgements_of_nothing_that_is_scored_are_an_error():
    with pytest.raises(InputError) as error:
        agree(Judgements("lists", lists({"absent": 1})), scored(), IDS, settings=QUICK)
    assert error.value.code == "unknown-system"
    with pytest.raises(InputError) as error:
        agree(Judgements("lists", lists({"tout": 1}, ids=["z"])), scored(), IDS, settings=QUICK)
    assert error.value.code == "unknown-documents"
    with pytest.raises(InputError) as error:
        agree(Judgements("lists", lists({"tout": 1})), scored(), ["a", "b"], settings=QUICK)
    assert error.value.code == "lengths-differ"
    with pytest.raises(InputError) as error:
        agree(Judgements("lists", lists({"tout": 1})), scored(), IDS, keys=["f1@9"], settings=QUICK)
    assert error.value.code == "unknown-key"


def test_raters_one_several_and_none():
    one = agree(Judgements("lists", lists({"tout": 3, "rien": 1}, rater="eve")), scored(), IDS, settings=QUICK)
    assert one.alpha.value is None
    assert "all judgements are by 'eve'" in one.alpha.reason
    rows = lists({"tout": 3, "rien": 1}, rater="eve") + lists({"tout": 3, "rien": 1}, rater="mo")
    assert agree(Judgements("lists", rows), scored(), IDS, settings=QUICK).alpha.value == 1.0
    rows[0] = rows[0]._replace(rating=1.0)
    found = agree(Judgements("lists", rows), scored(), IDS, settings=QUICK)
    assert 0 < found.alpha.value < 1
    assert found.ratings[0, 0] == 2.0  # the mean of both raters


def test_pairs_are_compared_as_they_were_judged():
    rows = [
        Judgement("a", ("moitié", "tout"), None, -1.0),
        Judgement("b", ("moitié", "tout"), None, 0.0),
        Judgement("a", ("rien", "tout"), None, -1.0),
        Judgement("c", ("rien", "tout"), None, 1.0),
    ]
    found = agree(Judgements("pairs", rows), scored(), IDS, keys=["f1@M"], settings=QUICK)
    # a: the score agrees on both; b: it ties the two, as people do; c: it disagrees
    assert found.lists["f1@M"]["document_accuracy"].value == pytest.approx((1 + 1 + 0) / 3)
    assert found.ratings[0].tolist()[:3] == [1.0, 0.0, 0.0]
    assert [each.systems for each in found.disagreements] == [("tout", "rien")]


PHRASES = [
    Judgement("a", ("mixte",), "énergies solaires", 2.0),
    Judgement("c", ("mixte",), "y", 0.0),
    Judgement("c", ("mixte",), "houle", 2.0),
    Judgement("d", ("mixte",), "Éoliennes", 2.0),
    Judgement("d", ("mixte",), "never predicted", 1.0),
    *(Judgement(each, ("rien",), "x", 0.0) for each in "abc"),
    Judgement("d", ("rien",), "y", 1.0),
]


def test_phrases_are_joined_as_the_metric_takes_them_and_told_apart_by_kind():
    found = agree(Judgements("phrases", PHRASES), scored(), IDS, keys=["recall@M"], settings=QUICK)
    level = found.phrases["recall@M"]
    assert {kind: of.n for kind, of in level.kinds.items()} == {"all": 8, "exact": 3, "none": 5}
    assert level.kinds["exact"].mean_rating.value == 2.0
    assert level.kinds["none"].mean_rating.value == pytest.approx(0.2)
    assert level.kinds["none"].statistics["rank_correlation"].value is None
    assert level.kinds["none"].statistics["rank_correlation"].reason == "all are paid the same"
    assert level.calibration[0].n == 5
    assert found.left_out["judged phrases that recall@M does not pay for"] == 1
    assert found.left_out["predicted phrases without judgements"] == 6 + 4 + 4 + 1
    assert found.ratings[3, 3] == 1.5  # of the list: the mean of its judged phrases
    assert [each.phrase for each in found.phrase_disagreements] == ["y"]  # paid nothing, and rated 1


def test_auc_of_phrases_by_hand():
    """Good are four (2, 2, 2, 1), of which three are paid 0.5, 0.5 or 1 and one nothing; all others nothing."""
    found = agree(
        Judgements("phrases", PHRASES), scored(), IDS, keys=["f1@M"], settings=AgreementSettings(resamples=1, good=1)
    )
    assert found.phrases["f1@M"].kinds["all"].statistics["auc"].value == pytest.approx((3 * 4 + 0.5 * 4) / 16)


def test_references_are_rated_whoever_predicts_them():
    rows = [Judgement("a", (), "énergie solaire", 3.0), Judgement("a", (), "brouillard", 1.0)]
    rows += [Judgement("c", (), "houle", 2.0)]
    settings = AgreementSettings(resamples=20, permutations=20, unlisted=0.0)
    found = agree(Judgements("references", rows), scored(), IDS, keys=["f1@M"], settings=settings)
    assert found.phrases["f1@M"].kinds["none"].mean_rating.value == 0.0
    assert found.ratings[0].tolist() == [2.0, 3.0, 0.0, 3.0]
    assert np.isnan(found.ratings[1]).all()  # no reference of that document is judged
    without = agree(Judgements("references", rows), scored(), IDS, keys=["f1@M"], settings=QUICK)
    assert set(without.phrases["f1@M"].kinds) == {"all", "exact"}


def test_scores_that_do_not_pay_phrases_say_so():
    found = agree(
        Judgements("phrases", PHRASES),
        scored(["keyphrase_rouge(rouge_tokenizer=unicode)"]),
        IDS,
        keys=["rouge1"],
        settings=QUICK,
    )
    assert found.no_credit == {"rouge1": "it does not pay phrases one by one"}
    assert found.phrases == {}


def test_constant_metrics_and_single_systems_are_not_an_error():
    same = dict.fromkeys(("tout", "moitié", "rien"), REFERENCES)
    rows = Judgements("lists", lists({"tout": 3, "moitié": 2, "rien": 1}))
    found = agree(rows, scored(systems=same), IDS, keys=["f1@M", "recall@M"], settings=QUICK)
    assert found.lists["f1@M"]["kendall"].value is None
    assert found.lists["f1@M"]["soft_pairwise_accuracy"].value is not None
    assert "kendall" not in found.tests
    assert found.tests["document_accuracy"][0].test.p == 1.0
    alone = agree(rows, scored(systems={"tout": REFERENCES}), IDS, settings=QUICK)
    assert {each.value for of in alone.lists.values() for each in of.values()} == {None}
    for form in FORMS:
        assert written_tables(alone, form)
    assert json.dumps(alone.to_dict(), allow_nan=False)
    assert list(tables(alone)) == ["left_out"]


@pytest.fixture
def at_root(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "120")


COMMAND = [
    "agree", "examples/agreement/judged/lists.jsonl", *EXAMPLES, "--references", "examples/references.jsonl",
    "--metrics", "keyphrase_f1(cutoffs=[5,M])", "--keys", "f1@5", "f1@M", "--resamples", "100", "--permutations", "100",
]  # fmt: skip


def test_the_command_shows_and_writes_what_was_found(at_root, tmp_path, capsys):
    assert cli.main([*COMMAND, "--output", str(tmp_path / "found.json")]) == 0
    shown = capsys.readouterr().out
    assert "Krippendorff’s α (ordinal)" in shown
    assert "far too few for a verdict" in shown
    assert cli.main([*COMMAND, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    written = json.loads((tmp_path / "found.json").read_text())
    assert printed["agreement"] == written["agreement"]
    assert printed["agreement"]["judgements"] | {"alpha": None} == {
        "kind": "lists", "n": 94, "raters": ["ana", "ben"], "alpha": None
    }  # fmt: skip
    assert len(printed["agreement"]["tests"]["kendall"]) == 1
    assert cli.main([*COMMAND, "--format", "latex"]) == 0
    latex = capsys.readouterr().out
    assert latex.count(r"\begin{table*}") == latex.count(r"\end{table*}") > 2
    assert r"f1@5 & " in latex
    assert r"Kendall's $\tau${-}b" in latex
    assert "".join(line for line in latex.splitlines() if not line.startswith("%")).isascii()
    assert cli.main([*COMMAND, "--output", str(tmp_path / "found.csv")]) == 0
    rows = list(csv.DictReader((tmp_path / "found.csv").open()))
    value = next(row["value"] for row in rows if (row["score"], row["statistic"]) == ("f1@M", "kendall"))
    assert float(value) == printed["agreement"]["lists"]["f1@M"]["kendall"]["value"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["agree"], "give JUDGEMENTS and at least one FILE with predictions"),
        (["agree", "examples/extractor.jsonl", *EXAMPLES], "has no judgements; it has id, predictions"),
        ([*COMMAND, "--level", "ratio"], "--level 'ratio' is not allowed; choose ordinal, interval, nominal"),
        ([*COMMAND, "--resamples", "3"], "--resamples 3 is not allowed; give 100 to 1,000,000"),
        ([*COMMAND, "--confidence", "2"], "--confidence 2 is not allowed"),
        ([*COMMAND, "--judgement-field", "rating"], "--judgement-field 'rating' cannot be read; write KEY=FIELD"),
        ([*COMMAND, "--judgement-field", "rating=stars"], "has no field stars (rating)"),
        ([*COMMAND, "--judgement-field", "stars=rating"], "--judgement-field has 'stars'; known are id, system"),
        ([*COMMAND, "--format", "word"], "--format 'word' is not known"),
        ([*COMMAND, "--figures", "README.md"], "is not a folder"),
        ([*COMMAND, "--keys", "f1@9"], "--keys names 'f1@9', which is not a score"),
        ([*COMMAND, "--output", "examples/agreement/judged/lists.jsonl"], "its suffix is not known"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(arguments, said, at_root, capsys):
    assert cli.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert said in err


def test_figures_are_equal_bytes_for_equal_input_with_their_numbers_beside(at_root, tmp_path):
    """In two processes, since fonts and ids depend on the process where anything does."""
    phrases = ["agree", "examples/agreement/judged/phrases.jsonl", *COMMAND[2:]]
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        for command in (COMMAND, phrases):
            figures = folder / Path(command[1]).stem
            figures.mkdir(parents=True)
            program = [sys.executable, "-m", "keyphrase_metrics", *command, "--figures", str(figures)]
            subprocess.run(program, check=True, capture_output=True)
    files = {path.relative_to(folders[0]): path.read_bytes() for path in folders[0].rglob("*.*")}
    assert files == {path.relative_to(folders[1]): path.read_bytes() for path in folders[1].rglob("*.*")}
    assert {path.name for path in files} == {
        f"{name}.{form}" for name in ("agreement", "systems", "calibration") for form in ("pdf", "svg", "png", "csv")
    }
    for path, content in files.items():
        start = {".pdf": b"%PDF", ".svg": b"<?xml", ".png": b"\x89PNG", ".csv": b"level,"}[path.suffix]
        assert content.startswith(start) or path.suffix == ".csv"
        assert b"Matplotlib v" not in content


def convert(kind, rows, folder):
    source = write_lines(folder / "source.jsonl", rows)
    program = [sys.executable, str(ROOT / "examples" / "agreement" / "convert.py"), kind, source, str(folder / kind)]
    subprocess.run(program, check=True)
    read = ((path.stem, path.read_text("utf-8").splitlines()) for path in (folder / kind).iterdir())
    return {name: [json.loads(line) for line in lines] for name, lines in read}


def test_the_converter_makes_files_that_the_command_reads(tmp_path, capsys):
    nested = {
        "id": "é1", "titles": {"fr": "La marée"}, "abstract": ["Énergie", "et houle."],
        "references": [{"id": "r1", "phrase": "marée"}, {"id": "r2", "phrase": "houle"}],
        "systems": [
            {
                "tools": [f"lab:notice:{name}:x"],
                "keyphrases": [
                    {"rank": 2, "phrase": "x", "pertinence": 0}, {"rank": 1, "phrase": phrase, "pertinence": 2}
                ],
                "silence": [{"score": 2}, {"score": 1}],
            }
            for name, phrase in (("tfidf", "marée"), ("kea", "houles"))
        ],
    }  # fmt: skip
    found = convert("termith", [nested], tmp_path)
    assert found["tfidf"] == [{"id": "é1", "predictions": ["marée", "x"]}]
    assert found["missed"][0] == {"id": "é1", "system": "tfidf", "rating": -1.5}
    folder = tmp_path / "termith"
    files = [str(folder / f"{name}.jsonl") for name in ("phrases", "tfidf", "kea")]
    options = ["--references", str(folder / "references.jsonl"), "--language", "fr", "--metrics", "r_precision"]
    assert cli.main(["agree", *files, *options, "--resamples", "100", "--permutations", "100", "--json"]) == 0
    phrases = json.loads(capsys.readouterr().out)["agreement"]["phrases"]["r_precision"]
    assert phrases["kinds"]["exact"]["mean_rating"]["value"] == 2.0


def test_the_converter_counts_no_vote_twice(tmp_path):
    row = {"id": "a", "annotators": {"one": ["x"], "two": ["x", "y"], "three": ["x"], "four": ["x"], "five": ["y"]}}
    found = convert("teams", [row], tmp_path)
    assert found["one"] == [{"id": "a", "predictions": ["x"], "references": [["x", 2], ["y", 1]]}]  # two and four
    assert next(each for each in found["judged"] if each["system"] == "one")["rating"] == 1  # three, not five
    votes = [["wave power", 3], ["sea", 5], [" ", 9]]
    counted = {"id": "a", "text": "Wave power of Wave power in Norway", "references": votes}
    made = convert("counts", [counted], tmp_path)
    assert made["frequent_bigrams"] == [{"id": "a", "predictions": ["wave power"]}]
    assert made["references"][0]["references"] == ["sea", "wave power"]
    assert made["judged"][0] == {"id": "a", "phrase": "sea", "rating": 5}


@pytest.mark.browser
def test_the_page_needs_nothing_and_escapes_what_users_give(browser, serious_findings, tmp_path):
    """No script, no request; phrases and systems with markup are text; examples are shown phrase by phrase."""
    ids, systems = [f"<i>{each}" for each in "abc"], {"<b>one": [["x & <u>"]] * 3, "two": [["marée"]] * 3}
    references = write_lines(tmp_path / "references.jsonl", [{"id": each, "references": ["marée"]} for each in ids])
    run = [
        {"id": each, "predictions": {name: lists[at] for name, lists in systems.items()}} for at, each in enumerate(ids)
    ]
    phrases = [
        {"id": each, "system": name, "phrase": lists[at][0], "rating": at + (name == "<b>one")}
        for name, lists in systems.items()
        for at, each in enumerate(ids)
    ]
    files = [write_lines(tmp_path / "judged.jsonl", phrases), write_lines(tmp_path / "run.jsonl", run)]
    page = tmp_path / "page.html"
    options = ["--references", references, "--language", "fr", "--resamples", "100", "--permutations", "100"]
    assert cli.main(["agree", *files, *options, "--metrics", "r_precision", "--report", str(page)]) == 0
    html = page.read_text("utf-8")
    assert "<script" not in html
    assert "default-src 'none'" in html
    view, said = browser.new_page(), []
    view.on("console", lambda message: said.append(message.text))
    view.on("request", lambda request: said.append(request.url) if request.url.startswith("http") else None)
    view.goto(page.as_uri())
    headings = ["Lists", "Phrases", "Which score agrees better", "Where they disagree", "How this was made"]
    assert view.locator("main section h2").all_inner_texts() == headings
    assert view.locator("section#disagreements article h4").first.inner_text().startswith("<i>")
    assert "<b>one" in view.locator("section#disagreements").inner_text()
    assert view.locator("section#phrases figure svg").count() >= 3
    assert serious_findings(view) == []
    view.close()
    assert said == []
