"""Generators: which model and how it decodes, each input through it once, and what is refused."""

import io
import json
import random
import shutil
import sys
import threading
from logging import StreamHandler
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.models import tiny_bart
from support.processes import run_program
from support.strategies import WORDS, phrases

pytest.importorskip("transformers")

from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, BartForConditionalGeneration, T5Config, T5EncoderModel

from keyphrase_metrics.models import generation, seq2seq
from keyphrase_metrics.models.encoders import session
from keyphrase_metrics.models.generation import SERIALIZE, generator_for, watched
from keyphrase_metrics.models.weights import weights_digest
from keyphrase_metrics.text.analyzer import normalize

pytestmark = pytest.mark.model

SETS = [["solar power", "wind farm"], ["fog"], ["tidal power", "fog", "zebra"], ["wind"], ["solar farms", "wind"]]
LONG = ["solar power"] * 15  # 46 tokens
DECODING = {"num_beams": 3, "max_new_tokens": 12}
CHOICES = "without a model choose generator='serialize' (the phrases as they are), or the path of a saved model, "


@pytest.fixture(autouse=True)
def _nothing_loaded():
    generation._loaded.clear()
    yield
    generation._loaded.clear()


@pytest.fixture(scope="module")
def alone(bart):
    """A set's summary from the library itself, given that set only."""
    return alone_of(bart)


def alone_of(path):
    tokenizer, model, known = AutoTokenizer.from_pretrained(path), AutoModelForSeq2SeqLM.from_pretrained(path), {}
    model.generation_config.max_length = None  # which the library would warn of

    def summary(chosen, num_beams=3, max_new_tokens=12):
        key = "; ".join(chosen), num_beams, max_new_tokens
        if key not in known:
            inputs = tokenizer(key[0], return_tensors="pt", truncation=True)
            limits = {"num_beams": num_beams, "max_new_tokens": max_new_tokens}
            written = model.generate(**inputs, do_sample=False, **limits)
            known[key] = normalize(tokenizer.decode(written[0], skip_special_tokens=True))
        return known[key]

    return summary


@pytest.fixture
def batches(monkeypatch):
    """What goes through models: the numbers of each input's tokens, batch by batch."""
    seen, plain = [], BartForConditionalGeneration.generate

    def generate(self, *args, **kwargs):
        seen.append(kwargs["input_ids"].tolist())
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(BartForConditionalGeneration, "generate", generate)
    return seen


def generate(generator, sets=SETS, *, batch_size=2, **changed):
    return generator.generate(sets, batch_size=batch_size, **{**DECODING, **changed})


def edited(source, target, file, **changes):
    """Copy a model, with other values in one of its JSON files; ``None`` takes one out."""
    folder = Path(shutil.copytree(source, target))
    content = {**json.loads((folder / file).read_text()), **changes}
    (folder / file).write_text(json.dumps({key: value for key, value in content.items() if value is not None}))
    return str(folder)


# What a model writes


def test_summaries_are_those_of_the_library_given_one_set_at_a_time(bart, alone):
    generator = generator_for(bart)
    summaries = generate(generator)
    assert summaries == [alone(chosen) for chosen in SETS]
    assert len(set(summaries)) == len(SETS) and all(summaries)
    for limits in ({"num_beams": 1}, {"num_beams": 2, "max_new_tokens": 20}, {"max_new_tokens": 3}):
        assert generate(generator, **limits) == [alone(chosen, **{**DECODING, **limits}) for chosen in SETS]
    assert generate(generator, []) == []


sets = st.lists(st.lists(phrases, min_size=1, max_size=4), min_size=1, max_size=6)


@settings(max_examples=12)
@given(chosen=sets, batch_size=st.integers(1, 5), num_beams=st.integers(1, 3), seed=st.integers())
def test_a_summary_depends_on_its_phrases_alone(bart, alone, chosen, batch_size, num_beams, seed):
    expected = [alone(one, num_beams) for one in chosen]
    with_history = generator_for(bart)  # which has seen the sets of other examples
    assert generate(with_history, chosen, batch_size=batch_size, num_beams=num_beams) == expected
    generation._loaded.clear()
    order = random.Random(seed).sample(range(len(chosen)), len(chosen))
    shuffled = generate(generator_for(bart), [chosen[i] for i in order], batch_size=batch_size, num_beams=num_beams)
    assert shuffled == [expected[i] for i in order]
    generation._loaded.clear()


def test_inputs_are_batched_by_length_and_the_batches_do_not_depend_on_the_order(bart, batches):
    sizes = [3, 9, 1, 5, 7, 4, 2, 8, 6]
    generate(generator_for(bart), [[" ".join(["wind"] * size)] for size in sizes], batch_size=4)
    assert [[len(row) for row in batch] for batch in batches] == [[11] * 4, [7] * 4, [3]]
    assert [[sum(id != 1 for id in row) for row in batch] for batch in batches] == [[11, 10, 9, 8], [7, 6, 5, 4], [3]]
    given = [[f"{first} {second}"] for first in WORDS for second in WORDS[:3]]  # of one length
    orders = []
    for seed in range(3):
        batches.clear()
        generation._loaded.clear()
        generate(generator_for(bart), random.Random(seed).sample(given, len(given)), batch_size=4)
        orders.append(batches[:])
    assert orders[0] == orders[1] == orders[2] and len(orders[0]) == 6


def test_a_name_a_path_object_and_a_device_give_the_same(bart):
    summaries = generate(generator_for(bart))
    assert generate(generator_for(Path(bart))) == generate(generator_for(bart, device="cpu")) == summaries
    signed = generator_for(bart).signed(**DECODING)
    assert signed == generator_for(bart, device="cpu").signed(**DECODING)


@pytest.mark.parametrize(
    "own",
    [
        {"min_length": 0, "length_penalty": 0.2, "early_stopping": False},
        {"early_stopping": "never", "min_length": None, "min_new_tokens": 6},
        {"repetition_penalty": 3.0, "no_repeat_ngram_size": 1, "forced_bos_token_id": None},
        {"bad_words_ids": [[11], [12, 12]], "suppress_tokens": [5, 6], "forced_eos_token_id": None},
        {"decoder_start_token_id": 3, "encoder_no_repeat_ngram_size": 2},
        {"eos_token_id": [2, 9]},
    ],
)
def test_the_models_own_settings_hold_and_are_signed(bart, tmp_path, own):
    folder = edited(bart, tmp_path / "bart", "generation_config.json", **own)
    generator, alone = generator_for(folder), alone_of(folder)
    for num_beams in (3, 1):
        assert generate(generator, num_beams=num_beams) == [alone(chosen, num_beams) for chosen in SETS]
    assert generate(generator) != generate(generator_for(bart))
    decoding = generator.signed(**DECODING)["decoding"]
    for name, value in own.items():
        if not value:
            assert f"{name}=" not in decoding
        else:
            assert f"{name}={str(value).replace(' ', '')}" in decoding
    assert decoding != generator_for(bart).signed(**DECODING)["decoding"]


def test_what_only_sampling_or_speed_has_use_for_changes_nothing(bart, tmp_path):
    sampling = {"do_sample": True, "temperature": 5.0, "top_k": 3, "top_p": 0.2, "num_return_sequences": 2}
    other = {"max_time": 1e-9, "use_cache": False, "num_beam_groups": 2, "diversity_penalty": 0.5, "max_length": 3}
    returned = {"return_dict_in_generate": True, "output_scores": True, "output_attentions": True, "penalty_alpha": 0.6}
    own = {**sampling, **other, **returned, "prompt_lookup_num_tokens": 3, "num_beams": 2}
    folder = edited(bart, tmp_path / "bart", "generation_config.json", **own)
    generator, plain = generator_for(folder), generator_for(bart)
    for num_beams in (1, 3):
        assert generate(generator, num_beams=num_beams) == generate(plain, num_beams=num_beams)
        assert generator.signed(num_beams, 12) == plain.signed(num_beams, 12)


def test_a_limit_beyond_what_the_model_can_write_is_the_models(bart):
    generator = generator_for(bart)
    assert generate(generator, SETS[:2], max_new_tokens=100_000) == generate(generator, SETS[:2], max_new_tokens=160)
    assert generator.signed(1, 100_000) == generator.signed(1, 160) != generator.signed(1, 159)


def test_an_input_longer_than_the_model_reads_is_cut_and_counted_in_one_warning(bart, alone):
    generator = generator_for(bart)
    given = [LONG, ["fog"], LONG, [*LONG, "fog"]]
    for _ in range(2):  # what is remembered is still cut
        with pytest.warns(UserWarning, match="longer") as caught:
            summaries = generate(generator, given)
        assert [str(one.message) for one in caught] == [
            "3 of 4 phrase sets are longer than the 32 tokens that bart reads; the rest of them is ignored"
        ]
        assert caught[0].filename == __file__
        assert summaries == [alone(chosen) for chosen in given]
    assert summaries[0] == summaries[3]


def test_the_window_is_the_smaller_one_of_model_and_tokenizer(tmp_path, bart):
    folder = edited(bart, tmp_path / "bart", "tokenizer_config.json", model_max_length=None)
    longer = ["wind"] * 100  # 201 tokens, where the model has 160 positions
    with pytest.warns(UserWarning, match="1 of 2 phrase sets are longer than the 160 tokens that bart reads"):
        summaries = generate(generator_for(folder), [LONG, longer])
    with pytest.warns(UserWarning, match="2 of 2 phrase sets are longer than the 32 tokens"):
        assert generate(generator_for(bart), [LONG, longer]) != summaries


# What is kept


def test_equal_inputs_are_generated_once_and_remembered(bart, batches):
    generator = generator_for(bart)
    first = generate(generator, [*SETS, *SETS])
    assert first[: len(SETS)] == first[len(SETS) :]
    assert sorted(map(len, batches)) == [1, 2, 2]
    batches.clear()
    assert generate(generator_for(bart), SETS[::-1]) == first[: len(SETS)][::-1]
    assert generate(generator, [["wind", "fog"], *SETS])[1:] == first[: len(SETS)]
    assert [[len(row) for row in batch] for batch in batches] == [[5]]
    generate(generator, SETS[:1], num_beams=2)
    generate(generator, SETS[:1], max_new_tokens=11)
    assert len(batches) == 3


def test_what_was_written_before_an_error_is_remembered(bart, batches):
    generator = generator_for(bart)

    class Stop(Exception):
        pass

    def stop(done, _):
        if done == 4:
            raise Stop

    with watched(stop), pytest.raises(Stop):
        generate(generator)
    assert sorted(map(len, batches)) == [2, 2]
    generate(generator)
    assert sorted(map(len, batches)) == [1, 2, 2]


def test_the_least_recently_used_summaries_go_first(bart, batches, monkeypatch):
    monkeypatch.setattr(seq2seq, "MAX_SUMMARIES", 3)
    generator = generator_for(bart)
    first = [generate(generator, [chosen])[0] for chosen in SETS[:3]]
    assert generate(generator, SETS[:1]) == first[:1]
    generate(generator, SETS[3:4])
    batches.clear()
    assert generate(generator, [SETS[0], SETS[2]]) == [first[0], first[2]] and not batches
    assert generate(generator, SETS[1:2]) == first[1:2] and len(batches) == 1
    assert generate(generator, [*SETS, *SETS])[:3] == first  # more than are kept
    assert len(generator._kept._values) == 3


def test_a_model_saved_anew_is_loaded_anew_and_two_are_kept(bart, tmp_path):
    folders = [str(shutil.copytree(bart, tmp_path / name)) for name in "abc"]
    first = [generator_for(folder) for folder in folders]
    assert len(generation._loaded) == 2
    assert generator_for(folders[2]) is first[2] and generator_for(folders[1]) is first[1]
    assert generator_for(folders[0]) is not first[0]
    before = generator_for(folders[0])
    tiny_bart(folders[0], seed=1)
    again = generator_for(folders[0])
    assert again.signed(**DECODING)["generator_weights"] == weights_digest(Path(folders[0]))[:12]
    assert again.signed(**DECODING)["generator_weights"] != before.signed(**DECODING)["generator_weights"]
    alone = alone_of(folders[0])
    assert generate(again) == [alone(chosen) for chosen in SETS] != generate(before)


def test_threads_at_once_load_and_generate_once(bart, batches):
    results, start = [], threading.Barrier(6)

    def work(number):
        turned = [*SETS[number % len(SETS) :], *SETS[: number % len(SETS)]]
        start.wait()
        results.append(dict(zip(map(tuple, turned), generate(generator_for(bart), turned), strict=True)))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = dict(zip(map(tuple, SETS), generate(generator_for(bart)), strict=True))
    assert results == [expected] * 6
    assert len(generation._loaded) == 1 and sum(map(len, batches)) == len(SETS)


# Signatures


def test_what_identifies_a_model_is_signed(bart):
    generator = generator_for(bart)
    assert generator.name == "bart"
    signed = generator.signed(num_beams=4, max_new_tokens=20)
    import transformers

    assert signed == {
        "generator": "bart",
        "generator_weights": weights_digest(Path(bart))[:12],
        "num_beams": "4",
        "max_new_tokens": "20",
        "decoding": "decoder_start_token_id=2,early_stopping=True,eos_token_id=2,forced_bos_token_id=0,"
        "forced_eos_token_id=2,length_penalty=2.0,min_length=4,no_repeat_ngram_size=3",
        "transformers": transformers.__version__,
    }
    assert generator_for(bart, revision="abc").signed(4, 20) == {**signed, "generator_revision": "abc"}
    alone = generator.signed(num_beams=1, max_new_tokens=20)["decoding"]
    assert "early_stopping" not in alone and "length_penalty" not in alone  # which have no use without beams


def test_a_model_whose_weights_nobody_finds_is_custom(bart, monkeypatch):
    monkeypatch.setattr("keyphrase_metrics.models.seq2seq.folder_of", lambda *_: None)
    signed = generator_for(bart).signed(**DECODING)
    assert signed["generator"] == "custom:bart" and "generator_weights" not in signed


# Without a model


def test_serialize_needs_neither_torch_nor_transformers():
    done = run_program("serialize", check=True)
    assert done.stdout.splitlines() == ["['b a; a', 'c', 'c']", "serialize {'generator': 'serialize'}", "[]"]


class Counting:
    """A callable that knows what it was asked."""

    def __init__(self):
        self.calls = []

    def __call__(self, given):
        assert isinstance(given, list) and all(isinstance(one, list) for one in given)
        self.calls.append(given)
        return [f"  about\t{' and '.join(one)} " for one in given]


def test_a_callable_gets_each_list_once_and_its_summaries_are_normalised():
    counting = Counting()
    generator = generator_for(counting)
    given = [["a"], ["b", "c"], ["a"], ["c", "b"], ["b; c"]]
    assert generate(generator, given) == ["about a", "about b and c", "about a", "about c and b", "about b; c"]
    assert counting.calls == [[["a"], ["b", "c"], ["c", "b"], ["b; c"]]]
    assert generator.name.startswith("custom:") and generator.name.endswith(".Counting")
    assert generator.signed(4, 142) == {"generator": generator.name}
    assert generate(generator, []) == [] and len(counting.calls) == 1


def test_sessions_keep_the_summaries_of_callables_and_end():
    counting, other = Counting(), Counting()
    with session():
        generate(generator_for(counting), [["a"], ["b"]])
        with session():
            assert generate(generator_for(counting), [["b"], ["c"]]) == ["about b", "about c"]
        generate(generator_for(other), [["a"]])
    assert counting.calls == [[["a"], ["b"]], [["c"]]] and other.calls == [[["a"]]]
    generate(generator_for(counting), [["a"]])
    generate(generator_for(counting), [["a"]])  # nobody knows whether it has changed
    assert counting.calls[2:] == [[["a"]], [["a"]]]


@pytest.mark.parametrize(
    ("given", "came"),
    [
        (None, "gave NoneType None; it must give a list of 2 strings"),
        ("ab", "gave str 'ab'; it must"),
        (iter("ab"), "gave str_ascii_iterator <str_ascii_iterator"),
        (["a"], "gave 1 summaries for 2 phrase sets; it must give a list of 2 strings"),
        (["a", None], "gave None as a summary; it must"),
        ([["a"], "b"], r"gave \['a'\] as a summary"),
        (["a", "\ud800"], r"gave '\\ud800' as a summary, which is not Unicode text"),
    ],
)
def test_what_a_callable_must_not_give(given, came):
    generator = generator_for(lambda _: given)
    for _ in range(2):
        with pytest.raises(ValueError, match=f"^generator custom:.*<lambda> {came}"):
            generate(generator, [["a"], ["b"], ["a"]])


def test_a_tuple_of_strings_is_as_good_as_a_list():
    assert generate(generator_for(lambda given: tuple("x" for _ in given)), [["a"], ["b"]]) == ["x", "x"]


# What is refused


@pytest.mark.parametrize("option", [{"revision": "main"}, {"device": "cpu"}])
@pytest.mark.parametrize(("generator", "other"), [(SERIALIZE, "'serialize'"), (Counting(), r"a callable such as cus")])
def test_options_for_named_models_are_refused_for_others(option, generator, other):
    ((name, value),) = option.items()
    with pytest.raises(
        ValueError, match=f"^{name}={value!r} is for generators that are loaded by name, not for {other}"
    ):
        generator_for(generator, **option)


def test_what_is_no_generator(bart):
    for wrong in (None, 5, ["serialize"]):
        with pytest.raises(ValueError, match=r"^generator=.* is not allowed; choose 'serialize', a model name or path"):
            generator_for(wrong)
    with pytest.raises(ValueError, match=r"^generator is a loaded BartFor.*, which comes without its tokenizer"):
        generator_for(BartForConditionalGeneration.from_pretrained(bart))


def refused(path, reason=""):
    with pytest.raises(ValueError, match="cannot be loaded") as error:
        generator_for(path)
    text = str(error.value)
    assert text.startswith(f"generator={str(path)!r} cannot be loaded: {reason}") and "\n" not in text, text
    assert text.endswith(f"; {CHOICES}or a callable") and not generation._loaded
    return text


@pytest.mark.parametrize("name", ["facebook/bart-large-cnn", "no/such-model", "./no/such/folder", "Serialize"])
def test_a_model_that_is_not_there(name):
    refused(name)


def test_a_model_of_another_kind(bert):
    assert "AutoModelForSeq2SeqLM" in refused(bert)


@pytest.mark.parametrize("kept", ["tokenizer_config.json", "tokenizer.json", None])
def test_a_model_without_its_tokenizer(bart, tmp_path, kept):
    folder = Path(shutil.copytree(bart, tmp_path / "bart"))
    for name in ("tokenizer.json", "tokenizer_config.json"):
        if name != kept:
            (folder / name).unlink()
    if kept == "tokenizer.json":
        assert generate(generator_for(str(folder)), [["fog"]])
    else:  # the library makes one up that knows no words, or finds none
        refused(folder, "it has no tokenizer" if kept is None else "")


def test_a_damaged_or_incomplete_model(bart, tmp_path):
    folder = Path(shutil.copytree(bart, tmp_path / "damaged"))
    with open(folder / "model.safetensors", "r+b") as file:
        file.truncate(1000)
    refused(folder)
    (folder / "model.safetensors").unlink()
    refused(folder)


def test_weights_that_the_library_would_draw_at_random(bart, tmp_path, capfd):
    folder = tmp_path / "encoder"
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 2}
    T5EncoderModel(T5Config(vocab_size=20, **sizes)).save_pretrained(folder)
    AutoTokenizer.from_pretrained(bart).save_pretrained(folder)
    refused(folder, "T5ForConditionalGeneration is not a sequence-to-sequence model")
    folder = edited(folder, tmp_path / "claims to be one", "config.json", is_encoder_decoder=True)
    capfd.readouterr()
    refused(folder, "15 of its weights are missing, decoder.block.0.layer.0.SelfAttention.k.weight among them")
    assert capfd.readouterr().err == ""


def test_positions_that_are_computed_need_not_be_saved(bart, tmp_path):
    from safetensors.torch import load_file, save_file
    from transformers import PegasusConfig, PegasusForConditionalGeneration

    folder = tmp_path / "pegasus"  # whose files on the Hub lack them
    layers = {"encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    sizes = {"d_model": 16, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16, "vocab_size": 16}
    PegasusForConditionalGeneration(PegasusConfig(pad_token_id=1, **layers, **sizes)).save_pretrained(folder)
    AutoTokenizer.from_pretrained(bart).save_pretrained(folder)
    complete = generate(generator_for(str(folder)))
    weights = load_file(folder / "model.safetensors")
    saved = {name: tensor for name, tensor in weights.items() if "embed_positions" not in name}
    assert len(saved) == len(weights) - 2
    save_file(saved, folder / "model.safetensors", metadata={"format": "pt"})
    assert generate(generator_for(str(folder))) == complete


def test_a_device_that_is_not_there(bart):
    for device in ("nonsense", "cuda:99"):
        with pytest.raises(ValueError, match=rf"^device='{device}' cannot be used: "):
            generator_for(bart, device=device)


def test_a_model_that_fails_is_named_with_what_may_be_the_cause(bart, tmp_path):
    nowhere = {"decoder_start_token_id": None, "bos_token_id": None}
    folder = edited(bart, tmp_path / "no start", "generation_config.json", **nowhere)
    limits = "num_beams=3, max_new_tokens=12 and 2 phrase sets at once"
    with pytest.raises(ValueError, match=f"^generator='no start' failed with {limits}: .decoder_start_token_id. or"):
        generate(generator_for(folder))
    folder = Path(shutil.copytree(bart, tmp_path / "another tokenizer"))
    words = json.loads((folder / "tokenizer.json").read_text())
    words["model"]["vocab"]["zebra"] = 15
    (folder / "tokenizer.json").write_text(json.dumps(words))
    generator = generator_for(str(folder))
    with pytest.raises(ValueError, match=f"failed with {limits}: its tokenizer has tokens beyond the 15 of the model"):
        generate(generator)
    assert all(generate(generator, SETS[:2]))


@pytest.mark.parametrize("missing", ["transformers", "torch"])
def test_without_an_optional_package_the_error_says_what_to_install(missing, monkeypatch, bart):
    monkeypatch.setitem(sys.modules, missing, None)  # as Python itself marks what cannot be imported
    with pytest.raises(ImportError) as error:
        generator_for(bart)
    assert str(error.value) == f"{missing} is not installed; run pip install 'keyphrase-metrics[fem]'"
    assert generate(generator_for(SERIALIZE), [["a", "b"]]) == ["a; b"]


# Progress, and silence


def test_a_watcher_sees_the_new_sets_go_through(bart):
    seen = []
    with watched(lambda *numbers: seen.append(numbers)):
        generate(generator_for(bart), [*SETS, *SETS])
        assert seen == [(0, 5), (2, 5), (4, 5), (5, 5)]
        generate(generator_for(bart), SETS)
        generate(generator_for(bart), [*SETS, ["zebra"]])
        generate(generator_for(lambda given: ["x"] * len(given)), SETS)
    generate(generator_for(bart), [["zebra", "zebra"]])
    assert seen[4:] == [(0, 1), (1, 1)]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_shows_on_a_terminal_only_and_only_what_takes_longer_than_a_second(bart, monkeypatch):
    import time

    clock, pace, plain = [0.0], [0.0], BartForConditionalGeneration.generate
    monkeypatch.setattr("tqdm.std.time", lambda: time.time() + clock[0])

    def slowly(self, *args, **kwargs):
        clock[0] += pace[0]
        return plain(self, *args, **kwargs)

    monkeypatch.setattr(BartForConditionalGeneration, "generate", slowly)
    for pace[0], stream, shown in ((0, Terminal(), False), (5, io.StringIO(), False), (5, Terminal(), True)):
        monkeypatch.setattr(sys, "stderr", stream)
        generation._loaded.clear()
        generate(generator_for(bart))
        text = stream.getvalue()
        assert ("4/5" in text) is ("rebuilding summaries" in text) is shown, text
        assert shown or not text


def test_neither_warnings_nor_bars_of_the_library_show(bart, tmp_path, capfd, recwarn):
    from transformers.utils import logging

    said = []
    handler = StreamHandler()
    handler.emit = lambda record: said.append(record.getMessage())
    logging.warning_once.cache_clear()
    library = logging.get_logger()
    library.addHandler(handler)
    try:
        quirks = {"temperature": 0.3, "top_p": 0.5, "min_length": 56, "min_new_tokens": 40, "max_length": 142}
        folder = edited(bart, tmp_path / "quirky", "generation_config.json", **quirks, pad_token_id=None)
        capfd.readouterr()
        for path in (bart, folder):
            for num_beams in (1, 2):
                for max_new_tokens in (2, 60):
                    generate(generator_for(path), SETS, num_beams=num_beams, max_new_tokens=max_new_tokens)
        assert said == [] and capfd.readouterr() == ("", "") and not recwarn.list
        alone_of(folder)(SETS[0])  # where there is much to say
        assert said and recwarn.list and capfd.readouterr().err
    finally:
        library.removeHandler(handler)
