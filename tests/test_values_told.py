"""What reading says of separators and of the order of scores, whatever the layout of the files."""

import json

import pytest
from support.command_line import lines

SHARDS = ["--shard-size", "1"]
F1 = "keyphrase_f1(cutoffs=[2])"
FEW, MANY = [["fog", 0.1], ["sea wall", 0.9]], [["sea wall", 0.9], ["fog", 0.1]]


@pytest.fixture
def said(tmp_path, cli):
    """Write files, score two of them; return what is said."""

    def run(files, *options):
        for name, content in files.items():
            (tmp_path / name).write_text(content, encoding="utf-8")
        predictions, references = (str(tmp_path / name) for name in list(files)[:2])
        status, _, err = cli("score", predictions, "--references", references, "--metrics", F1, *options)
        assert status == 0, err
        return err.replace(f"{tmp_path}/", "")

    return run


def warning(name, side, holds=",", used=";", times="2 of 3"):
    return f"warning: {name}: {times} {side} that are one string hold {holds!r} and none holds {used!r}"


IDS = ["A-1", "B-2", "C-3"]
PLAIN = ["fog, sea wall", "tide", "sun, moon"]
LAYOUTS = {
    "text.txt": "".join(f"{each}\n" for each in PLAIN),
    "bare.tsv": "".join(f"{key}\t{each}\n" for key, each in zip(IDS, PLAIN, strict=True)),
    "semeval.final": "".join(f"{key} : {each.replace(',', ';')}\n" for key, each in zip(IDS, PLAIN, strict=True)),
}
KP20K = "".join(json.dumps({"title": "t", "abstract": "x", "keywords": each}) + "\n" for each in PLAIN)


@pytest.mark.parametrize("how", [[], SHARDS])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_layout_that_cuts_strings_tells_a_wrong_separator(said, name, how):
    signs = (";", ",") if name.endswith(".final") else (",", ";")
    content = LAYOUTS[name]
    other = f"gold{name[name.index('.') :]}"
    err = said({name: content, other: content}, *how)
    assert warning(name, "predictions", *signs) in err
    assert warning(other, "references", *signs) in err
    assert said({name: content, other: content}, "--separator", signs[0], *how) == ""


@pytest.mark.parametrize("how", [[], SHARDS])
def test_joined_keywords_of_json_tell_it(said, how):
    err = said({"text.txt": "fog;sun\ntide\nmoon\n", "gold.json": KP20K}, *how)
    assert err.count("warning") == 1
    assert warning("gold.json", "references") in err


@pytest.mark.parametrize("how", [[], SHARDS])
def test_a_separator_of_the_predictions_alone_is_told_of_the_references(said, how):
    files = {"text.txt": "fog,sun\ntide\nmoon\n", "gold.txt": "fog;sun\ntide;sea\nmoon;sun\n"}
    err = said(files, "--separator", ",", *how)
    assert err.count("one string") == 1
    assert warning("gold.txt", "references", ";", ",", "3 of 3") in err


@pytest.mark.parametrize(
    ("predicted", "referenced"),
    [
        ("fog\ntide\nsun\n", "fog\nsea wall\n\n"),  # one phrase each
        ("1 , 2 - diol\ntide\nsun\n", "1 , 2 - diol\ntide\nsun\n"),  # a sign within some phrases
        ("a , b;c\nd , e\nf , g\n", "a , b;c\nd , e\nf , g\n"),  # the separator is there
        ("fog\ntide\nsun\n", "fog|mist\ntide|sea\nsun\n"),  # variants
    ],
)
def test_other_texts_tell_nothing(said, predicted, referenced):
    assert "one string" not in said({"text.txt": predicted, "gold.txt": referenced})


def test_the_sign_of_variants_is_no_separator(tmp_path, cli):
    path = tmp_path / "run.csv"
    path.write_text("id,predictions,references\n1,fog,fog|mist\n2,tide,tide|sea\n")
    assert "one string" in cli("score", path, "--metrics", F1)[2]
    assert "one string" not in cli("score", path, "--metrics", F1, "--variants", "|")[2]


@pytest.mark.parametrize("how", [[], SHARDS])
def test_scores_that_rise_in_most_lists_are_told(tmp_path, cli, how):
    def run(*lists, options=()):
        given = [{"id": str(i), "predictions": each, "references": ["fog"]} for i, each in enumerate(lists)]
        path = lines(tmp_path / "run.jsonl", given)
        status, out, err = cli("score", path, "--metrics", F1, "--json", *how, *options)
        assert status == 0, err
        return json.loads(out)["systems"]["run"][F1]["preparation"], err

    preparation, err = run(FEW, FEW, MANY, [["fog", 1.0]])
    told = "2 of 3 lists of scores are in ascending order, and were turned round, the highest first"
    assert f"{told}; say with --score-order which is first" in err
    assert err.count("warning") == 1
    found = {"scored_lists": 4, "ascending_lists": 2, "lists_with_two_scores": 3}
    assert found.items() <= preparation.items()
    for order in ("ascending", "descending", "given"):
        assert run(FEW, FEW, MANY, options=["--score-order", order])[1] == ""
    assert run(FEW, MANY)[1] == ""  # half of them


def test_the_table_that_score_wrote_is_not_compared(tmp_path, cli):
    path = lines(tmp_path / "run.jsonl", [{"id": "1", "predictions": ["fog"], "references": ["fog"]}])
    tables = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for table in tables:
        assert cli("score", path, "--metrics", F1, "--output", table)[0] == 0
    status, _, err = cli("compare", *tables)
    assert status == 2
    for table in tables:
        assert f"{table} holds scores that score wrote as CSV; compare needs the JSON of --output" in err
    assert "has no field" not in err


@pytest.mark.parametrize("how", [[], SHARDS])
def test_cells_that_stand_for_nothing_are_told_once(said, how):
    def table(field, cells):
        return f"id,{field}\n" + "".join(f"d{row},{cell}\n" for row, cell in enumerate(cells))

    gold = table("references", ["tidal power", "nanometre", "none of these"])
    err = said({"run.csv": table("predictions", ["nan", "nan", "nan"]), "gold.csv": gold}, *how)
    assert err.count("are one string are") == 1
    assert "warning: run.csv: 3 of 3 predictions that are one string are 'nan', and are scored as that phrase" in err
    err = said(
        {"run.csv": table("predictions", ["N/A", "", "fog;nan"]), "gold.csv": gold.replace("tidal power", "NULL")}, *how
    )
    assert "warning: run.csv: 1 of 2 predictions that are one string are 'N/A'" in err
    assert "warning: gold.csv: 1 of 3 references that are one string are 'NULL'" in err
