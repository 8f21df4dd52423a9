"""Documents whose order is not that of their references, as far as fields and indices of data frames say."""

import json
import re
import warnings

import pytest
from support.command_line import lines

from keyphrase_metrics import load, score, score_files
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.user_warnings import InputWarning

NAMES = ["fog", "tides", "sun", "wind"]


def rows(field, values, side):
    return [{field: value, side: [NAMES[place]]} for value, place in zip(values, [0, 1, 2, 3], strict=False)]


def f1(predicted, referenced, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = score_files(str(predicted), references=str(referenced), metrics="keyphrase_f1(cutoffs=[M])", **options)
    return next(iter(found.values()))["keyphrase_f1(cutoffs=[M])"].scores["f1@M"]


def written(tmp_path, field, values, others):
    references = [{field: value, "references": [NAMES[values.index(value)]]} for value in others if value in values]
    references += [{field: value, "references": ["fog"]} for value in others if value not in values]
    predicted = lines(tmp_path / "p.jsonl", rows(field, values, "predictions"))
    return predicted, lines(tmp_path / "r.jsonl", references)


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("doc_id", [1, 2, 3, 4]),
        ("ID", ["a", "b", "c", "d"]),
        ("Unnamed: 0", [0, 1, 2, 3]),
        ("title", ["Fog", "Tides at sea", "Sun", "Wind"]),
    ],
)
def test_the_same_values_in_another_order(tmp_path, field, values):
    files = written(tmp_path, field, values, values[::-1])
    with pytest.raises(
        InputError, match=re.escape(f"the same values in another order in the field {field!r}")
    ) as error:
        f1(*files)
    assert error.value.code == "other-order"
    assert f1(*files, id_field=field) == 1.0
    if field == "Unnamed: 0":  # which may be numbered anew
        assert f1(*files, by_order=True) == 0.0
    else:
        with pytest.raises(InputWarning, match="leave out by_order where they are to be joined by it"):
            f1(*files, by_order=True)
    assert f1(*written(tmp_path, field, values, values)) == 1.0


@pytest.mark.parametrize("title", [None, "Tides at sea ", "tides at SEA", "Tides"])
def test_one_title_that_is_missing_or_written_otherwise_hides_no_other_order(tmp_path, title):
    titles = ["Fog", "Tides at sea", "Sun", "Wind"]
    predicted, referenced = written(tmp_path, "title", titles, titles[::-1])
    path = tmp_path / "p.jsonl"
    path.write_text(path.read_text().replace(json.dumps("Tides at sea"), json.dumps(title)))
    with pytest.raises(InputError, match="the same values in another order in the field 'title'"):
        f1(predicted, referenced)


def test_a_line_that_is_left_out_hides_no_other_order(tmp_path):
    titles = ["Fog", "Tides at sea", "Sun", "Wind"]
    predicted, referenced = written(tmp_path, "title", titles, titles[::-1])
    path = tmp_path / "p.jsonl"
    path.write_text(path.read_text().replace('{"title": "Sun"', '{"title" "Sun"'))
    with pytest.raises(InputError, match="the same values in another order in the field 'title'"):
        f1(predicted, referenced, on_bad_line="skip")


def test_an_index_without_a_name_is_not_advised(tmp_path):
    for name, side, numbers in (("p", "predictions", [0, 1, 2]), ("r", "references", [2, 1, 0])):
        cells = [f"{number},{word}" for number, word in zip(numbers, NAMES, strict=False)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f",{side}", *cells]) + "\n")
    with pytest.raises(InputError, match="another order in the field ''") as error:
        f1(tmp_path / "p.csv", tmp_path / "r.csv")
    assert "id_field" not in str(error.value)
    assert f1(tmp_path / "p.csv", tmp_path / "r.csv", by_order=True) == 1.0


def test_other_values_of_an_id(tmp_path):
    files = written(tmp_path, "paper_id", ["1", "2"], ["1", "02"])
    with pytest.raises(InputWarning, match=r"other values in the field 'paper_id' \(document 2: '2' and '02'\)"):
        f1(*files)
    assert f1(*files, by_order=True) == 0.5


@pytest.mark.parametrize(
    ("field", "values", "others"),
    [
        ("year", [2001, 2002], [2002, 2001]),
        ("title", ["Fog", "Tides"], ["FOG", "TIDES"]),
        ("model_id", ["a", "a"], ["b", "b"]),
        ("score", [0.5, 0.25], [0.25, 0.5]),
    ],
)
def test_fields_that_say_nothing_of_the_order(tmp_path, field, values, others):
    predicted = lines(tmp_path / "p.jsonl", [{field: each, "predictions": ["fog"]} for each in values])
    referenced = lines(tmp_path / "r.jsonl", [{field: each, "references": ["fog"]} for each in others])
    assert f1(predicted, referenced) == 1.0


def test_by_order_where_ids_are_in_another_order_or_are_others(tmp_path):
    files = written(tmp_path, "id", ["a", "b"], ["b", "a"])
    with pytest.raises(InputWarning, match="the same values in another order in the field 'id'"):
        f1(*files, by_order=True)
    assert f1(*files) == 1.0
    assert f1(*written(tmp_path, "id", ["a", "b"], ["c", "d"]), by_order=True) == 0.5


def test_texts_in_a_file_of_their_own(tmp_path):
    predicted = lines(tmp_path / "p.jsonl", [{"predictions": ["fog"]}, {"predictions": ["sun"]}])
    referenced = lines(
        tmp_path / "r.jsonl", [{"docid": "a", "references": ["fog"]}, {"docid": "b", "references": ["sun"]}]
    )
    texts = lines(tmp_path / "t.jsonl", [{"docid": "b", "text": "Sun."}, {"docid": "a", "text": "Fog."}])
    with pytest.raises(InputError, match="field 'docid'"):
        f1(predicted, referenced, sources=texts)


def test_series_with_the_same_index_in_different_orders():
    pandas = pytest.importorskip("pandas")
    references = pandas.Series([["fog"], ["sun"], ["wind"]], index=["a", "b", "c"])
    predictions = references.loc[["c", "a", "b"]]
    with pytest.raises(InputError, match=r"different orders, .* with references\.loc\[predictions\.index\]") as error:
        score(predictions, references)
    assert error.value.code == "other-order"
    with pytest.raises(InputError, match="predictions and references are series"):
        load("keyphrase_f1").compute(predictions=predictions, references=references)
    for fitting in (references.loc[predictions.index], [["wind"], ["fog"], ["sun"]]):
        assert score(predictions, fitting)["keyphrase_f1"].scores["f1@M"] == 1.0


def test_series_whose_index_says_nothing_of_their_order():
    pandas = pytest.importorskip("pandas")
    shuffled = pandas.DataFrame({"references": [["fog"], ["sun"], ["wind"]]}).loc[[2, 0, 1]]
    predictions = pandas.Series([["wind"], ["fog"], ["sun"]])  # of the shuffled documents, one by one
    assert score(predictions, shuffled["references"])["keyphrase_f1"].scores["f1@M"] == 1.0
    other = pandas.Series([["wind"], ["fog"], ["sun"]], index=[7, 8, 9])
    assert score(other, shuffled["references"])["keyphrase_f1"].scores["f1@M"] == 1.0


def ranked_first(tmp_path, name, rows, **options):
    """Return the precision of the first phrase against "fog", and what was warned of."""
    path = tmp_path / name
    if name.endswith(".jsonl"):
        lines(path, rows)
    elif name.endswith(".csv"):
        path.write_text("predictions,scores\n" + "".join(f"{row['predictions']},{row['scores']}\n" for row in rows))
    else:
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame(rows).to_parquet(path)
    referenced = lines(tmp_path / "r.jsonl", [{"references": ["fog"]}] * len(rows))
    metric = "keyphrase_f1(cutoffs=[1])"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = score_files(str(path), references=referenced, metrics=metric, **options)
    told = [str(warning.message) for warning in caught if isinstance(warning.message, InputWarning)]
    return next(iter(found.values()))[metric].scores["precision@1"], told


@pytest.mark.parametrize("name", ["p.jsonl", "p.parquet", "p.csv"])
def test_scores_in_a_field_of_their_own_that_do_not_fall(tmp_path, name):
    joined = name.endswith(".csv")
    phrases, scores = ("sun;fog", "0.25;0.5") if joined else (["sun", "fog"], [0.25, 0.5])
    precision, (told,) = ranked_first(tmp_path, name, [{"predictions": phrases, "scores": scores}] * 3)
    assert precision == 0
    assert "3 of 3 lists of phrases do not stand in the order of their scores" in told
    falling = "0.5;0.25" if joined else [0.5, 0.25]
    for order, given, right in (("given", scores, True), ("ascending", scores, True), ("ascending", falling, False)):
        rows = [{"predictions": phrases, "scores": given}] * 3
        assert (not ranked_first(tmp_path, name, rows, score_order=order)[1]) == right
    assert not ranked_first(tmp_path, name, [{"predictions": phrases, "scores": falling}] * 3)[1]
    for scores, right in (('"0,25;0,5"', False), ('"0,5;0,25"', True)) if joined else ():
        assert (not ranked_first(tmp_path, name, [{"predictions": phrases, "scores": scores}])[1]) == right


@pytest.mark.parametrize("scores", [None, [0.5], "high", [0.5, "x"], [1, 1], {"sun": 1}])
def test_fields_that_are_not_the_scores_of_phrases(tmp_path, scores):
    assert not ranked_first(tmp_path, "p.jsonl", [{"predictions": ["sun", "fog"], "scores": scores}])[1]


def test_phrases_with_scores_are_ranked_whatever_another_field_says(tmp_path):
    row = {"predictions": [["fog", 2], ["sun", 1]], "scores": [1, 2]}
    assert ranked_first(tmp_path, "p.jsonl", [row]) == (1.0, [])


def test_present_and_absent_lists_are_told_to_be_two_systems(tmp_path):
    row = {"id": "a", "predictions": {"present": ["fog"], "absent": ["sun"]}, "references": ["fog"]}
    with pytest.warns(InputWarning, match="1 times predictions are lists of present and of absent phrases"):
        found = score_files(str(lines(tmp_path / "p.jsonl", [row])), metrics="r_precision")
    assert [scores["r_precision"].scores["r_precision"] for scores in found.values()] == [1.0, 0.0]


def repeats_told(predictions, references):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        score(predictions, references, metrics="r_precision")
    return [str(each.message) for each in caught if "documents are the first ones again" in str(each.message)]


def test_documents_that_processes_repeated_to_fill_a_batch():
    predictions, references = ([[f"{word} {side}"] for word in "abcdefghi"] for side in ("wave", "tide"))
    for times in (1, 3):
        (told,) = repeats_told(predictions + predictions[:times], references + references[:times])
        assert told.startswith(f"the last {times} of {9 + times} documents are the first ones again")
    assert not repeats_told(predictions, references)
    assert not repeats_told([*predictions, predictions[0]], [*references, ["tide"]])
    assert not repeats_told([*predictions, predictions[3]], [*references, references[3]])
    assert not repeats_told(predictions * 3, references * 3)
    assert not repeats_told([["wave"]] * 20, [["wave"]] * 20)


def test_ids_that_number_other_documents(tmp_path):
    titles = ["Fog at sea", "The tides", "Sun"]
    predicted = [{"id": number, "title": title, "predictions": [title]} for number, title in enumerate(titles)]
    referenced = [{"id": number, "title": title, "references": [title]} for number, title in enumerate(titles[::-1])]
    files = lines(tmp_path / "p.jsonl", predicted), lines(tmp_path / "r.jsonl", referenced)
    with pytest.raises(InputWarning, match=r"field 'title' at other ids \(id '0': .* do they number the same"):
        f1(*files)
    assert f1(files[0], lines(tmp_path / "s.jsonl", [{**row, "id": 2 - row["id"]} for row in referenced])) == 1.0
    index = [{"id": 2 - row["id"], "n": row["id"], "references": row["references"]} for row in referenced]
    numbered = lines(tmp_path / "n.jsonl", [{**row, "n": row["id"]} for row in predicted])
    assert f1(numbered, lines(tmp_path / "i.jsonl", index)) == 1.0  # a number of lines says nothing
    fewer = [{**row, "title": row["title"].upper()} for row in referenced]
    assert f1(files[0], lines(tmp_path / "u.jsonl", fewer)) == pytest.approx(1 / 3)


def test_an_id_is_not_advised_where_a_list_shows_the_order(tmp_path):
    predicted = [{"references": [name], "predictions": [name]} for name in NAMES]
    referenced = [{"references": [name]} for name in NAMES[::-1]]
    files = lines(tmp_path / "p.jsonl", predicted), lines(tmp_path / "r.jsonl", referenced)
    with pytest.raises(InputError, match=r"the field 'references' .*\); say that their order is right with by_order$"):
        f1(*files)


def test_files_of_unequal_lengths_are_told_as_such(tmp_path):
    files = written(tmp_path, "doc_id", ["a", "b"], ["a", "b", "c"])
    with pytest.raises(InputError, match="documents") as error:
        f1(*files)
    assert error.value.code != "other-order"
