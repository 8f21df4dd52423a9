import gzip
import json
import os
from functools import partial

import pytest

from keyphrase_metrics.errors import InputError, Message
from keyphrase_metrics.io import (
    Fields,
    OpenOptions,
    ReadOptions,
    atomic,
    check_output,
    join,
    open_dataset,
    open_file,
    read_table,
    resolve,
    write_columns,
)

ROWS = [
    {"id": "a", "predictions": ["x", "y"], "references": ["x"], "text": "x and z"},
    {"id": "b", "predictions": [], "references": ["y", "z"], "text": ""},
]


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def parquet(path, rows):
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(rows if isinstance(rows, pyarrow.Table) else pyarrow.Table.from_pylist(rows), path)
    return path


def read(data, fields=None, separator=None, **wanted):
    data = data if hasattr(data, "rows") else open_file(data)
    wanted = wanted or {"predictions": True, "references": True, "sources": True}
    columns = resolve(data, fields or Fields(), **wanted)
    return read_table(data, columns, ReadOptions(separator))


def errors(call, *args, **kwargs):
    with pytest.raises(InputError) as caught:
        call(*args, **kwargs)
    return "; ".join(map(str, caught.value.messages))


def error(call, *args, **kwargs):
    with pytest.raises(InputError) as caught:
        call(*args, **kwargs)
    return caught.value


def store(path, text):
    """Write a text file, through gzip where its name says so."""
    with (gzip.open if path.suffix == ".gz" else open)(path, "wt", encoding="utf-8", newline="") as file:
        file.write(text)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.jsonl.gz", "a.csv", "a.csv.gz", "a.tsv", "a.parquet"])
def test_every_format_gives_the_same_table(tmp_path, name):
    path = tmp_path / name
    if name == "a.parquet":
        parquet(path, ROWS)
    elif ".json" in name:
        store(path, "\ufeff" + "\n".join(map(json.dumps, ROWS)) + "\n\n")
    else:
        header = ["id", "predictions", "references", "text"]
        cells = [header, ["a", "x; y;", '"[""x""]"', "x and z"], ["b", "", "y;z", ""]]
        comma = "," if ".csv" in name else "\t"
        store(path, "\ufeff" + "".join(comma.join(row) + "\r\n" for row in cells))
    table = read(path)
    assert table.ids == ["a", "b"]
    assert table.systems == {None: [["x", "y"], []]}
    assert table.references == [["x"], ["y", "z"]]
    assert table.sources == ["x and z", ""]


def test_line_numbers_are_those_of_the_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('predictions,references,text\nx,x,"two\nlines"\n\ny,y,z\n')
    assert read(path).numbers.tolist() == [2, 5]
    path = tmp_path / "a.jsonl"
    path.write_text('{"predictions": [], "references": []}\n\n{"predictions": [], "references": []}')
    assert read(path).numbers.tolist() == [1, 3]


@pytest.mark.parametrize("header", ["id;predictions;references", '"id";"keywords";"predictions"', "kp;references"])
def test_a_table_of_a_spreadsheet_whose_cells_are_parted_by_semicolons(tmp_path, header):
    fields = [name.strip('"') for name in header.split(";")]
    path = tmp_path / "a.csv"
    path.write_text(f"\ufeff{header}\n" + ";".join(["wave", '"sea wall;fog"', "tide"][: len(fields)]) + "\n")
    data = open_file(path, OpenOptions(named=frozenset({"kp"})))
    assert data.fields == fields
    references = "keywords" if "keywords" in fields else "references"
    found = read(data, references=True)
    assert found.references == [["sea wall", "fog"] if fields.index(references) == 1 else ["tide"]]


def test_semicolons_in_a_header_with_commas_or_without_known_names_part_nothing(tmp_path):
    path = tmp_path / "a.csv"
    for header in ("predictions,a;references", "a;b"):
        path.write_text(f"{header}\nx,y\n")
        assert open_file(path).fields == header.split(",")


def test_a_quoted_name_is_one_name_whatever_it_holds(tmp_path):
    path = tmp_path / "a.csv"
    for header, fields in (('"a;predictions"', ["a;predictions"]), ('id;keyword;"a, b"', ["id", "keyword", "a, b"])):
        path.write_text(f"{header}\nx;y;z\n")
        assert open_file(path).fields == fields


def test_semicolons_part_a_text_with_a_header_only_where_it_has_ids_or_its_layout_is_named(tmp_path):
    path = tmp_path / "a.txt"
    for header in ("id;predictions", "keywords;predictions"):
        path.write_text(f'{header}\n1;"sea wall;fog"\n')
        named = open_file(path, OpenOptions("catseq_cell"))
        assert (named.fields, open_file(path).fields == named.fields) == (header.split(";"), header.startswith("id"))
    path.write_text('id;predictions\n1;"sea wall;fog"\n')
    assert read(path, predictions=True).systems == {None: [["sea wall", "fog"]]}


def test_text_in_a_last_cell_without_a_name_is_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("predictions;\nsea wall;fog\ntidal power;\n")
    with pytest.warns(UserWarning, match="1 times a last cell, to which the header gives no name, holds text"):
        assert read(path, predictions=True).systems == {None: [["sea wall"], ["tidal power"]]}
    path.write_text(",predictions\n0,sea wall\n1,fog\n")  # with the index of pandas
    assert read(path, predictions=True).systems == {None: [["sea wall"], ["fog"]]}


@pytest.mark.parametrize(
    ("predictions", "ranked"),
    [
        ([["low", 0.1], ["high", 2], ["low too", 0.1]], ["high", "low", "low too"]),
        ([{"phrase": "low", "score": -1}, {"phrase": "high", "score": 0.0}], ["high", "low"]),
        ([{"keyphrase": "a", "score": float("-inf")}, {"keyphrase": "b", "score": 10**400}], ["b", "a"]),
        ([{"text": "a", "score": 1}], ["a"]),
    ],
)
def test_scored_predictions_are_sorted(tmp_path, predictions, ranked):
    path = lines(tmp_path / "a.jsonl", [{"predictions": predictions}])
    assert read(path, predictions=True).systems == {None: [ranked]}
    cell = json.dumps(predictions).replace('"', '""')
    (tmp_path / "a.csv").write_text(f'predictions\n"{cell}"\n')
    assert read(tmp_path / "a.csv", predictions=True).systems == {None: [ranked]}


def test_parquet_with_scores_systems_and_maps(tmp_path):
    import pyarrow

    pairs = [[{"phrase": "a", "score": 0.1}, {"phrase": "b", "score": 0.2}]]
    assert read(parquet(tmp_path / "a.parquet", [{"predictions": pairs[0]}]), predictions=True).systems == {
        None: [["b", "a"]]
    }
    by_system = parquet(tmp_path / "b.parquet", [{"predictions": {"s": ["a"], "t": []}}])
    assert read(by_system, predictions=True).systems == {"s": [["a"]], "t": [[]]}
    kind = pyarrow.map_(pyarrow.string(), pyarrow.list_(pyarrow.string()))
    maps = pyarrow.table({"predictions": pyarrow.array([[("s", ["a"])]], kind)})
    assert read(parquet(tmp_path / "c.parquet", maps), predictions=True).systems == {"s": [["a"]]}


def test_parquet_with_text_that_is_none(tmp_path):
    import pyarrow

    text = pyarrow.array([b"\xff"], pyarrow.binary()).view(pyarrow.string())
    path = parquet(tmp_path / "a.parquet", pyarrow.table({"references": [["a"]], "text": text}))
    assert f"{path}: cannot be read as parquet" in errors(read, path, references=True, sources=True)


def test_kpeval_layout_is_recognised_by_its_keys(tmp_path):
    path = lines(tmp_path / "a.jsonl", [{"source": "s", "target": "a;[b];", "prediction": "[b] ; c"}])
    table = read(path)
    assert (table.references, table.systems, table.sources) == ([["a", "[b]"]], {None: [["[b]", "c"]]}, ["s"])
    path = lines(tmp_path / "b.jsonl", [{"keywords": "a", "prediction": "b"}])
    assert "name the separator that joins them, or parse it" in errors(read, path)
    assert read(path, separator=",").references == [["a"]]


def test_usual_fields(tmp_path):
    first = {"title": "t", "abstract": "a", "text": "x", "keyphrases": ["k"], "predictions": [], "prediction": []}
    data = open_file(lines(tmp_path / "a.jsonl", [first]))
    columns = resolve(data, Fields(), predictions=True, references=True, sources=True)
    assert columns.names() == ["predictions", "keyphrases", "title", "text"]
    assert resolve(data, Fields(), predictions=True).names() == ["predictions"]
    named = Fields("prediction", ["keyphrases"], ["abstract", "title"], "text")
    assert resolve(data, named, predictions=True, references=True, sources=True).sources == ("abstract", "title")


def test_wrong_fields_are_listed_together(tmp_path):
    data = open_file(lines(tmp_path / "a.jsonl", [{"a": 1, "b": 2}]))
    wrong = error(resolve, data, Fields("p", ["r"], ["s"], "i"), predictions=True, references=True, sources=True)
    named = {"id_field": "i", "predictions_field": "p", "references_field": "r", "source_field": "s"}
    unknown = [message for message in wrong.messages if message.code == "unknown-field"]
    assert {message.argument: message.value for message in unknown} == named
    assert f"{data.name} has no field 'p' (predictions_field); it has a, b" in str(wrong)
    wrong = error(resolve, data, Fields(), predictions=True, references=True)
    assert [message.code for message in wrong.messages] == ["missing-field"] * 2
    assert [message.argument for message in wrong.messages] == ["predictions_field", "references_field"]
    assert "no field predictions or prediction" in str(wrong)
    assert "no field references, target, keyphrases, keywords, keyword, extractive" in str(wrong)
    assert "with references_field, or give the file that holds them with references" in str(wrong)


GOOD = {"id": 1, "predictions": ["a"], "references": ["a"], "text": "a"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predictions": None}, "field 'predictions' is null; it must be a list of phrases"),
        ({"predictions": "a"}, "field 'predictions' is 'a' (str); it must be a list of phrases"),
        ({"predictions": [["a", 1], "b"]}, "field 'predictions' gives other phrases a score, but none to 'b'; give"),
        ({"predictions": ["b", ["a", 1]]}, "field 'predictions' gives other phrases a score, but none to 'b'; give"),
        ({"predictions": ["a", 1]}, "field 'predictions' holds an item that is 1 (int); every phrase must be a string"),
        ({"predictions": [None]}, "field 'predictions' holds an item that is null; every item must be a string, or"),
        (
            {"predictions": [["a", float("nan")]]},
            "field 'predictions' gives 'a' the score nan; a score must be a number",
        ),
        ({"predictions": [["a", "1"]]}, "field 'predictions' gives 'a' the score '1'; a score must be a number"),
        ({"predictions": [["a", True]]}, "field 'predictions' gives 'a' the score True"),
        ({"predictions": [{"phrase": "a"}]}, "field 'predictions' holds an object with 'phrase'; every item must be"),
        ({"predictions": [["a", 1, 2]]}, "field 'predictions' holds an item that is ['a', 1, 2] (list)"),
        (
            {"predictions": {"s": ["a"]}},
            "field 'predictions' has predictions of 's'; the lines before have one unnamed",
        ),
        ({"references": 3}, "field 'references' is 3 (int); it must be a list of phrases"),
        ({"references": [["a", 0]]}, "field 'references' gives a reference the weight 0; a weight must be a positive"),
        ({"references": [["a", 1], "b"]}, "field 'references' gives 1 of 2 references a weight; give all of them one"),
        ({"references": [["a", None]]}, "field 'references' holds an item that is ['a', None] (list)"),
        (
            {"predictions": [["tidal", "power"]]},
            "field 'predictions' holds a list in the list, ['tidal', 'power']; only references have",
        ),
        (
            {"predictions": [{"keyword": "a", "rank": 1}]},
            "field 'predictions' holds an object with 'keyword', 'rank'; every item must be",
        ),
        (
            {"predictions": [{"keyword": None, "score": 1}]},
            "field 'predictions' holds an item whose phrase is null; every item must be",
        ),
        ({"predictions": {"a": 0.5, "b": None}}, "field 'predictions' gives 'b' the score None; a score must be"),
        ({"text": None}, "field 'text' is null; it must be the document's text (id '1'); no_sources ignores the texts"),
        ({"text": ["a", 1]}, "field 'text' is ['a', 1] (list)"),
        ({"id": None}, "field 'id' is null; an id must be a string or a whole number"),
        ({"id": 1.5}, "field 'id' is 1.5 (float)"),
        ({"id": "\ud800"}, r"field 'id' is '\ud800' (str); it is not valid Unicode"),
    ],
)
def test_a_wrong_value_is_named_with_file_line_and_field(tmp_path, change, message):
    path = lines(tmp_path / "a.jsonl", [GOOD, {**GOOD, **change}])
    wrong = error(read, path)
    assert wrong.place == f"{path}, line 2"
    assert wrong.code
    assert f"{path}, line 2: {message}" in str(wrong)


@pytest.mark.parametrize(
    ("line", "message", "value"),
    [
        (
            '{"predictions": ["a"], "references": ["a"], "predictions": ["b"]}',
            "has the field 'predictions'",
            "predictions",
        ),
        ('{"predictions" : {"s": ["a"], "s": []}, "references": ["a"]}', "field 'predictions' has the key 's'", "s"),
        (
            '{"predictions": ["a"], "references": {"x": ["a"], "x": []}}',
            "field 'references' has the annotator 'x'",
            "x",
        ),
        ('{"predictions":["a"],"predictions" :["b"],"references":["a"]}', "has the field 'predictions'", "predictions"),
        (
            r'{"predictions":["a"],"prediction\u0073":["b"],"references":["a"]}',
            "has the field 'predictions'",
            "predictions",
        ),
        (
            r'{"predictions":{"caf\u00e9":0.9,"fog":0.2,"caf\u00e9":0.05},"references":["a"]}',
            "'predictions' has the key 'café'",
            "café",
        ),
        ('{"predictions":{"fog" : 0.9,"fog" : 0.05},"references":["a"]}', "'predictions' has the key 'fog'", "fog"),
        (
            r'{"predictions":{"s\u00e9":["fog"],"s\u00e9":["sun"]},"references":["a"]}',
            "'predictions' has the key 'sé'",
            "sé",
        ),
        (
            '{"predictions":[{"phrase":"fog","phrase":"sun","score":1}],"references":["a"]}',
            "'predictions' holds an object that has the key 'phrase'",
            "phrase",
        ),
        (
            '{"predictions":["a"],"references":["a",{"phrase":"fog","weight":1,"weight":2}]}',
            "'references' holds an object that has the key 'weight'",
            "weight",
        ),
    ],
)
@pytest.mark.parametrize("array", [False, True])
def test_a_repeated_field_is_refused(tmp_path, line, message, value, array):
    path = tmp_path / "a.json"
    path.write_text(f"[{line}]" if array else f"{line}\n")
    table = partial(read_table, options=ReadOptions(annotators="allowed"))
    with pytest.raises(InputError, match=f"{message} more than once") as caught:
        data = open_file(path)
        table(data, resolve(data, Fields(), predictions=True, references=True))
    assert (caught.value.code, caught.value.value) == ("repeated-field", value)
    assert caught.value.place == f"{path}, {'document' if array else 'line'} 1"


def test_wrong_systems_and_missing_fields(tmp_path):
    rows = [{"predictions": {"s": ["a"], "t": []}}, {"predictions": {"s": []}}, {"predictions": {"s": 1, "t": []}}, {}]
    message = errors(read, lines(tmp_path / "a.jsonl", rows), predictions=True)
    assert "line 2: field 'predictions' has predictions of 's'; the lines before have 's', 't'" in message
    assert "line 3: field 'predictions' of system 's' is 1 (int)" in message
    assert "line 4: has no field 'predictions'" in message


def test_many_wrong_lines_are_counted(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(json.dumps(GOOD).encode() + b'\n{"id": \n[1]\n"\xff"\nnull\n' + b"[" * 100_000 + b"\n")
    assert errors(read, path).split(f"{path}, ") == [
        "",
        "line 2: not valid JSON (Expecting value at column 7); expected one JSON object per line; ",
        "line 3: is [1] (list); a line must be one JSON object; ",
        f"line 4: is not valid UTF-8 at byte 2; 2 more like these in {path}",
    ]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b"", "holds no documents"),
        ("a.jsonl", b"\n \n", "holds no documents"),
        ("a.csv", b"", "holds no documents"),
        ("a.csv", b"predictions,references\n", "holds no documents"),
        ("a.csv", b"id,id\n1,2\n", "its header names 'id' more than once"),
        ("a.csv", b"predictions,references\nx\n", "line 2: has 1 cells, but the header has 2"),
        ("a.csv", b'predictions,references\nx,y\nx,"y\nz', "line 3: is not CSV (unexpected end of data)"),
        ("a.csv", b"predictions,references\nx,[y]\n", "line 2: field 'references' is '[y]' (str); a cell in square"),
        ("a.csv", b"predictions,references\nx,\xff\n", "line 2: is not valid UTF-8 at byte 3"),
        ("a.parquet", b"PAR1", "cannot be read as parquet"),
        ("a.jsonl.gz", b"no gzip", "Not a gzipped file"),
        (
            "a.jsonl.gz",
            gzip.compress(b'{"predictions": [], "references": []}\n' * 99, mtime=0)[:-20],
            "is not a complete gzip file",
        ),
        ("a.txt", b"", "holds no documents"),
        ("a.xls", b"", "its suffix is not known; use .jsonl"),
        ("a.parquet.gz", b"", "its suffix is not known; use .jsonl"),
    ],
)
def test_broken_files(tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    assert message in errors(read, path)
    assert str(path) in errors(read, path)


def test_missing_files_and_folders(tmp_path):
    assert "there is no such file" in errors(open_file, tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").mkdir()
    assert "is not a file" in errors(open_file, tmp_path / "b.jsonl")


def test_all_that_is_wrong_before_a_fatal_error_is_told_too(tmp_path):
    (tmp_path / "a.csv").write_text('predictions,references\nx\nx,"y')
    assert errors(read, tmp_path / "a.csv").count("line") == 2


def tables(tmp_path, predicted, referenced):
    predicted = lines(tmp_path / "p.jsonl", [{**row, "predictions": [f"p{i}"]} for i, row in enumerate(predicted)])
    referenced = lines(tmp_path / "r.jsonl", [{**row, "references": [f"r{i}"]} for i, row in enumerate(referenced)])
    return read(predicted, predictions=True), read(referenced, references=True)


def ids(*names):
    return [{"id": name} for name in names]


def test_join_by_id_keeps_the_order_of_the_references(tmp_path):
    documents = join(*tables(tmp_path, ids("c", 2, "a"), ids("a", "2", "c")))
    assert documents.ids == ["a", "2", "c"]
    assert documents.predictions(None) == [["p2"], ["p1"], ["p0"]]
    assert documents.references == [["r0"], ["r1"], ["r2"]]
    places = {
        (argument, document): documents.locate(Message("wrong", ("is wrong",), argument, document)).place
        for argument, document in [("predictions", 0), ("references", 2), ("corpus", 1), ("references", None)]
    }
    assert places.pop(("predictions", 0)).endswith("p.jsonl, line 3 (id 'a')")
    assert places.pop(("references", 2)).endswith("r.jsonl, line 3 (id 'c')")
    assert set(places.values()) == {None}


def test_join_by_id_names_what_does_not_fit(tmp_path):
    message = errors(join, *tables(tmp_path, ids("x", "a", "a"), ids("a", "b", "b", "c", "d", "e")))
    assert "p.jsonl repeats 1 id ('a')" in message
    assert "r.jsonl repeats 1 id ('b')" in message
    assert "p.jsonl has 1 id ('x') that" in message
    assert "p.jsonl lacks 4 ids ('b', 'c', 'd', …) of" in message


def test_subset(tmp_path):
    documents = join(*tables(tmp_path, ids("c", "a"), ids("a", "b", "c")), subset=True)
    assert documents.predictions(None) == [["p1"], ["p0"]]
    assert documents.references == [["r0"], ["r2"]]
    assert "('x')" in errors(join, *tables(tmp_path, ids("x"), ids("a")), subset=True)


def test_join_by_order(tmp_path):
    documents = join(*tables(tmp_path, [{}, {}], [{}, {}]))
    assert (documents.ids, documents.predictions(None), documents.references) == (
        None,
        [["p0"], ["p1"]],
        [["r0"], ["r1"]],
    )
    assert "p.jsonl has 1 documents and" in errors(join, *tables(tmp_path, [{}], [{}, {}]))
    wrong = error(join, *tables(tmp_path, ids("a"), [{}]))
    assert wrong.code == "missing-ids"
    assert "name their field with id_field, or join the two by order with by_order" in str(wrong)
    assert join(*tables(tmp_path, ids("a"), [{}]), by_order=True).ids == ["a"]
    assert join(*tables(tmp_path, ids("a", "a"), ids("b", "b")), by_order=True).ids == ["b", "b"]


def test_one_file(tmp_path):
    documents = join(read(lines(tmp_path / "a.jsonl", ROWS)))
    assert (documents.ids, documents.sources) == (["a", "b"], ["x and z", ""])
    assert "repeats 1 id ('a')" in errors(join, read(lines(tmp_path / "a.jsonl", [ROWS[0]] * 2)))


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    datasets = pytest.importorskip("datasets")
    folder = tmp_path_factory.mktemp("datasets")
    midas = datasets.Dataset.from_list(
        [
            {
                "id": 7,
                "document": ["An", "apple"],
                "extractive_keyphrases": ["apple"],
                "abstractive_keyphrases": ["fruit"],
                "doc_bio_tags": ["O", "B"],
            }
        ]
    )
    taln = datasets.Dataset.from_list([{"id": "1", "title": "T", "abstract": "A", "keyphrases": ["k"]}])
    midas.with_format("numpy").save_to_disk(folder / "midas")
    datasets.DatasetDict({"train": taln, "test": taln}).save_to_disk(folder / "taln")
    return folder


def test_midas_data_set(saved):
    table = read(open_dataset(str(saved / "midas")), references=True, sources=True)
    assert (table.ids, table.references, table.sources) == (["7"], [["apple", "fruit"]], ["An apple"])
    only = read(open_dataset(str(saved / "midas")), Fields(references=["abstractive_keyphrases"]), references=True)
    assert only.references == [["fruit"]]


def test_taln_data_set(saved):
    table = read(open_dataset(str(saved / "taln"), split="train"), references=True, sources=True)
    assert (table.ids, table.references, table.sources) == (["1"], [["k"]], ["T A"])


def test_data_sets_that_cannot_be_loaded(saved, tmp_path):
    taln = str(saved / "taln")
    assert errors(open_dataset, taln, split="dev") == f"data set {taln!r} has no split 'dev'; it has train, test"
    assert "has no configurations" in errors(open_dataset, taln, "raw")
    assert "there is no such folder" in errors(open_dataset, str(tmp_path / "none"))
    message = errors(open_dataset, str(tmp_path))
    assert message.startswith(f"data set {str(tmp_path)!r} cannot be loaded: ")
    assert "\n" not in message


def test_a_folder_of_files_is_loaded_by_the_library(tmp_path):
    pytest.importorskip("datasets")
    lines(tmp_path / "test.jsonl", [{"id": "1", "keyphrases": ["k"]}])
    table = read(open_dataset(str(tmp_path)), references=True, sources=True)
    assert (table.ids, table.references, table.sources) == (["1"], [["k"]], None)
    assert "dev" in errors(open_dataset, str(tmp_path), split="dev")


def test_atomic_writing_changes_nothing_on_an_error(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("old")

    def fail():
        with atomic(path) as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]
    with atomic(path) as file:
        file.write(b"new")
    assert path.read_text() == "new"


def test_atomic_writing_follows_links(tmp_path):
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    with atomic(tmp_path / "link.json") as file:
        file.write(b"{}")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text() == "{}"


def test_outputs_are_checked_beforehand(tmp_path):
    assert "there is no folder" in errors(check_output, tmp_path / "none" / "a.json")
    assert "use .jsonl or .parquet" in errors(check_output, tmp_path / "a.csv", (".jsonl", ".parquet"))
    assert "is not a file" in errors(check_output, tmp_path)
    check_output(tmp_path / "a.json")


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_written_columns_read_back(tmp_path, suffix):
    import pyarrow.parquet

    columns = {"id": ["é", "b"], "ndcg": [0.5, None]}
    path = tmp_path / f"a{suffix}"
    with atomic(path) as file:
        write_columns(file, columns, suffix)
    if suffix == ".jsonl":
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    else:
        rows = pyarrow.parquet.read_table(path).to_pylist()
    assert rows == [{"id": "é", "ndcg": 0.5}, {"id": "b", "ndcg": None}]
