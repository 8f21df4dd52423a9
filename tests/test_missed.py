"""Errors by kind: every kind by hand, against loops over phrases, and what holds for any lists."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.models import orthogonal_encoder
from support.pages import HOSTILE, Page
from support.strategies import inside, phrases, sources, stems, unique_stems

import keyphrase_metrics
from keyphrase_metrics.analysis import DataSet, analyze, errors_by_kind
from keyphrase_metrics.analysis.error_kinds import FATES, KINDS, THRESHOLD
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.reports.analysis import pictures, render

REFERENCES = [["neural network", "graph theory", "sea ice"], ["solar farm"]]
TEXTS = ["A neural network of ice in the sea, and fog", "Panels of a solar farm"]


def counts(found, system="one"):
    return {kind: number for kind, number in found.kinds_of(system).items() if number}


def classified(predicted, references=REFERENCES, texts=TEXTS, **more):
    return errors_by_kind({"one": predicted}, references, texts, **more)


class TestByHand:
    @pytest.mark.parametrize(
        ("phrase", "kind"),
        [
            ("Neural networks", "exact"),
            ("network", "part of a reference"),
            ("graph", "part of a reference"),
            ("deep neural network", "longer than a reference"),
            ("graph theory of nets", "longer than a reference"),
            ("deep network", "other modifier, same head"),
            ("recurrent net network", "other modifier, same head"),
            ("neural", "part of a reference"),
            ("neural nets", "absent from the text"),
            ("ice sea", "absent from the text"),
            ("fog", "wrong"),
            ("and fog", "wrong"),
        ],
    )
    def test_a_phrase_has_the_first_kind_that_holds(self, phrase, kind):
        assert counts(classified([[phrase], []])) == {kind: 1}

    def test_part_comes_before_longer_and_both_before_the_head(self):
        """“ice” is part of one reference, includes none; “old sea ice” includes one and shares the other's head."""
        found = classified([["ice", "old sea ice", "warm ice"], []], [["sea ice", "land ice", "old"], []])
        assert counts(found) == {
            "part of a reference": 1,
            "longer than a reference": 1,
            "other modifier, same head": 1,
        }
        both = classified([["b c"], []], [["a b c", "c"], []])
        assert counts(both) == {"part of a reference": 1}

    def test_the_other_document_s_references_do_not_count(self):
        assert counts(classified([["solar farm"], ["farm"]])) == {"absent from the text": 1, "part of a reference": 1}

    def test_without_texts_nothing_is_absent(self):
        found = classified([["ice age", "fog"], []], texts=None)
        assert counts(found) == {"wrong": 2}
        assert "absent from the text" not in found.kinds
        assert (found.categories, found.references.tolist()) == (("all",), [4])

    def test_repeats_are_counted_beside(self):
        found = classified([["networks", "network", "NETWORK"], ["fog"]])
        assert found.systems["one"].repeats == 2
        assert sum(found.kinds_of("one").values()) == 2

    def test_any_variant_of_a_reference_counts(self):
        references = [[["nn", "neural network"], "fog"], [["solar farm", "sun farm"]]]
        found = classified([["neural network", "deep nn"], ["farm"]], references)
        assert counts(found) == {"exact": 1, "longer than a reference": 1, "part of a reference": 1}
        assert found.fates_of("one")["found"] == {"present": 1, "reordered": 0, "mixed": 0, "unseen": 0}
        assert found.references.tolist() == [3, 0, 0, 0]  # the best category of a reference's variants

    def test_what_became_of_references(self):
        found = classified([["network", "deep graph theory", "thin ice", "old ice"], []])
        fates = {fate: sum(of.values()) for fate, of in found.fates_of("one").items()}
        assert fates == {"found": 0, "only a part": 1, "only longer": 1, "only its head": 1, "nothing like it": 1}

    def test_recall_by_category(self):
        """Present, reordered, mixed (network stands in the text) and unseen; two of the four are found."""
        references = [["neural network", "ice sea", "graph network", "moon base"], []]
        found = classified([["ice sea", "moon base", "fog"], []], references)
        assert found.references.tolist() == [1, 1, 1, 1]
        assert found.recall("one") == {"present": 0, "reordered": 1, "mixed": 0, "unseen": 1}
        assert classified([["fog"], []], [["fog"], []]).recall("one")["unseen"] is None

    def test_which_references_systems_miss(self):
        systems = {"a": [["fog", "rain"], ["fog"]], "b": [["fog"], ["hail"]], "c": [["x"], ["x fog"]]}
        found = errors_by_kind(systems, [["fog", "rain", "mist"], ["fog", "mist"]])
        assert found.found_by.ravel().tolist() == [2, 2, 1, 0]  # mist twice; rain and the second fog; the first fog
        assert [tuple(one) for one in found.missed] == [
            ("mist", 2, 6, 1.0),
            ("fog", 2, 3, 0.5),
            ("rain", 1, 2, pytest.approx(2 / 3)),
        ]
        assert [(one.document, one.phrase, one.fate) for one in found.unfound] == [
            (0, "mist", "nothing like it"),
            (1, "mist", "nothing like it"),
        ]
        (near,) = errors_by_kind(systems, [["rain fog"], []]).unfound
        assert near[1:] == ("rain fog", "all", "only a part", "fog", "a")


def planes(phrases):
    """A vector for each phrase: those that begin with “w” lie together at a cosine of 0.9, others at right angles."""
    vectors = orthogonal_encoder(phrases)
    return np.stack(
        [np.concatenate([[3.0 * phrase.startswith("w")], row]) for phrase, row in zip(phrases, vectors, strict=True)]
    )


class TestMeaning:
    def test_it_comes_after_words_and_before_the_text(self):
        references = [["wind turbine", "dam"], []]
        predicted = [["wind", "weather vane", "water wheel turbine", "dams", "dike"], []]
        found = classified(predicted, references, encoder=planes)
        assert counts(found) == {
            "exact": 1,
            "part of a reference": 1,
            "other modifier, same head": 1,
            "same meaning": 1,
            "absent from the text": 1,
        }
        (example,) = found.systems["one"].examples["same meaning"]
        assert example == (0, "weather vane", "wind turbine")
        assert found.encoder == "custom:test_missed.planes"

    def test_the_cosine_must_be_above_the_threshold(self):
        lists = [["weather"], []], [["wind"], []]
        assert counts(classified(*lists, encoder=planes, threshold=0.89)) == {"same meaning": 1}
        assert counts(classified(*lists, encoder=planes, threshold=0.91)) == {"absent from the text": 1}
        assert classified(*lists, encoder=planes).fates_of("one")["only its meaning"]["unseen"] == 1

    def test_it_leaves_the_kinds_of_words_alone(self):
        predicted = [["network", "graph", "fog", "thin ice", "ice age"], ["solar farm", "farm of wind"]]
        bare, told = classified(predicted), classified(predicted, encoder=planes, threshold=-1)
        assert bare.systems["one"].kinds[:4].tolist() == told.systems["one"].kinds[:4].tolist()
        assert counts(told)["same meaning"] == 3  # of all others each has a cosine of -1 or more


def category(own, text):
    """The category of a phrase by its stems, and a text's."""
    known = [stem in text for stem in own]
    return "present" if inside(own, text) else "reordered" if all(known) else "mixed" if any(known) else "unseen"


def kind(own, references, text):
    """The kind of a phrase by its stems."""
    if own in references:
        return "exact"
    if any(inside(own, other) for other in references):
        return "part of a reference"
    if any(inside(other, own) for other in references):
        return "longer than a reference"
    if any(own[-1] == other[-1] for other in references):
        return "other modifier, same head"
    return "wrong" if inside(own, text) else "absent from the text"


def fate(own, predicted):
    """What became of a reference, by its stems."""
    if own in predicted:
        return "found"
    if any(inside(other, own) for other in predicted):
        return "only a part"
    if any(inside(own, other) for other in predicted):
        return "only longer"
    return "only its head" if any(own[-1] == other[-1] for other in predicted) else "nothing like it"


lists = st.lists(
    st.tuples(st.lists(phrases, max_size=7), st.lists(phrases, max_size=7), st.lists(phrases, max_size=5), sources),
    min_size=1,
    max_size=5,
)


@given(lists)
def test_against_loops_over_phrases(documents):
    systems = {"a": [a for a, _, _, _ in documents], "b": [b for _, b, _, _ in documents]}
    references, texts = [r for _, _, r, _ in documents], [t for _, _, _, t in documents]
    found = errors_by_kind(systems, references, texts)
    for name, of in systems.items():
        expected = Counter(
            kind(own, unique_stems(wanted), stems(text))
            for predicted, wanted, text in zip(of, references, texts, strict=True)
            for own in unique_stems(predicted)
        )
        assert counts(found, name) == dict(expected)
        fates = Counter(
            (fate(own, unique_stems(predicted)), category(own, stems(text)))
            for predicted, wanted, text in zip(of, references, texts, strict=True)
            for own in unique_stems(wanted)
        )
        assert {(one, each): n for one, row in found.fates_of(name).items() for each, n in row.items() if n} == fates


@pytest.mark.filterwarnings("ignore:.*no references")
@given(lists)
def test_every_phrase_and_reference_is_counted_once(documents):
    systems = {"a": [a for a, _, _, _ in documents], "b": [b for _, b, _, _ in documents]}
    references, texts = [r for _, _, r, _ in documents], [t for _, _, _, t in documents]
    found = errors_by_kind(systems, references, texts, encoder=orthogonal_encoder, threshold=0.5)
    (micro,) = keyphrase_metrics.score(
        systems["a"], references, metrics="keyphrase_f1(average=micro)", cutoffs=["M"]
    ).values()
    total = sum(len(unique_stems(each)) for each in references)
    assert found.references.sum() == found.found_by.sum() == total
    for name, of in systems.items():
        given_phrases = sum(map(len, of))
        assert found.systems[name].kinds.sum() + found.systems[name].repeats == given_phrases
        assert found.systems[name].fates.sum(axis=0).tolist() == found.references.tolist()
    shares = found.recall("a")
    weighted = sum((shares[c] or 0) * n for c, n in zip(found.categories, found.references.tolist(), strict=True))
    assert weighted / max(total, 1) == pytest.approx(micro.scores["recall@M"] or 0)
    assert found.found_by.sum(axis=1) @ np.arange(3) == sum(of.fates[0].sum() for of in found.systems.values())
    json.dumps(found.to_dict(), allow_nan=False)


DAY = DataSet("day", {"one": [["neural network", "fog"], ["farm"]], "two": [["sea"], ["sun"]]}, REFERENCES, TEXTS)


def missed(*datasets, metrics="r_precision", **more):
    return analyze(datasets, metrics, only=["missed"], **more).findings["missed"]


class TestTheAnalysis:
    def test_its_tables(self):
        found = missed(DAY)
        kinds, fates, recall, by, often = found.tables()
        assert kinds.rows[0] == ["one", "3", "0", "33.3", "33.3", "0.0", "0.0", "0.0", "33.3"]
        assert fates.rows[1] == ["two", "0.0", "25.0", "0.0", "0.0", "75.0"]
        assert recall.rows[:2] == [
            ["share of the references", "100.0", "50.0", "25.0", "0.0", "25.0"],
            ["one", "25.0", "50.0", "0.0", "–", "0.0"],
        ]
        assert by.rows[0] == ["0 of 2", "3", "75.0", "1", "1", "0", "1"]
        assert often.rows[0] == ["graph theory", "1", "2", "100.0"]
        assert any("no system finds 3 of 4 references (75.0 %); 1 of these" in note for note in found.notes)
        assert any("neither sem_f1 nor semr_p" in note for note in found.notes)

    def test_phrases_are_prepared_as_keyphrase_f1_prepares_them(self):
        found = missed(DAY, metrics="keyphrase_f1(stemmer=None,max_predictions=1)")
        assert found.errors["day"].systems["one"].kinds.sum() == 2
        assert "Of each list the first 1 phrases are taken." in found.notes
        plural = DataSet("day", {"one": [["networks"]]}, [["network"]], ["network"])
        assert counts(missed(plural, metrics="keyphrase_f1", stemmer=None).errors["day"]) == {"absent from the text": 1}

    @pytest.mark.parametrize("metric", ["sem_f1", "semr_p"])
    def test_the_encoder_is_that_of_a_metric_by_meaning(self, metric):
        wind = DataSet("day", {"one": [["weather"]]}, [["wind"]])
        found = missed(wind, metrics=metric, encoder=planes, same_meaning=0.89)
        assert counts(found.errors["day"]) == {"same meaning": 1}
        assert any("a cosine above 0.89 by custom:test_missed.planes" in note for note in found.notes)
        assert any("It has no texts" in note for note in found.notes)

    def test_data_sets_without_references(self):
        bare = DataSet("bare", {"one": [["fog"]]})
        found = analyze([bare], "keyphrase_diversity", only=["missed"]).findings["missed"]
        assert (found.tables(), found.errors) == ([], {})
        assert any("bare has no references" in note for note in found.notes)
        assert pictures("missed", found, "m") == ""

    @pytest.mark.filterwarnings("ignore:.*no references")
    def test_data_sets_with_none(self):
        found = missed(DataSet("day", {"one": [[]], "two": [["fog"]]}, [[]], ["fog"]))
        assert found.tables()[0].rows[0][3:] == ["–"] * 6
        assert "day has no reference at all." in found.notes
        json.dumps(found.to_dict(), allow_nan=False)
        assert "nan" not in pictures("missed", found, "m").lower()

    def test_its_page(self):
        lists = {name: [["deep <u>network", "network", HOSTILE[0]], ["farm"]] for name in HOSTILE}
        day = DataSet(HOSTILE[0], lists, [["<i>neural network", *HOSTILE[1:3]], ["x"]], TEXTS, ids=["<u>", "b&c"])
        result = analyze([day], "r_precision", only=["missed"])
        page = Page(render(result))
        assert (page.wrong, page.open) == ([], [])
        assert not {tag for tag, _ in page.elements} & {"script", "i", "u", "img"}
        assert "<u>" in page.text and "other modifier, same head" in page.text
        assert len(page.all("svg")) == 2
        plain = result.to_dict()["analyses"]["missed"]["datasets"][HOSTILE[0]]
        (document,) = {row["document"] for row in plain["systems"][HOSTILE[0]]["examples"]["part of a reference"]}
        assert document == "<u>"

    def test_the_command(self, cli, tmp_path):
        rows = [
            {
                "id": name,
                "text": text,
                "references": wanted,
                "predictions": {s: of[at] for s, of in DAY.predictions.items()},
            }
            for at, (name, text, wanted) in enumerate(zip("ab", TEXTS, REFERENCES, strict=True))
        ]
        path = tmp_path / "day.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        options = ("analyze", path, "--only", "missed", "--metrics", "keyphrase_f1", "--report", tmp_path / "r.html")
        status, out, _ = cli(*options)
        assert status == 0
        assert "Predicted phrases by kind on day, in percent" in out
        assert "References by how many systems find them on day" in out
        status, out, _ = cli(*options, "--json")
        found = json.loads(out)["analyses"]["missed"]["datasets"]["day"]
        assert found["systems"]["one"]["predictions"]["exact"] == 1
        assert found["systems"]["one"]["examples"]["part of a reference"] == [
            {"document": "b", "phrase": "farm", "other": "solar farm"}
        ]
        assert found["unfound"][0]["document"] == "b"
        assert "Some references that no system finds" in (tmp_path / "r.html").read_text(encoding="utf-8")


class TestWhatIsRefused:
    @pytest.mark.parametrize("threshold", [1.5, -2, "0.8", True, float("nan")])
    def test_what_is_no_cosine(self, threshold):
        with pytest.raises(InputError, match="number in") as caught:
            classified([["fog"], []], threshold=threshold)
        assert caught.value.argument == "threshold"
        with pytest.raises(InputError, match="same_meaning"):
            missed(DAY, same_meaning=threshold)

    def test_the_command_names_its_option(self, error, tmp_path):
        path = tmp_path / "day.jsonl"
        path.write_text('{"references": ["fog"], "predictions": {"one": ["fog"]}}\n', encoding="utf-8")
        assert "--same-meaning 2 is not allowed" in error("analyze", path, "--same-meaning", "2")

    def test_no_system_and_lists_of_other_documents(self):
        with pytest.raises(InputError, match="names no system"):
            errors_by_kind({}, [["fog"]])
        with pytest.raises(InputError, match="predictions"):
            errors_by_kind({"one": [["fog"]]}, REFERENCES)
        with pytest.raises(InputError, match="system 'one'"):
            errors_by_kind({"one": [[7], []]}, REFERENCES)
        with pytest.raises(InputError, match="'colour'"):
            errors_by_kind({"one": [[], []]}, REFERENCES, colour="red")


def test_the_option_s_default_is_python_s(cli):
    assert f"(default: {THRESHOLD})" in cli("analyze", "--help")[1]


def test_kinds_and_fates_go_together():
    """A reference's fate is the kind at its place, seen from the other side."""
    assert (len(KINDS), len(FATES)) == (7, 6)
