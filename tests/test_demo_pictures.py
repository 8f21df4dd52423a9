"""Pictures and arithmetic of one document: what they say is what the metrics say, and they are safe markup."""

import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.models import orthogonal_encoder, toy_encoder
from support.strategies import odd_phrases, phrases, sources

import keyphrase_metrics as km
from keyphrase_metrics import user_warnings
from keyphrase_metrics.demo import render, visuals
from keyphrase_metrics.formatting import number

REFERENCES = ["neural networks", "machine translation", "deep learning"]
PREDICTIONS = ["machine translation", "AI systems", "neural computation", "language modelling", "translation quality"]
NEAR = {"AI systems": [0.68, 0.61, 0.72], "neural computation": [0.76, 0.60, 0.66]}  # to the references, in order
HOSTILE = [
    "<script>alert(1)</script>",
    "</svg></td><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "&lt;b&gt; &amp;",
    "مرحبا بالعالم",
    "\u202egnorw eht yaw dnuor",
    "emoji 😀 party",
    "tab\tbell\x07null\x00 \ufffe",
    "two\nlines\u2028three",
    "x" * 10_000,
    "a" + "\u0301" * 500,
    "深層学習による機械翻訳の品質評価と多言語への拡張の研究",
]
LEXICAL = [
    "r_precision",
    "r_precision(one_to_one=True)",
    "r_precision(preset=kpeval)",
    "keyphrase_f1",
    "keyphrase_f1(oracle=True,cutoffs=[1,2,M,O,1000])",
    "keyphrase_f1(preset=kpeval,oracle=True)",
    "keyphrase_f1(preset=catseq_table)",
    "keyphrase_f1(average=micro,pad=True,pad_empty=False)",
    "keyphrase_f1(preset=S)",
    "keyphrase_ndcg(cutoffs=[1,3],alpha_ndcg=True)",
    "keyphrase_ndcg(ideal=retrieved,relevance=approximate,cutoffs=[2])",
    "keyphrase_ndcg(deduplicate=False,on_empty=skip)",
    "keyphrase_rouge",
    "keyphrase_diversity",
]
SEMANTIC = [
    "semr_p",
    "semr_p(k=1,denominator=predictions)",
    "semr_p(k_fraction=0.5,deduplicate=False)",
    "sem_f1",
    "sem_f1(threshold=0.5)",
    "sem_f1(preset=kpeval,deduplicate=False)",
    "keyphrase_ndcg(relevance=semantic,gain=exponential)",
    "keyphrase_ndcg(relevance=semantic,ideal=retrieved,cutoffs=[2])",
    "keyphrase_diversity(pairwise_similarity=True)",
    "keyphrase_diversity(preset=kpeval,pairwise_similarity=True)",
    "fem_kp(generator=serialize,max_rank=2)",
]


def table1_encoder(texts):
    """Vectors that have the similarities of the SemR-p paper's Table 1."""
    names = [*REFERENCES, *NEAR]
    gram = np.full((5, 5), 0.6)
    np.fill_diagonal(gram, 1)
    for row, near in enumerate(NEAR.values(), 3):
        gram[row, :3] = gram[:3, row] = near
    vectors = dict(zip(names, np.linalg.cholesky(gram), strict=True))
    return np.array([vectors.get(text, np.ones(5)) for text in texts])


def scored(metric, predictions, references=(), source="", summary="", **more):
    """The only result, and what pictures and arithmetic take."""
    name = metric.partition("(")[0]
    texts = {} if name in ("keyphrase_rouge", "keyphrase_diversity") else {"sources": [source]}
    if name == "fem_kp":
        texts |= {"summaries": [summary], "corpus": ["wind and tidal farms", "solar power", "power"]}
    wanted = None if name in ("fem_kp", "keyphrase_diversity") else [references]
    with user_warnings.collect_warnings():
        scores = km.score([predictions], wanted, metrics=metric, per_document=True, explain=True, **texts, **more)
    given = {"source": source, "summary": summary}
    return scores[metric], (predictions, None if wanted is None else references), given


def drawn(metric, predictions, references=(), **more):
    """A result with its picture and its arithmetic, both read as XML."""
    result, lists, texts = scored(metric, predictions, references, **more)
    document = visuals.Document(result, *lists, **texts)
    return result, *(ET.fromstring(draw(document)) for draw in (visuals.picture, visuals.arithmetic))


def said(element):
    return " ".join("".join(element.itertext()).split())


def has(element, style):
    return [one for one in element.iter() if style in one.get("class", "").split()]


def results(arithmetic):
    """Key -> what the arithmetic says it is."""
    found = [(one.get("data-result"), said(one)) for one in arithmetic.iter() if one.get("data-result")]
    assert len(dict(found)) == len(found)
    return dict(found)


def equations(arithmetic):
    """Each line's parts between the equals signs, of lines of steps and cells of tables."""
    for one in arithmetic.iter():
        if one.tag in ("p", "td") and any(child.tag == "b" for child in one):
            yield [part.strip() for part in said(one).split(" = ")]


def value(expression):
    """What a written sum, product or fraction comes to; None for words, and for sums that are shortened."""
    plain = expression.replace("−", "-").replace("·", "*")
    if not re.fullmatch(r"[-+*/(). \d]+", plain) or not re.search(r"\d", plain):
        return None
    return eval(plain, {"__builtins__": {}})  # digits and operators alone


def check_arithmetic(result, arithmetic):
    """All scores are there, to four digits, and every line that ends in a number is right."""
    scores = {key: values[0] for key, values in result.per_document.items() if not isinstance(values[0], str)}
    told = results(arithmetic)
    assert told.keys() == scores.keys()
    for key, score in scores.items():
        assert told[key] in ({"–"} if score is None else {number(score), f"{score:.0f}"}), key
        if told[key] not in ("–", number(score or 0.0)):
            assert score == int(score)
            assert key in ("oracle_k", "retrieval_rank")
    for parts in equations(arithmetic):
        numbers = [found for part in parts if (found := value(part)) is not None]
        for one, other in pairwise(numbers):
            assert one == pytest.approx(other, abs=2e-3), parts
    return scores


@pytest.fixture(scope="module")
def both():
    return drawn("semr_p", PREDICTIONS, REFERENCES, encoder=table1_encoder)


class TestTable1:
    def test_every_step_is_the_papers(self, both):
        result, _, arithmetic = both
        check_arithmetic(result, arithmetic)
        (table,) = arithmetic.iter("table")
        rows = [[said(cell) for cell in row] for row in table.find("tbody")]
        assert rows == [
            ["1. machine translation", "Exact", "–", "–", "1", "1"],
            [
                "2. AI systems",
                "Semantic",
                "deep learning 0.72neural networks 0.68machine translation 0.61",
                "(0.72 + 0.68 + 0.61) / 3",
                "0.67",
                "0.72",
            ],
            [
                "3. neural computation",
                "Semantic",
                "neural networks 0.76deep learning 0.66machine translation 0.60",
                "(0.76 + 0.66 + 0.60) / 3",
                "0.6733",
                "0.76",
            ],
        ]
        lines = [said(line) for line in has(arithmetic, "step")]
        assert lines[0] == "SemR-p = (1 + 0.67 + 0.6733) / 3 = 2.3433 / 3 = 0.7811"  # 0.78 in the paper

    def test_cells_that_are_averaged_are_marked(self, both):
        _, picture, _ = both
        assert [said(cell) for cell in has(picture, "counts")] == [
            "1.00k =",
            *("0.68k", "0.61k", "0.72k"),
            *("0.76k", "0.60k", "0.66k"),
        ]
        assert len(has(picture, "out")) == 2 * 3  # the predictions behind the first R

    def test_each_similarity_has_the_colour_of_its_level(self, both):
        _, picture, _ = both
        for cell in picture.iter("span"):
            style = re.fullmatch(r"s(\d)( counts)?", cell.get("class", ""))
            if style:
                assert int(style[1]) == min(int(float(cell.text) * 10 + 1e-9), 9) or cell.text in ("0.60", "0.70")


class TestKnownCases:
    def test_f1_in_counts(self):
        lists = ["solar power", "fog", "wind", "tides", "mist"], ["solar powers", "winds", "grid"]
        result, picture, arithmetic = drawn("keyphrase_f1(cutoffs=[5],oracle=True)", *lists)
        check_arithmetic(result, arithmetic)
        assert [said(cell) for cell in arithmetic.iter("td")] == [
            "2 / 5 = 0.4000",
            "2 / 3 = 0.6667",
            "(2 · 0.40 · 0.6667) / (0.40 + 0.6667) = 0.5000",
        ]
        assert said(has(arithmetic, "steps")[0]).endswith("= (2 · 2) / (3 + 3) = 0.6667")
        assert "the best F1 is 0.6667, at k = 3" in said(picture)
        assert len(has(picture, "best")) == 1
        assert [said(one) for one in has(picture, "a")] == ["@5", "first k predictions →"]

    def test_ndcg_against_the_ideal(self):
        result, picture, arithmetic = drawn("keyphrase_ndcg", ["fog", "wind", "sun"], ["wind", "sun"])
        check_arithmetic(result, arithmetic)
        assert "NDCG = DCG / IDCG = (0.6309 + 0.50) / (1 + 0.6309) = 1.1309 / 1.6309 = 0.6934" in said(arithmetic)
        gained, best = (
            [float(bar.get("width")) for bar in has(picture, style) if bar.tag == "rect"] for style in ("c", "ideal")
        )
        assert gained[0] == 0
        assert gained[1] == pytest.approx(best[1])
        assert best[2] == 0
        assert best[1] / best[0] == pytest.approx(1 / np.log2(3), abs=1e-3)

    def test_a_missed_reference_is_seen_in_the_ideal_alone(self):
        _, picture, arithmetic = drawn("keyphrase_ndcg", ["fog"], ["fog", "wind"])
        bars = [float(bar.get("width")) for bar in has(picture, "ideal") if bar.tag == "rect"]
        assert len(bars) == 2
        assert bars[1] > 0
        assert "nothing predicted" in said(arithmetic)

    def test_alignment_says_who_matches_whom(self):
        lists = ["solar power plant", "tidal powers", "river power", "wind"], ["tidal power", "solar power", "wind"]
        result, picture, arithmetic = drawn("r_precision", *lists)
        check_arithmetic(result, arithmetic)
        drawing = picture.find(".//desc").text
        assert "solar power plant: approximate match with solar power" in drawing
        assert "tidal powers: exact match with tidal power" in drawing
        assert "wind:" not in drawing  # ranked behind the first R
        kinds = [link.get("class").split()[1] for link in picture.iter("path") if "link" in link.get("class")]
        assert sorted(set(kinds)) == ["exact", "head", "near"]
        assert "Ranked behind the first R and not looked at: 1." in said(picture)

    def test_rouge_marks_each_word_as_often_as_both_have_it(self):
        result, picture, arithmetic = drawn("keyphrase_rouge", ["wind farms", "wind wind"], ["wind farm", "wind"])
        check_arithmetic(result, arithmetic)
        lists = has(picture, "list")
        assert [said(mark) for mark in lists[0].iter("mark")] == ["wind", "farms", "wind"]
        assert [said(mark) for mark in lists[1].iter("mark")] == ["wind", "farm", "wind"]
        assert "3 / 4 = 0.7500" in said(arithmetic)

    def test_bertscore_shows_which_token_is_nearest_to_which(self, bert):
        metric = "keyphrase_bertscore(num_layers=1)"
        result, picture, arithmetic = drawn(metric, ["solar power", "wind"], ["solar farms"], model=bert)
        check_arithmetic(result, arithmetic)
        rows = [[said(cell) for cell in row] for row in picture.iter("tr")]
        heads = [i for i, row in enumerate(rows) if row == ["Token", "Nearest", "Cosine"]]
        sides = rows[1 : heads[1]], rows[heads[1] + 1 :]
        assert [[row[0] for row in side] for side in sides] == [["solar", "power", ",", "wind"], ["solar", "farms"]]
        for side, key in zip(sides, ("precision", "recall"), strict=True):
            mean = np.mean([float(row[2].replace("−", "-")) for row in side])
            assert mean == pytest.approx(result.scores[key], abs=1e-4)
        (explained,) = result.explanation
        for side, key in (("predictions", "precision"), ("references", "recall")):
            tokens = explained[side][0]["tokens"]
            assert np.mean([row["similarity"] for row in tokens]) == pytest.approx(result.scores[key], abs=1e-6)
        assert render.phrases(result) == ""  # two texts, which the picture shows
        assert "; farthest reference tokens: " in str(result.synopses[0])
        result, picture, arithmetic = drawn(metric, [], ["solar farms"], model=bert)
        check_arithmetic(result, arithmetic)
        assert "the model is not asked" in said(picture)

    def test_fem_kp_marks_common_words_and_the_rank(self):
        texts = {"source": "Tides turn turbines", "summary": "Turbines turn in the <tide>."}
        result, picture, arithmetic = drawn(
            "fem_kp(generator=serialize)", ["tides", "fog"], encoder=toy_encoder, **texts
        )
        scores = check_arithmetic(result, arithmetic)
        assert [said(mark) for mark in picture.iter("mark")] == ["tides", "tide"]
        assert "at rank 1 of 4 documents; it earns 1/1" in said(picture)
        assert f"0.50 · {number(scores['reconstruction'])}" in said(arithmetic)
        assert "+ 0.50 · 1 =" in said(arithmetic)

    def test_fem_kp_that_finds_nothing(self):
        texts = {"source": "Tides turn turbines", "summary": "Turbines turn."}
        result, picture, arithmetic = drawn("fem_kp(generator=serialize)", ["fog"], encoder=toy_encoder, **texts)
        check_arithmetic(result, arithmetic)
        assert "not found by any phrase; it earns 0" in said(picture)
        assert len(has(picture, "miss")) == 1

    def test_sem_f1_marks_the_best_of_either_side(self):
        result, picture, arithmetic = drawn("sem_f1", PREDICTIONS[:3], REFERENCES, encoder=table1_encoder)
        check_arithmetic(result, arithmetic)
        assert [said(cell) for cell in has(picture, "counts")] == ["1.00P R =", "0.72P R", "0.76P R"]

    def test_diversity_shows_repeats_and_pairs(self):
        metric, lists = "keyphrase_diversity(pairwise_similarity=True)", ["wind", "winds", "wind farm"]
        result, picture, arithmetic = drawn(metric, lists, encoder=toy_encoder)
        check_arithmetic(result, arithmetic)
        chips = [said(chip) for chip in has(picture, "chips")[0]]
        assert chips[0] == "wind"
        assert chips[1].startswith("winds repeat")
        rows = [[said(cell) for cell in row] for row in picture.find(".//tbody")]
        assert [row[place] for place, row in enumerate(rows, 1)] == ["–"] * 3  # no phrase with itself
        assert len(has(picture, "counts")) == 3

    def test_diversity_names_the_true_reason_of_a_pair(self):
        vectors = {"apple pie": [1.0, 0.0], "apple computer": [0.2, 1.0], "laptop": [0.1, 1.0]}

        def encoder(texts):
            return np.array([vectors[text] for text in texts])

        metric = "keyphrase_diversity(pairwise_similarity=True)"
        result, picture, arithmetic = drawn(metric, list(vectors), encoder=encoder)
        rows = result.explanation[0]["predictions"]
        assert [(row["kind"], row["compared"][0]["prediction"]) for row in rows] == [
            ("shared token", "apple computer"),
            ("semantic", "laptop"),
            ("semantic", "apple computer"),
        ]
        assert [said(chip) for chip in has(picture, "chips")[0]] == [
            "apple pie",
            "apple computer shared token: apple pie",
            "laptop",
        ]
        assert said(picture).lower().count("lower is better") == 2
        assert "Lower is better" in said(arithmetic)

    def test_a_measure_without_a_picture_of_its_own(self, monkeypatch):
        for table in (visuals._PICTURES, visuals._ARITHMETIC):
            monkeypatch.delitem(table, "r_precision")
        result, picture, arithmetic = drawn("r_precision", ["wind farm", "fog", "sun"], ["winds farms", "sun"])
        check_arithmetic(result, arithmetic)
        assert [said(chip) for chip in has(picture, "chips")[0]] == ["wind farm exact: winds farms", "fog"]

    def test_several_documents_are_no_picture(self):
        scores = km.score([["a"], ["b"]], [["a"], ["b"]], metrics="r_precision", per_document=True, explain=True)
        with pytest.raises(ValueError, match="result is of 2 documents; a picture is of one"):
            visuals.picture(visuals.Document(scores["r_precision"], ["a"], ["a"]))


class TestLaws:
    @settings(max_examples=40)
    @given(st.sampled_from(LEXICAL), st.lists(odd_phrases, max_size=7), st.lists(odd_phrases, max_size=5), sources)
    @example("keyphrase_f1(preset=S)", ["wind"], [], "")
    @example("r_precision", [], [], "")
    def test_arithmetic_of_lexical_scores(self, metric, predictions, references, source):
        result, _, arithmetic = drawn(metric, predictions, references, source=source)
        check_arithmetic(result, arithmetic)

    @settings(max_examples=40)
    @given(
        st.sampled_from(SEMANTIC),
        st.lists(odd_phrases, max_size=6),
        st.lists(phrases, max_size=4),
        sources,
        st.sampled_from([toy_encoder, orthogonal_encoder]),
    )
    @example("keyphrase_diversity(pairwise_similarity=True)", ["wind"], [], "", toy_encoder)
    @example("keyphrase_diversity(preset=kpeval,pairwise_similarity=True)", [], [], "", toy_encoder)
    def test_arithmetic_of_semantic_scores(self, metric, predictions, references, source, encoder):
        summary = " ".join(references)
        result, _, arithmetic = drawn(metric, predictions, references, source=source, summary=summary, encoder=encoder)
        check_arithmetic(result, arithmetic)

    @given(st.lists(phrases, min_size=1, max_size=6), st.lists(phrases, min_size=1, max_size=4))
    def test_the_credits_of_a_heat_map_are_means_of_its_marked_cells(self, predictions, references):
        _, picture, _ = drawn("semr_p(k=2)", predictions, references, encoder=toy_encoder)
        (body, *_) = picture.iter("tbody")
        for row in body:
            marked = [said(cell) for cell in has(row, "counts")]
            credit = float(said(row[-1]).replace("−", "-"))
            values = [float(re.match(r"[−\d.]+", cell)[0].replace("−", "-")) for cell in marked]
            assert credit == pytest.approx(1 if any("=" in cell for cell in marked) else np.mean(values), abs=6e-3)


class TestMarkup:
    @pytest.mark.parametrize("metric", [*LEXICAL, *SEMANTIC])
    def test_hostile_texts_are_text(self, metric):
        semantic = {"encoder": toy_encoder} if metric in SEMANTIC else {}
        texts = {"source": " ".join(HOSTILE), "summary": "<b>" + " ".join(HOSTILE[:4])}
        result, lists, given = scored(metric, HOSTILE, [*HOSTILE[::-2], "script"], **texts, **semantic)
        for draw in (visuals.picture, visuals.arithmetic):
            markup = draw(visuals.Document(result, *lists, **given))
            root = ET.fromstring(markup)  # no character that no document may hold, nothing left open
            tags = {one.tag for one in root.iter()}
            assert not tags & {"script", "img", "a", "style", "iframe", "object"}
            names = {name for one in root.iter() for name in one.attrib}
            assert not [name for name in names if name.startswith("on") or name in ("href", "src", "style")]
            assert len(markup) < 150_000
            assert "x" * (4_001 if metric.startswith("fem_kp") else 301) not in markup
            for one in root.iter("text"):
                assert len("".join(one.itertext())) < 400

    @pytest.mark.parametrize("metric", [*LEXICAL, *SEMANTIC])
    @pytest.mark.parametrize(("predictions", "references"), [([], []), (["wind"], []), ([], ["wind"]), ([" "], ["…"])])
    def test_lists_without_phrases(self, metric, predictions, references):
        semantic = {"encoder": toy_encoder} if metric in SEMANTIC else {}
        result, _, arithmetic = drawn(metric, predictions, references, **semantic)
        check_arithmetic(result, arithmetic)

    @pytest.mark.parametrize(
        "metric", ["keyphrase_f1(on_empty=skip)", "r_precision(on_empty=skip)", "sem_f1(on_empty=skip)"]
    )
    def test_without_a_score_it_says_why(self, metric):
        semantic = {"encoder": toy_encoder} if metric.startswith("sem") else {}
        result, _, arithmetic = drawn(metric, ["wind"], [], **semantic)
        assert set(results(arithmetic).values()) == {"–"}
        assert "The document has no references, so it is left out" in said(arithmetic)
        check_arithmetic(result, arithmetic)

    @pytest.mark.parametrize("metric", [*LEXICAL, *SEMANTIC])
    def test_long_lists_are_cut_and_say_so(self, metric):
        semantic = {"encoder": toy_encoder} if metric in SEMANTIC else {}
        lists = [f"wind {i}" for i in range(200)], [f"wind {i}" for i in range(0, 400, 3)]
        result, given, texts = scored(metric, *lists, source="wind 3 and wind 6", summary="wind", **semantic)
        document = visuals.Document(result, *given, **texts)
        picture, arithmetic = (draw(document) for draw in (visuals.picture, visuals.arithmetic))
        assert len(picture) + len(arithmetic) < 400_000
        drawing = ET.fromstring(picture)
        assert sum(1 for _ in drawing.iter("tr")) < 40
        if metric.partition("(")[0] in (
            "r_precision",
            "keyphrase_ndcg",
            "keyphrase_rouge",
            "keyphrase_diversity",
            "semr_p",
            "sem_f1",
        ):
            assert re.search(r"\d more \w+ not shown", said(drawing))

    @pytest.mark.parametrize("metric", [*LEXICAL, *SEMANTIC])
    def test_it_can_be_read_aloud(self, metric):
        semantic = {"encoder": toy_encoder} if metric in SEMANTIC else {}
        lists = ["solar power", "fog", "wind farm"], ["solar powers", "wind"]
        parts = drawn(metric, *lists, source="solar power and wind", summary="wind", **semantic)[1:]
        ids = [one.get("id") for root in parts for one in root.iter() if one.get("id")]
        assert len(set(ids)) == len(ids)
        for root in parts:
            for drawing in root.iter("svg"):
                assert drawing.get("role") == "img"
                named = [drawing.find(tag) for tag in ("title", "desc")]
                assert drawing.get("aria-labelledby").split() == [one.get("id") for one in named]
                assert all(one.text for one in named)
            for table in root.iter("table"):
                assert table.get("aria-label")
                assert {cell.get("scope") for cell in table.iter("th")} <= {"col", "row", "rowgroup"}

    def test_two_documents_on_one_page_have_ids_of_their_own(self):
        one, other = (drawn("keyphrase_f1", [phrase], ["wind"])[1] for phrase in ("wind", "fog"))
        first, second = ({part.get("id") for part in root.iter() if part.get("id")} for root in (one, other))
        assert first
        assert not first & second


def luminance(colour):
    digits = colour.lstrip("#")
    digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
    parts = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_texts_have_contrast_in_both_modes(dark):
    both = re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", visuals.style())
    colours = {name: modes[dark] for name, *modes in both}
    assert all(contrast(colours[f"s{level}"], colours["low" if level < 6 else "high"]) >= 4.5 for level in range(10))
    for name in ("text", "soft", "accent", "good", "near", "head"):
        assert contrast(colours[name], colours["ground"]) >= 4.5, name
        assert contrast(colours[name], colours["shade"]) >= 4.5, name
    assert contrast(colours["good"], colours["good-ground"]) >= 4.5
    assert contrast(colours["near"], colours["near-ground"]) >= 4.5
    assert contrast(colours["ring"], colours["ground"]) >= 3
    levels = [luminance(colours[f"s{level}"]) for level in range(10)]
    assert sorted(levels, reverse=not dark) == levels  # a scale: darker, or in the dark brighter, the higher
