"""FEM-KP: both tracks against a few lines written here, what is refused, and the index on the command line."""

import json
import math
import pickle
import subprocess
import sys
import warnings

import datasets
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.models import orthogonal_encoder, toy_encoder
from support.strategies import documents, stems, unique_stems

import keyphrase_metrics
from keyphrase_metrics import score
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.inputs import Data
from keyphrase_metrics.retrieval.index import Index
from keyphrase_metrics.scoring import configure, score_shard
from keyphrase_metrics.text.analyzer import Analyzer

SERIALIZE = "fem_kp(generator=serialize)"
PREDICTIONS = [["tidal power", "sea wall"], ["solar farms", "power"], ["peat"]]
SUMMARIES = ["Power from tides.", "Farms that use the sun.", "Peat is wet."]
SOURCES = ["Tidal power from a sea wall.", "A solar farm takes land and gives power.", "Old peat, wet peat."]
CORPUS = ["Wind power at sea.", "The price of solar power.", "Peat, peat, and again peat."]

pytestmark = pytest.mark.filterwarnings("ignore:.*documents have no")


def fem(predictions=PREDICTIONS, summaries=SUMMARIES, sources=SOURCES, corpus=None, metric="fem_kp", **options):
    options = {"generator": "serialize", "encoder": toy_encoder, "per_document": True} | options
    return score(predictions, sources=sources, summaries=summaries, corpus=corpus, metrics=[metric], **options)[metric]


def brute_rank(terms, own, texts):
    """Eq. 18 over token lists; the rank of one of them, None where it scores nothing."""
    average = sum(map(len, texts)) / len(texts)

    def count(term, text):
        return sum(text[i : i + len(term)] == term for i in range(len(text)))

    def bm25(text):
        total = 0.0
        for term in terms:
            df, fr = sum(count(term, other) > 0 for other in texts), count(term, text)
            idf = math.log(1 + (len(texts) - df + 0.5) / (df + 0.5))
            total += idf * fr * 2.5 / (fr + 1.5 * (0.25 + 0.75 * len(text) / average))
        return total

    return sum(bm25(text) >= bm25(own) - 1e-9 for text in texts) if bm25(own) > 0 else None


@given(
    docs=documents(),
    others=st.lists(st.lists(st.sampled_from(["wind", "power", "farms"]), max_size=6)),
    unit=st.booleans(),
)
def test_both_tracks_as_the_paper_has_them(docs, others, unit):
    predictions, references, sources = ([doc[i] for doc in docs] for i in range(3))
    summaries, corpus = list(map(" ".join, references)), list(map(" ".join, others))
    name = "token" if unit else "phrase"
    result = fem(predictions, summaries, sources, corpus, unit=name, beta=0.25, delta=0.75).per_document
    texts = [stems(text) for text in dict.fromkeys([*sources, *corpus]) if text]
    for row, (phrases, summary, source) in enumerate(zip(predictions, summaries, sources, strict=True)):
        terms, first = unique_stems(phrases), {stems(phrase): phrase for phrase in reversed(phrases)}
        rank, cosine = None, 0.0
        if summary and source and phrases:
            query = [(token,) for term in terms for token in term] if unit else terms
            rank = brute_rank(query, stems(source), texts)
            ours, gold = toy_encoder(["; ".join(first[term] for term in terms), summary])
            cosine = ours @ gold / np.linalg.norm(ours) / np.linalg.norm(gold)
        assert result["retrieval_rank"][row] == rank
        assert result["retrieval"][row] == (1 / rank if rank else 0)
        assert result["reconstruction"][row] == pytest.approx(cosine, abs=1e-6)
        assert result["fem_kp"][row] == pytest.approx(0.25 * cosine + 0.75 * (1 / rank if rank else 0), abs=1e-6)


def test_the_summary_is_written_by_the_generator():
    asked = []

    def write(lists):
        asked.extend(lists)
        return [phrases[0] if phrases[0] != "fog" else " " for phrases in lists]

    predictions = [
        ["tidal power", "Tidal Powers", " "],
        ["solar  farms", "power"],
        ["fog"],
        [],
        ["solar farms", "power"],
    ]
    summaries, sources = ["tidal power", "wind", "fog", "rain", "wind"], ["Tides.", "Sun.", "Fog.", "Rain.", "Wind."]
    result = fem(predictions, summaries, sources, generator=write, encoder=orthogonal_encoder, explain=True)
    assert asked == [["tidal power"], ["solar farms", "power"], ["fog"]]  # each once, prepared, no empty one
    assert result.per_document["summary"] == ["tidal power", "solar farms", "", "", "solar farms"]
    assert result.per_document["reconstruction"] == [1, 0, 0, 0, 0]
    assert result.signature.values["generator"].startswith("custom:test_fem_kp.")


def test_a_model_writes_summaries_and_is_named_in_the_signature(bart):
    result = fem(generator=bart, encoder=toy_encoder, num_beams=2, max_new_tokens=5, revision="main")
    plain = keyphrase_metrics.models.generation.generator_for(bart)
    expected = plain.generate(PREDICTIONS, batch_size=1, num_beams=2, max_new_tokens=5)
    assert result.per_document["summary"] == expected
    values = result.signature.values
    assert {values["generator"], values["num_beams"], values["max_new_tokens"]} == {plain.name, "2", "5"}
    assert len(values["generator_weights"]) == 12
    assert result.differences(fem(generator=bart, num_beams=2, max_new_tokens=6, revision="main")).keys() >= {
        "max_new_tokens"
    }


@pytest.mark.parametrize("unit", ["phrase", "token"])
def test_a_corpus_comes_in_any_form(tmp_path, unit):
    expected = fem(corpus=CORPUS, unit=unit)
    assert expected.per_document["retrieval_rank"] != fem(unit=unit).per_document["retrieval_rank"]
    column = datasets.Dataset.from_dict({"text": CORPUS})["text"]
    built = Index.build([*CORPUS, *SOURCES])
    built.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    again = pickle.loads(pickle.dumps(opened))
    forms = [iter(CORPUS), tuple(CORPUS), column, [*CORPUS, *SOURCES, "", CORPUS[0]], built, opened, again]
    for corpus in [*forms, tmp_path / "index", str(tmp_path / "index")]:
        result = fem(corpus=corpus, unit=unit)
        assert (result.scores, result.per_document) == (expected.scores, expected.per_document)
        assert (result.data, result.signature.diff(expected.signature).keys()) == (expected.data, {"encoder"})


def test_the_fingerprint_knows_summaries_sources_and_corpus():
    data = fem().data
    assert (data.documents, data.corpus[0]) == (3, 3)
    assert fem(PREDICTIONS[::-1], SUMMARIES[::-1], SOURCES[::-1]).data == data
    assert data.diff(fem(summaries=["x", *SUMMARIES[1:]]).data).keys() == {"summaries", "sources"}
    changed = fem(sources=["Tidal power.", *SOURCES[1:]]).data
    assert data.diff(changed).keys() == {"sources", "corpus"}
    assert data.diff(fem(corpus=CORPUS).data).keys() == {"corpus_documents", "corpus"}
    assert data.diff(fem(corpus=["Fog."]).data).keys() == data.diff(fem(corpus=CORPUS).data).keys()
    assert keyphrase_metrics.Fingerprint.parse(str(data)) == data
    with_f1 = score(
        PREDICTIONS, [["a"]] * 3, SOURCES, summaries=SUMMARIES, metrics=["keyphrase_f1", SERIALIZE], encoder=toy_encoder
    )
    assert with_f1["keyphrase_f1"].data.sums.keys() == {"references"}
    assert with_f1[SERIALIZE].data == data


def test_shards_add_up_only_when_ranked_in_one_index():
    metrics = configure([SERIALIZE], encoder=toy_encoder)

    def shard(first, last, collection):
        data = Data(PREDICTIONS[first:last], None, SOURCES[first:last], SUMMARIES[first:last], collection)
        return score_shard(data, metrics)[SERIALIZE]

    index = Index.build([*SOURCES, *CORPUS])
    whole, added = fem(corpus=CORPUS), shard(0, 1, index) + shard(1, 3, index)
    assert added.scores == pytest.approx(whole.scores, abs=1e-6)
    assert added.data == whole.data
    with pytest.raises(ValueError, match="ranked in different corpora and cannot be added"):
        _ = shard(0, 1, None) + shard(1, 3, None)


def test_an_index_lasts_over_calls(monkeypatch):
    built = []
    build = Index.build.__func__
    monkeypatch.setattr(
        Index, "build", classmethod(lambda cls, *args, **kwargs: built.append(1) or build(cls, *args, **kwargs))
    )
    fem(corpus=[*CORPUS, "a corpus of its own"], unit="token")
    fem([["sea"]] * 3, corpus=["a corpus of its own", *CORPUS])
    assert len(built) == 1
    fem(corpus=CORPUS[1:], stemmer=None)
    fem(corpus=CORPUS[1:])
    assert len(built) == 3
    fem(corpus=CORPUS[:1], stemmer=str.lower)
    fem(corpus=CORPUS[:1], stemmer=str.lower)
    assert len(built) == 5, "what a callable gives is not kept over calls"


def test_an_index_that_is_changed_while_it_is_kept_is_noticed(tmp_path):
    folder = tmp_path / "index"
    Index.build([*SOURCES, *CORPUS]).save(folder)
    assert fem(corpus=folder).scores == fem(corpus=CORPUS).scores
    path = folder / "documents.npy"
    path.write_bytes(path.read_bytes()[:-4] + b"\x00\x00\x00\x00")
    with pytest.raises(ValueError, match=r"documents\.npy is not what was saved"):
        fem(corpus=folder)


def test_a_saved_index_that_is_replaced_is_opened_anew(tmp_path):
    for corpus in (CORPUS, CORPUS[:1]):
        Index.build([*SOURCES, *corpus]).save(tmp_path / "index")
        assert fem(corpus=tmp_path / "index").scores == fem(corpus=corpus).scores
        for path in (tmp_path / "index").iterdir():
            path.unlink()


def test_the_two_retrievers_agree_where_no_idf_is_negative():
    texts = [*SOURCES, *CORPUS, "Fog.", "Rain.", "Hail.", "Snow and ice."]
    ours = fem(corpus=texts, unit="token").per_document["retrieval_rank"]
    theirs = fem(corpus=texts, unit="token", retriever="rank_bm25")
    assert theirs.per_document["retrieval_rank"] == ours
    assert theirs.signature.values["rank_bm25"] == "0.2.2"


def test_max_rank_and_ties():
    twins = [f"Tidal power in bay {letter}." for letter in "abcdefghij"]
    result = fem([["tidal power"]], ["x"], ["Tidal power in bay x."], twins)
    assert (result.per_document["retrieval_rank"], result.scores["retrieval"]) == ([11], 1 / 11)
    assert fem([["tidal power"]], ["x"], ["Tidal power in bay x."], twins, max_rank=10).scores["retrieval"] == 0
    assert fem([["fog"]], ["x"], ["Tidal power."], twins).per_document["retrieval_rank"] == [None]


def test_documents_without_summary_or_words():
    given = [["wind"]] * 4, ["a wind", "  ", "a wind", "a wind"], ["Wind.", "Wind blows.", " ", "The wind."]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        zero = fem(*given)
    told = "2 of 4 documents have no summary or no words in their text; they score 0"
    assert any(told in str(each.message) for each in caught)  # beside what is said of empty texts
    assert zero.per_document["retrieval"] == [1, 0, 0, 1 / 3]  # "Wind blows." is as long as "The wind."
    assert zero.per_document["summary"] == ["wind", "", "", "wind"]
    assert zero.per_document["retrieval_rank"][1:3] == [None, None]
    skip = fem(*given, on_empty="skip")
    assert skip.per_document["fem_kp"][1:3] == [None, None]
    assert skip.scores["reconstruction"] == pytest.approx(zero.scores["reconstruction"] * 2)
    with pytest.raises(ValueError, match=r"summaries\[1\] is blank; on_empty='error'"):
        fem(*given, on_empty="error")
    with pytest.raises(ValueError, match=r"sources\[1\] has no words; on_empty='error'"):
        fem([["a"]] * 2, ["a", "b"], ["a", "\t"], on_empty="error")
    module = keyphrase_metrics.load("fem_kp", generator="serialize", encoder=toy_encoder, on_empty="error")
    with pytest.raises(ValueError, match=r"references\[0\] is blank"):
        module.compute(predictions=[["a"]], references=[""], sources=["a"])


BAD = [
    ({"summaries": None}, "missing", "summaries is missing; fem_kp needs the documents' gold summaries"),
    ({"sources": None}, "missing", "sources is missing; fem_kp needs the documents' texts"),
    ({"summaries": SUMMARIES[:2]}, "lengths-differ", "predictions has 3, sources has 3, summaries has 2"),
    ({"summaries": ["a", None, "b"]}, "not-a-string", r"summaries\[1\] is None .* the document's summary"),
    ({"summaries": [["a"], "b", "c"]}, "not-a-string", r"summaries\[0\] is \['a'\] \(list\)"),
    ({"summaries": ["a", "\ud800", "b"]}, "not-unicode", r"summaries\[1\] holds '\\ud800', which is not valid Unicode"),
    ({"sources": ["a", "b", 3]}, "not-a-string", r"sources\[2\] is 3"),
    ({"corpus": ["a", 3]}, "not-a-string", r"corpus\[1\] is 3 \(int\)"),
    ({"corpus": ["a", "\udfff"]}, "not-unicode", r"corpus\[1\] holds '\\udfff'"),
    ({"corpus": {"a": "b"}}, "wrong-type", "corpus is {'a': 'b'}"),
    ({"corpus": 5}, "wrong-type", r"corpus is 5 \(int\); give texts, .* or the folder of a saved one"),
    (
        {"corpus": "/no/such/index"},
        "not-an-index",
        "corpus='/no/such/index' is not the folder of a saved index; give",
    ),
    ({"corpus": datasets.Dataset.from_dict({"t": ["a"]}).to_pandas()}, "wrong-type", "corpus is"),
    (
        {"sources": datasets.Dataset.from_dict({"t": ["a"]}).to_pandas()},
        "wrong-type",
        "sources is a DataFrame; give one of its columns",
    ),
    ({"beta": 0.7}, "wrong-sum", "beta=0.7 and delta=0.5 add up to 1.2; they must add up to 1"),
    ({"beta": -0.5, "delta": 1.5}, "not-allowed", r"beta=-0.5 is not allowed"),
    ({"beta": "x", "delta": None}, "not-allowed", r"beta='x' is not allowed"),
    ({"beta": float("nan"), "delta": 0.5}, "not-allowed", "beta=nan"),
    ({"retriever": "rank_bm25"}, "exclusive", "retriever='rank_bm25' ranks by tokens only; name unit='token'"),
    ({"unit": "word"}, "not-allowed", "unit='word' is not allowed; choose 'phrase' or 'token'"),
    ({"generator": 5}, "not-allowed", "generator=5 is not allowed"),
    ({"generator": lambda lists: ["one"]}, "wrong-return", "gave 1 summaries for 3"),
    ({"max_rank": 0}, "not-allowed", "max_rank=0 is not allowed"),
    ({"k1": -1}, "not-allowed", "k1=-1 is not allowed"),
    ({"b": 1.5}, "not-allowed", "b=1.5 is not allowed"),
    ({"corpus": Index.build(["a"]), "stemmer": None}, "other-preparation", "made with stemmer='porter', not None"),
    (
        {"corpus": Index.build(SOURCES[:1])},
        "not-in-index",
        r"sources\[1\] is .*, which is not in the index \(2 of 3 documents are not\)",
    ),
]


@pytest.mark.model
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"generator": "/no/such/model"}, "generator='/no/such/model' cannot be loaded: there is no such folder"),
        ({"encoder": "./none"}, "encoder='./none' cannot be loaded: there is no such folder"),
        ({"generator": "no/such-model"}, r"generator='no/such-model' cannot be loaded: .*generator='serialize'"),
    ],
)
def test_a_model_that_cannot_be_loaded(changed, message):
    with pytest.raises(InputError, match=message) as caught:
        fem(**changed)
    assert caught.value.code == "cannot-load"


@pytest.mark.parametrize(("changed", "code", "message"), BAD)
def test_bad_input_is_refused(changed, code, message):
    with pytest.raises(InputError, match=message) as caught:
        fem(**changed)
    assert caught.value.code == code


def test_a_corpus_is_for_metrics_that_rank():
    with pytest.raises(ValueError, match="corpus is only used by fem_kp, which is not among the metrics"):
        score([["a"]], [["a"]], corpus=["a"])
    with pytest.raises(ValueError, match="references is missing; keyphrase_f1 needs"):
        score(
            PREDICTIONS, sources=SOURCES, summaries=SUMMARIES, metrics=["keyphrase_f1", SERIALIZE], encoder=toy_encoder
        )


def test_a_module_keeps_what_load_was_given(bart):
    corpus = list(CORPUS)
    given = {"predictions": PREDICTIONS, "references": SUMMARIES, "sources": SOURCES}
    module = keyphrase_metrics.load("fem_kp", generator="serialize", encoder=toy_encoder, corpus=corpus)
    corpus.clear()
    assert "corpus_documents:6|" in module.compute(**given)["data"]
    assert "corpus_documents:6|" in module.compute(**given, corpus=None)["data"]
    assert "corpus_documents:4|" in module.compute(**given, corpus=["Fog."])["data"]
    with pytest.raises(ValueError, match="revision='x' is for generators that are loaded by name"):
        keyphrase_metrics.load("fem_kp", generator="serialize", revision="x", encoder=toy_encoder).compute(**given)
    with pytest.raises(ValueError, match="summaries is called references in an evaluate module"):
        module.compute(predictions=PREDICTIONS, summaries=SUMMARIES, sources=SOURCES)


def test_results_are_found_as_they_were_written():
    spec = "fem_kp(generator=serialize,beta=0.7,delta=0.3)"
    given = {"sources": SOURCES, "summaries": SUMMARIES, "metrics": spec, "encoder": toy_encoder}
    assert list(score(PREDICTIONS, **given, beta=0.2)) == [spec]


def test_numbers_may_be_numpys():
    assert fem(k1=np.int64(2), b=np.float32(0.5), max_rank=np.int32(5)).signature.values["k1"] == "2.0"


def test_weights_may_miss_1_by_rounding():
    assert fem(beta=0.1 + 0.2, delta=0.7).scores["fem_kp"] == pytest.approx(fem(beta=0.3, delta=0.7).scores["fem_kp"])


# the command line


@pytest.fixture
def files(tmp_path):
    """Predictions, summaries with texts, and a corpus, as files."""
    rows = zip("abc", PREDICTIONS, SUMMARIES, SOURCES, strict=True)
    both = [({"id": i, "predictions": p}, {"id": i, "summary": s, "text": t}) for i, p, s, t in rows]
    names = [tmp_path / name for name in ("run.jsonl", "gold.jsonl", "corpus.jsonl")]
    lines = [[row for row, _ in both], [row for _, row in both], [{"text": text} for text in CORPUS]]
    for path, content in zip(names, lines, strict=True):
        path.write_text("".join(json.dumps(row) + "\n" for row in content))
    return [str(name) for name in names]


def test_score_with_corpus_and_index(files, tmp_path, cli, bert):
    predictions, gold, corpus = files
    base = ["score", predictions, "--references", gold, "--metrics", SERIALIZE, "--encoder", bert, "--json"]
    results = []
    status, out, err = cli("index", gold, corpus, tmp_path / "made")
    assert (status, err) == (0, "")
    fingerprint = out.splitlines()[1]
    for options in (["--corpus", corpus], ["--index", tmp_path / "made"]):
        status, out, err = cli(*base, *options, "--per-document", tmp_path / "rows.parquet")
        assert status == 0 and err.count("\n") == 1, err
        assert "2 of 3 rebuilt summaries and 3 of 3 gold summaries" in err  # of which the tiny model knows few words
        results.append(json.loads(out)["systems"]["run"][SERIALIZE])
        assert results[-1]["data"].endswith(fingerprint)
    assert results[0] == results[1]
    expected = fem(corpus=CORPUS, encoder=bert)
    assert results[0]["fem_kp"] == pytest.approx(expected.scores["fem_kp"], abs=1e-6)
    rows = datasets.Dataset.from_parquet(str(tmp_path / "rows.parquet"), cache_dir=str(tmp_path))
    assert rows[f"{SERIALIZE}/retrieval_rank"][:] == expected.per_document["retrieval_rank"]
    assert rows[f"{SERIALIZE}/summary"][:] == expected.per_document["summary"]
    assert rows["id"][:] == ["a", "b", "c"]
    status, out, err = cli("explain", *base[1:], "--document", "b", "--corpus", corpus)
    assert json.loads(out)["systems"]["run"][SERIALIZE]["retrieval"] == expected.per_document["retrieval"][1]


def test_what_the_command_line_refuses(files, tmp_path, cli, bert):
    predictions, gold, corpus = files
    (tmp_path / "bad.jsonl").write_text('{"text": "a"}\n{"text": "\\ud800"}\n{"title": "c"}\n')
    cli("index", corpus, tmp_path / "other")
    cli("index", gold, tmp_path / "unstemmed", "--stemmer", "None")
    base = ["score", predictions, "--references", gold, "--metrics", SERIALIZE, "--encoder", bert]
    for arguments, *parts in [
        (
            [*base, "--index", tmp_path / "other"],
            "not in the index (3 of 3 documents are not)",
            "gold.jsonl, line 1 (id 'a')",
        ),
        (
            [*base, "--index", tmp_path / "unstemmed"],
            "corpus is an index that was made with stemmer=None, not 'porter'",
        ),
        ([*base, "--index", tmp_path / "none"], "none' is not a folder; make it with keyphrase-metrics index"),
        (
            [*base, "--index", tmp_path / "other", "--output", tmp_path / "other" / "x.json"],
            "is in the folder of --index",
        ),
        (["index", corpus, tmp_path / "gold.jsonl" / "x"], "x: cannot be written"),
        ([*base, "--index", tmp_path / "other", "--corpus", corpus], "not allowed with argument"),
        ([*base, "--corpus", tmp_path / "bad.jsonl"], "bad.jsonl, line 2", "not valid Unicode", "bad.jsonl, line 3"),
        ([*base, "--summary-field", "abstract"], "has no field 'abstract' (--summary-field); it has id, summary, text"),
        ([*base, "--no-sources"], "needs the documents' texts, which --no-sources ignores"),
        ([*base[:4], "--metrics", "keyphrase_f1", "--corpus", corpus], "--corpus is for fem_kp", "no references"),
        (["score", predictions, "--metrics", SERIALIZE], "run.jsonl has no summaries (no field summary, highlights)"),
        (["index", corpus, tmp_path / "other"], "other: exists and is not an empty folder"),
        (["index", tmp_path / "no.jsonl", tmp_path / "x"], "no.jsonl: there is no such file"),
        (["index", predictions, tmp_path / "x"], "run.jsonl has no texts", "name the right one with --source-field"),
        (["index", corpus, tmp_path / "x", "--stemmer", "snowbal"], "stemmer='snowbal' is not allowed"),
        (["index", tmp_path / "bad.jsonl", tmp_path / "x"], "bad.jsonl, line 2"),
    ]:
        status, out, err = cli(*arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), (arguments, err)
        assert all(part in err for part in parts), err
    assert not (tmp_path / "x").exists()
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.slow
def test_an_interrupted_index_leaves_nothing_that_opens(tmp_path):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text("".join(json.dumps({"text": f"wind {n} power {n * 7919}"}) + "\n" for n in range(200_000)))
    command = [sys.executable, "-m", "keyphrase_metrics", "index", str(corpus), str(tmp_path / "made")]
    for patience in (0.5, 1.0, 2.0):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        if process.returncode == 0:
            break
        assert not (tmp_path / "made").exists()
        for path in tmp_path.iterdir():
            with pytest.raises(ValueError, match="cannot be used as an index"):
                Index.open(path)


def test_the_analyzer_of_an_index_is_the_metrics():
    index = Index.build([*SOURCES, *CORPUS], Analyzer(hyphens="split", tokenizer="whitespace"))
    assert fem(corpus=index, hyphens="split", tokenizer="whitespace").data.corpus[0] == 6
