"""The registry of published results: what it holds, what it refuses, and what may stand side by side."""

import csv
import io
import json
import shutil
from collections import Counter
from importlib import resources
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import keyphrase_metrics
from keyphrase_metrics import published
from keyphrase_metrics.compare.q10 import QUESTIONS, Difference, Record
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.metrics.spec import Metric
from keyphrase_metrics.published.comparability import EVALUATION, EXTRACTION
from keyphrase_metrics.published.listing import QUOTATION
from keyphrase_metrics.published.rows import RESULT_COLUMNS

REGISTRY = published.load()
F, JCDL = REGISTRY.methods["popova2025q10:F"], "gallina2020jcdl:all"
# Popova (2025), Table 3, Inspec: F, F+, S, S++; typed from the paper.
TABLE_3 = {
    "FirstPhrases": (30.1, 31.3, 33.4, 49.0),
    "TextRank": (37.3, 38.5, 40.9, 47.2),
    "SingleRank": (36.5, 38.4, 40.9, 47.8),
    "TopicRank": (29.6, 31.4, 33.4, 47.3),
    "MultipartiteRank": (30.5, 32.4, 34.5, 48.7),
    "PositionRank": (34.8, 36.9, 39.3, 47.7),
    "TopicalPageRank": (36.3, 38.1, 40.5, 47.8),
    "TfIdf": (36.3, 39.2, 41.7, 48.8),
    "KPMiner": (35.1, 37.2, 39.6, 48.8),
    "YAKE": (36.0, 38.7, 41.2, 48.2),
}
FIVE = ("FirstPhrases", "TextRank", "TfIdf", "PositionRank", "MultipartiteRank")


def rows(**wanted):
    return [row for row in REGISTRY.scores if all(getattr(row, name) == value for name, value in wanted.items())]


def test_holds_what_was_collected():
    counted = Counter(row.source for row in REGISTRY.scores)
    assert (len(REGISTRY.scores), len(counted), len(REGISTRY.sources)) == (14_291, 10, 15)
    assert counted["gallina2020jcdl"], counted["popova2025q10"] == (5565, 315)


def test_repeats_a_table_of_the_paper():
    for system, values in TABLE_3.items():
        for method, value in zip(("F", "F+", "S", "S++"), values, strict=True):
            (row,) = rows(
                source="popova2025q10",
                table="Table 3",
                dataset="inspec",
                system=system,
                method=f"popova2025q10:{method}",
            )
            assert (row.value, row.score) == (value, "f1@10")


def test_quotations_repeat_their_originals():
    quotations = [row for row in REGISTRY.scores if row.original is not None]
    assert len(quotations) > 200
    for row in quotations:
        original = REGISTRY.score(row.original)
        assert original.original is None
        assert (original.metric, original.cutoff, original.scope) == (row.metric, row.cutoff, row.scope)
        assert original.system == row.system
        assert abs(original.value - row.value) < 0.0501 or row.doubt is not None


def test_effects_are_those_of_the_rows_but_for_two_doubts():
    far = {
        (effect.dataset, effect.from_method)
        for effect in REGISTRY.effects
        if effect.printed is not None and abs(published.effect_size(REGISTRY, effect) - effect.printed) > 0.6
    }
    assert far == {("semeval2010", "popova2025q10:F"), ("semeval2010", "popova2025q10:S")}


def test_specs_are_metrics_and_their_signatures_agree_with_the_answers():
    specs = [method for method in REGISTRY.methods.values() if method.spec is not None]
    assert len(specs) >= 10
    for method in specs:
        signed = Record.of(Metric.parse(method.spec).measure.signature()).answers
        for question in ("Q-1", "Q-2", "Q-3"):
            for part, answer in method.answers.get(question, {}).items():
                if part != "score" and (question, part) != ("Q-2", "predictions"):
                    assert signed[question][part] == answer, (method.id, question, part)


@pytest.mark.parametrize(("dataset", "score"), [("inspec", "f1@10"), ("kp20k", "f1@10")])
def test_table_5_same_evaluation_on_abstracts(dataset, score):
    _, like = published.of_method(REGISTRY, F, f"{dataset}:{'uncontrolled' if dataset == 'inspec' else 'author'}")
    listing = published.find(REGISTRY, dataset, score, like, systems=FIVE, quotations=True)
    same = {(row.score.source, row.score.system) for row in listing.with_finding(Difference.SAME)}
    assert {(source, system) for source in ("gallina2020jcdl", "popova2025q10") for system in FIVE} <= same


@pytest.mark.parametrize(("dataset", "text"), [("semeval2010", "title_abstract"), ("pubmed", "first_1200_characters")])
def test_table_5_another_evaluation_on_full_texts(dataset, text):
    own = published.comparability.completed(REGISTRY, Record(F.answers_on(dataset)), dataset, None, text)
    listing = published.find(REGISTRY, dataset, "f1@10", own, systems=FIVE)
    found = [row for row in listing.rows if row.score.method == JCDL]
    assert {row.score.system for row in found} == set(FIVE)
    for row in found:
        assert row.verdict.evaluation.finding == Difference.DIFFERENT
        assert "Q-9.length" in {part.name for part in row.verdict.evaluation.different}


def test_a_difference_names_its_size():
    _, like = published.of_method(REGISTRY, F, "inspec:uncontrolled")
    listing = published.find(REGISTRY, "inspec", "f1@10", like)
    for method, size in (("S", 12.0), ("F+", None)):
        row = next(row for row in listing.rows if row.score.method == f"popova2025q10:{method}")
        ((effect, recomputed),) = published.effect_of(REGISTRY, "inspec", row.verdict.evaluation)
        assert (effect.to_method, effect.printed) == (f"popova2025q10:{method}", size)
        pairs = [(TABLE_3[name][0], TABLE_3[name][2 if method == "S" else 1]) for name in TABLE_3]
        assert recomputed == pytest.approx(sum(200 * (b - a) / (a + b) for a, b in pairs) / 10)


PARTS = [(question.key, part) for question in QUESTIONS for part in question.parts if question.key != "evaluator"]
ANSWERS = {f"{key}.{part.name}": part.kind.choices or (True, False) for key, part in PARTS}
FREE = ("x", "y")
NUMBERS = ("Q-7.documents",)


@st.composite
def records(draw):
    answers = {}
    for key, part in PARTS:
        name = f"{key}.{part.name}"
        values = (1, 2) if name in NUMBERS else part.kind.choices or _values(part)
        answers.setdefault(key, {})[part.name] = draw(st.sampled_from((None, *values[:2])))
    answers["Q-2"]["score"] = "F1"
    return Record(answers)


def _values(part):
    for values in ((True, False), FREE):
        try:
            part.kind.check(values[0])
        except ValueError:
            continue
        return values
    raise AssertionError(part)


@given(records(), records())
def test_verdicts_are_those_of_brute_force(a, b):
    verdict = published.verdict(published.Compared(a), published.Compared(b))
    other = published.verdict(published.Compared(b), published.Compared(a))
    for side, reverse, keys in (
        (verdict.evaluation, other.evaluation, EVALUATION),
        (verdict.extraction, other.extraction, EXTRACTION),
    ):
        different = unknown = False
        for key, part in PARTS:
            if key in keys and all(part.asked(record.answers) for record in (a, b)):
                answers = [record.answers[key][part.name] for record in (a, b)]
                unknown |= None in answers
                different |= None not in answers and answers[0] != answers[1]
        expected = Difference.DIFFERENT if different else Difference.NOT_SAID if unknown else Difference.SAME
        assert side.finding == reverse.finding == expected
        if side.finding == Difference.SAME:
            assert not side.unknown


def test_systems_that_extract_nothing_are_not_asked_for_candidates():
    a, b = (published.Compared(Record(F.answers), kind=kind) for kind in ("extraction", "generation"))
    assert published.verdict(a, b).extraction is None
    assert published.verdict(a, a).extraction is not None


def test_padding_is_asked_only_where_it_matters():
    a, b = (
        Record({**F.answers, "Q-2": {**F.answers["Q-2"], "score": "F1", "short_lists": lists}})
        for lists in ("padded", "as_given")
    )
    different = {
        (metric, cutoff): "Q-2.short_lists"
        in {
            part.name
            for part in published.verdict(
                published.Compared(a), published.Compared(b), metric, cutoff
            ).evaluation.different
        }
        for metric, cutoff in (("f1", 10), ("precision", 5), ("f1", "M"), ("recall", 5), ("map", None))
    }
    assert [key for key, asked in different.items() if asked] == [("f1", 10), ("precision", 5)]


def test_groups_are_equal_evaluations():
    listing = published.find(REGISTRY, "inspec", "f1@10")
    first = {
        number: next(row for row in listing.rows if row.group == number) for number in {r.group for r in listing.rows}
    }
    for row in listing.rows:
        one, two = (published.compared(REGISTRY, each.score) for each in (row, first[row.group]))
        assert not published.verdict(one, two).evaluation.different
    complete = [number for number in first if not listing.groups[number - 1]]
    assert len(complete) >= 6
    for one, two in combinations(complete, 2):
        a, b = first[one].score, first[two].score
        verdict = published.verdict(*(published.compared(REGISTRY, score) for score in (a, b)))
        assert verdict.evaluation.different or a.scope != b.scope


def test_listings_count_what_they_leave_out():
    _, like = published.of_method(REGISTRY, F, "inspec:uncontrolled")
    listing = published.find(REGISTRY, "inspec", "f1@10", like)
    everything = published.find(REGISTRY, "inspec", "f1@10", like, quotations=True)
    assert len(listing.rows) + sum(listing.left_out.values()) == len(rows(dataset="inspec"))
    hidden = listing.left_out[QUOTATION]
    assert len(everything.rows) - len(listing.rows) == hidden > 10


def test_own_scores_of_a_named_data_set():
    documents = 500
    scores = keyphrase_metrics.score([["fog"]] * documents, [["fog"]] * documents, metrics=["keyphrase_f1(preset=F)"])
    dataset, own = published.of_result(REGISTRY, scores["keyphrase_f1(preset=F)"], "Inspec:uncontrolled")
    listing = published.find(REGISTRY, dataset, "f1@10", own)
    same = listing.with_finding(Difference.SAME)
    assert {row.score.source for row in same} == {"popova2025q10", "gallina2020jcdl", "boudin2022pkebench"}
    assert own.derived >= {"Q-7.test_set", "Q-7.documents", "Q-10.assigned_by"}

    fewer = keyphrase_metrics.score([["fog"]], [["fog"]], metrics=["keyphrase_f1(preset=F)"])
    _, own = published.of_result(REGISTRY, fewer["keyphrase_f1(preset=F)"], "Inspec:uncontrolled")
    assert not published.find(REGISTRY, dataset, "f1@10", own).with_finding(Difference.SAME)


@pytest.mark.parametrize("answer", ["test", "Inspec, test", "the test set", "Test split of Inspec"])
def test_free_words_for_the_test_set(answer):
    record = Record({**F.answers, "Q-7": {"test_set": answer, "documents": 500}})
    _, own = published.of_record(REGISTRY, record, "inspec:uncontrolled")
    assert own.record.answers["Q-7"]["test_set"] == "test"


def test_free_words_that_mean_something_else_stay():
    record = Record({"Q-7": {"test_set": "training and test"}, "Q-9": {"texts": "Titles and abstracts"}})
    _, own = published.of_record(REGISTRY, record, "kp20k")
    assert own.record.answers["Q-7"]["test_set"] == "training and test"
    assert own.record.answers["Q-9"] == {"length": "short", "texts": "title_abstract"}


# A lab's own folder.

TOML = """title = "Ours"
citation = "@misc{lab2026, title = {Ours}}"
[methods.main]
title = "as F"
[methods.main.answers]
Q-1 = { gold_standard = "long" }
"""
ROW = dict.fromkeys(RESULT_COLUMNS, "") | {
    "row": "1",
    "method": "main",
    "table": "Table 1",
    "dataset": "inspec",
    "references": "uncontrolled",
    "text": "title_abstract",
    "system": "TextRank",
    "metric": "f1",
    "cutoff": "10",
    "scope": "all",
    "value": "35.5",
}


def folder(tmp_path, *given, toml=TOML, **files):
    (tmp_path / "sources").mkdir(parents=True)
    (tmp_path / "results").mkdir()
    (tmp_path / "sources/lab2026.toml").write_text(toml, encoding="utf-8")
    text = io.StringIO()
    writer = csv.DictWriter(text, RESULT_COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(given or [ROW])
    (tmp_path / "results/lab2026.csv").write_text(text.getvalue(), encoding="utf-8")
    for name, content in files.items():
        (tmp_path / f"{name}.toml").write_text(content, encoding="utf-8")
    return tmp_path


def test_a_folder_stands_beside_ours(tmp_path):
    registry = published.load([folder(tmp_path)])
    (row,) = [row for row in registry.scores if row.source == "lab2026"]
    assert (row.value, row.score, row.method, row.id) == (35.5, "f1@10", "lab2026:main", "lab2026#1")
    assert len(registry.scores) == len(REGISTRY.scores) + 1
    assert len(published.load().scores) == len(REGISTRY.scores)


def test_a_cell_may_have_what_stands_above_it(tmp_path):
    below = dict.fromkeys(RESULT_COLUMNS, "^") | {"row": "", "cutoff": "5", "value": "30.1"}
    registry = published.load([folder(tmp_path / "short", ROW, below, below | {"cutoff": "15", "unit": ""})])
    written = [ROW | {"row": str(row), "cutoff": k} for row, k in enumerate(("10", "5", "15"), 1)]
    for row in written[1:]:
        row["value"] = "30.1"
    whole = published.load([folder(tmp_path / "whole", *written)])
    assert [row for row in registry.scores if row.source == "lab2026"] == [
        row for row in whole.scores if row.source == "lab2026"
    ]
    with pytest.raises(InputError, match="has '\\^', and no row above"):
        published.load([folder(tmp_path / "first", below)])


def test_a_folder_is_read_anew(tmp_path):
    path = folder(tmp_path)
    before = published.load([path])
    rows = tmp_path / "results/lab2026.csv"
    rows.write_text(rows.read_text("utf-8").rpartition("\n")[0].rpartition("\n")[0] + "\n", encoding="utf-8")
    after = published.load([path])
    assert len(before.scores) - len(after.scores) == 1
    assert len(after.scores) == len(published.load().scores) == len(REGISTRY.scores)


def test_a_folder_cannot_change_ours(tmp_path):
    data = resources.files(published) / "data"
    for name in ("sources/popova2025q10.toml", "results/popova2025q10.csv"):
        target = tmp_path / name
        target.parent.mkdir()
        shutil.copy(data / name, target)
    with pytest.raises(InputError, match="popova2025q10' is in the registry already"):
        published.load([tmp_path])


def changed(**cells):
    return {**ROW, **cells}


@pytest.mark.parametrize(
    ("cells", "code", "said"),
    [
        ({"value": "n/a"}, "not-a-number", "value is 'n/a', not a number"),
        ({"value": "nan"}, "not-a-number", "not a number"),
        ({"value": ""}, "not-a-number", "not a number"),
        ({"value": "100.1"}, "out-of-range", "not from 0 to 100 %"),
        ({"value": "1.01", "unit": "fraction"}, "out-of-range", "not from 0 to 100 %"),
        ({"value": "-1"}, "out-of-range", "not from 0 to 100 %"),
        ({"dataset": "inspect"}, "unknown-dataset", "there is no data set 'inspect'"),
        ({"dataset": "(average of six)"}, "mean-of-datasets", "is a mean over data sets"),
        ({"dataset": "AVG"}, "mean-of-datasets", "is a mean over data sets"),
        ({"references": "author"}, "unknown-references", "it has uncontrolled, controlled"),
        ({"text": "full"}, "unknown-text", "inspec has no text 'full'"),
        ({"system": "TextRank+"}, "unknown-system", "'TextRank+' is not in systems.toml"),
        ({"method": "other"}, "unknown-method", "there is no method 'lab2026:other'"),
        ({"scope": "some"}, "not-allowed", "scope is 'some'"),
        ({"cutoff": "0"}, "not-allowed", "cutoff is '0'"),
        ({"metric": "F1"}, "not-allowed", "metric is 'F1'"),
        ({"unit": "points"}, "not-allowed", "unit is 'points'"),
        ({"row": "one"}, "not-a-number", "row is 'one'"),
        ({"value": "3_5"}, "not-a-number", "value is '3_5', not a number"),
        ({"value": "３５"}, "not-a-number", "not a number"),
        ({"value": "1e1"}, "not-a-number", "not a number"),
        ({"original": "nosuch#1"}, "unknown-score", "its original 'nosuch#1' is not here"),
        ({"original": "lab2026#2"}, "unknown-score", "its original 'lab2026#2' is not here"),
        ({"original": "popova2025q10#14", "metric": "map"}, "another-score", "is all f1@10 on inspec"),
    ],
)
def test_a_wrong_row_is_refused(tmp_path, cells, code, said):
    with pytest.raises(InputError) as refused:
        published.load([folder(tmp_path, ROW, changed(row="2", table="2") | cells)])
    assert (refused.value.code, refused.value.place) == (code, f"{tmp_path}/results/lab2026.csv, line 3")
    assert said in str(refused.value)


def test_a_row_without_a_number_has_that_after_the_row_above(tmp_path):
    given = [ROW | {"row": number, "table": str(place)} for place, number in enumerate(["", "", "7", ""])]
    found = [score.row for score in published.load([folder(tmp_path, *given)]).scores if score.source == "lab2026"]
    assert found == [1, 2, 7, 8]


def test_a_repeated_key_is_refused_unless_the_source_repeats_it(tmp_path):
    with pytest.raises(InputError, match=r"line 3: repeats line 2"):
        published.load([folder(tmp_path / "a", ROW, changed(row="2", value="36"))])
    with pytest.raises(InputError, match=r"line 3: repeats line 2"):
        published.load([folder(tmp_path / "b", ROW, changed(table="2"))])
    doubted = changed(row="2", value="36", doubt="printed twice")
    assert len(published.load([folder(tmp_path / "c", ROW, doubted)]).scores) == len(REGISTRY.scores) + 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Q-1 =", "Q-11 =", "'Q-11' is not a question"),
        ("gold_standard", "gold", "Q-1 has no answer 'gold'"),
        ('"long"', '"longest"', "Q-1.gold_standard is 'longest'"),
        ('title = "as F"', "", "lacks title"),
        ("lab2026,", "other,", "its citation has not the file's name 'lab2026'"),
        ('title = "as F"', 'title = "as F"\ninherits = "main"', "inherits 'main'"),
        ('title = "as F"', 'title = "as F"\nspecs = "x"', "has no 'specs'"),
        ("[methods.main]", "[methods.main", "not valid TOML"),
    ],
)
def test_a_wrong_source_is_refused(tmp_path, old, new, said):
    assert old in TOML
    with pytest.raises(InputError) as refused:
        published.load([folder(tmp_path, toml=TOML.replace(old, new, 1))])
    assert said in str(refused.value)
    assert refused.value.place == f"{tmp_path}/sources/lab2026.toml"


def test_data_sets_of_a_folder(tmp_path):
    mean = '[mean]\nname = "average of five"\ncitation = "x"\nlanguage = "en"\n'
    with pytest.raises(InputError, match="does not name one data set"):
        published.load([folder(tmp_path / "a", datasets=mean)])
    taken = '[mine]\nname = "Mine"\naliases = ["KP-20k"]\ncitation = "x"\nlanguage = "en"\n'
    with pytest.raises(InputError, match="'KP-20k' is in the registry already"):
        published.load([folder(tmp_path / "b", datasets=taken)])
    mine = taken.replace("KP-20k", "m")
    assert published.load([folder(tmp_path / "c", datasets=mine)]).dataset("M").key == "mine"


def test_what_is_no_registry_is_refused(tmp_path):
    for path, code in ((tmp_path / "nothing", "unreadable"), (tmp_path, "not-a-registry")):
        with pytest.raises(InputError) as refused:
            published.load([path])
        assert refused.value.code == code


def test_names():
    assert REGISTRY.dataset("Hulth 2003").key == "inspec"
    assert REGISTRY.system("tf-idf").name == "TfIdf"
    assert {REGISTRY.system(name).name for name in ("SIFRank", "sifrank+")} == {"SIFRank", "SIFRank+"}
    for ask, name, said in (
        (REGISTRY.dataset, "inspek", "is it inspec?"),
        (REGISTRY.system, "SIFRank++", "SIFRank"),
        (REGISTRY.method, "popova2025q10", "several methods; use popova2025q10:F"),
        (REGISTRY.method, "popova:F", "there is no source"),
    ):
        with pytest.raises(InputError, match=said.replace("+", r"\+").replace("?", r"\?")):
            ask(name)


def test_recognizes_references_by_their_fingerprint(tmp_path):
    references = [["storm"], ["tide", "ebb"]]
    result = keyphrase_metrics.score([["storm"], ["ebb"]], references, metrics=["keyphrase_f1"])["keyphrase_f1"]
    data = (
        '[mine]\nname = "Mine"\ncitation = "x"\nlanguage = "en"\ntest_documents = 2\n'
        f'[mine.references.reader]\nassigned_by = "readers"\nfingerprints = {{ plain = "{result.data}" }}\n'
    )
    registry = published.load([folder(tmp_path, datasets=data)])
    dataset, own = published.of_result(registry, result)
    assert (dataset, own.record.answers["Q-7"]) == ("mine", {"test_set": "test", "documents": 2})
    assert own.record.answers["Q-10"]["assigned_by"] == "readers"
    with pytest.raises(InputError, match="are those of mine:reader, not of inspec"):
        published.of_result(registry, result, "inspec")
    with pytest.raises(InputError, match="of no data set that is known here"):
        published.of_result(REGISTRY, result)


@pytest.mark.parametrize(
    "answers",
    [
        {"Q-8": {"variant": "author"}},
        {"Q-7": {"documents": 1}},
        {"Q-7": {"test_set": "training"}},
        {"Q-10": {"assigned_by": "authors"}},
        {"Q-1": {"gold_standard": "short"}},
    ],
)
def test_answers_that_the_data_contradict_are_refused(tmp_path, answers):
    result = keyphrase_metrics.score([["storm"], ["ebb"]], [["storm"], ["tide"]], metrics=["keyphrase_f1"])
    data = (
        '[mine]\nname = "Mine"\ncitation = "x"\nlanguage = "en"\n[mine.references.author]\nassigned_by = "authors"\n'
        '[mine.references.reader]\nassigned_by = "readers"\n'
        f'fingerprints = {{ plain = "{result["keyphrase_f1"].data}" }}\n'
    )
    registry = published.load([folder(tmp_path, datasets=data)])
    with pytest.raises(InputError, match="answered twice"):
        published.of_result(registry, result["keyphrase_f1"], answers=Record(answers))


@pytest.mark.parametrize(
    ("more", "finding"),
    [
        ("", Difference.SAME),
        (",max_predictions=3", Difference.DIFFERENT),
        (",invalid_tokens=[system]", Difference.DIFFERENT),
        (",tokenizer=whitespace", Difference.SAME),
        (",keyphrases=present", Difference.DIFFERENT),
        (",average=micro", Difference.DIFFERENT),
        (",pad=True", Difference.DIFFERENT),
        (",stemmer=None", Difference.DIFFERENT),
    ],
)
def test_what_of_a_signature_counts(more, finding):
    spec = f"keyphrase_f1(preset=F{more})"
    documents = [["fog"]] * 500
    result = keyphrase_metrics.score(documents, documents, sources=["fog"] * 500, metrics=[spec])[spec]
    _, own = published.of_result(REGISTRY, result, "inspec:uncontrolled")
    listing = published.find(REGISTRY, "inspec", "f1@10", own)
    found = {row.verdict.evaluation.finding for row in listing.rows if row.score.method == F.id}
    assert found == {finding}


@pytest.mark.parametrize("dataset", ["www:author", "kdd", "krapivin", "pubmed"])
def test_matching_variants_is_nothing_where_there_are_none(dataset):
    own = Record({**F.answers, "Q-8": {"variants": "none"}, "Q-9": {"length": "short" if "k" in dataset[0] else None}})
    key, compared = published.of_record(REGISTRY, own, dataset)
    for row in published.find(REGISTRY, key, "f1@10", compared).rows:
        if row.score.method == JCDL:
            assert "Q-8.variants" not in {part.name for part in row.verdict.evaluation.different}


def test_a_score_of_other_keyphrases_is_refused():
    _, long = published.of_method(REGISTRY, F, "inspec:uncontrolled")
    with pytest.raises(InputError, match=r"gold standard of another kind \(long\)"):
        published.find(REGISTRY, "inspec", "present_f1@5", long)
    _, both = published.of_method(REGISTRY, REGISTRY.method("chan2019catseq2rf1"), "inspec")
    with pytest.raises(InputError, match="begin the score's name with present_ or absent_"):
        published.find(REGISTRY, "inspec", "f1@5", both)
    for scope in ("present", "absent"):
        listing = published.find(REGISTRY, "inspec", f"{scope}_f1@5", both)
        assert {row.score.scope for row in listing.with_finding(Difference.SAME)} == {scope}


def test_a_score_of_some_keyphrases_lists_these_only():
    listing = published.find(REGISTRY, "inspec", "present_f1@5", published.Compared(Record({})))
    assert {row.score.scope for row in listing.rows} == {"present"}
    listing = published.find(REGISTRY, "inspec", "f1@5", published.Compared(Record({})))
    assert {row.score.scope for row in listing.rows} == {"all", "present"}


def test_an_effect_without_rows_has_no_size(tmp_path):
    (tmp_path / "effects.csv").write_text(
        "source,table,dataset,metric,cutoff,from,to,questions,percent\n"
        "popova2025q10,Table 9,inspec,f1,10,popova2025q10:F,popova2025q10:S,Q-1 Q-2,40\n"
    )
    registry = published.load([folder(tmp_path)])
    _, like = published.of_method(registry, registry.methods[F.id], "inspec:uncontrolled")
    listing = published.find(registry, "inspec", "f1@10", like)
    row = next(row for row in listing.rows if row.score.method == "popova2025q10:S")
    ((effect, _),) = published.effect_of(registry, "inspec", row.verdict.evaluation)
    assert effect.table == "Table 3"
    assert published.effect_size(registry, registry.effects[-1]) is None


def test_rules_that_no_question_asks_stand_beside_the_rows():
    row = next(row for row in REGISTRY.scores if row.method == "gallina2020jcdl:present")
    assert any("decided by characters" in doubt for doubt in REGISTRY.doubts(row))


def test_methods_are_told_apart():
    assert json.dumps(REGISTRY.methods["popova2025q10:S"].answers_on("pubmed")["Q-7"]) == (
        '{"test_set": "first 500 documents", "documents": 500}'
    )
