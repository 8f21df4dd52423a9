"""The demos without a browser: what the handlers answer, what they refuse, and what reaches them at all."""

import math
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from markupsafe import escape
from support.demo import LIMITS
from support.processes import run_program

import keyphrase_metrics
from keyphrase_metrics import user_warnings
from keyphrase_metrics.core.parameters import parameters_of
from keyphrase_metrics.demo import card, document_tab, messages, models, render
from keyphrase_metrics.demo.limits import Limits
from keyphrase_metrics.demo.options import DROPDOWN, OWNERS, options_of
from keyphrase_metrics.metrics.base import Measure
from keyphrase_metrics.metrics.registry import measure_class, measure_names
from keyphrase_metrics.metrics.spec import Metric

ROOT = Path(__file__).resolve().parent.parent
LEXICAL = ["keyphrase_f1", "keyphrase_ndcg", "r_precision"]
SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>\"' ${7*7} {{7*7}}"


def defaults(options):
    return [control.default for control in options.controls]


def given(options, values, **settings):
    """What the boxes and the controls of a metric hold."""
    boxes = [values.get(role, "") for role in document_tab.inputs_of(options)]
    return [*boxes, *(settings.get(control.name, control.default) for control in options.controls)]


def answer(name, values, limits=LIMITS, **settings):
    options = options_of(name)
    return document_tab.answer(options, given(options, values, **settings), limits).markup


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
            ("semr_p", {"encoder": "/etc"}, "encoder: '/etc' is not a choice"),
            ("semr_p", {"encoder": {"path": "/etc"}}, "is not a choice"),
            ("semr_p", {"encoder": "org/other"}, "is not a choice"),
            ("r_precision", {"stemmer": "snowball:klingon"}, "is not a choice"),
            ("r_precision", {"tokenizer": "str.split"}, "is not a choice"),
            ("r_precision", {"lowercase": "yes"}, "lowercase: 'yes' is not allowed; give True or False"),
            ("keyphrase_f1", {"cutoffs": "5, ten"}, "cutoffs: [5, 'ten'] is not allowed"),
            ("keyphrase_f1", {"cutoffs": ""}, "cutoffs: [] is not allowed"),
            ("keyphrase_f1", {"cutoffs": [5]}, "is not a text"),
            ("keyphrase_f1", {"cutoffs": ",".join(map(str, range(1, 99)))}, "at most 20 ranks"),
            ("keyphrase_f1", {"cutoffs": "99999999999999999999"}, "is not allowed"),
            ("keyphrase_f1", {"oracle": True, "keyphrases": "present_and_absent"}, "is not possible"),
            ("fem_kp", {"beta": 0.7}, "they must add up to 1"),
            ("fem_kp", {"generator": "facebook/bart-large-cnn"}, "is not a choice"),
        ],
    )
    def test_wrong_settings_are_messages(self, name, setting, said):
        markup = answer(name, {"predictions": "fog"}, **setting)
        assert markup.startswith('<div class="km-alert" role="alert">')
        assert escape(said) in markup

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

    @pytest.mark.model
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
            (
                "r_precision",
                dict.fromkeys(("predictions", "references"), ("語" * 150 + "\n") * 100),
                "have 225,000,000 pairs of words to compare; at most 2,000,000",
            ),
            ("fem_kp", {"predictions": "a", "corpus": "a\n\n" * 101}, "at most 100 are allowed"),
            ("r_precision", {"predictions": ["a"]}, "Predicted keyphrases: [&#39;a&#39;] is not a text"),
            ("r_precision", {"predictions": {"path": "/etc/passwd"}}, "is not a text"),
            ("r_precision", {"predictions": 7}, "is not a text"),
        ],
    )
    def test_too_much_is_a_message(self, name, values, said):
        assert said in answer(name, values)

    def test_texts_are_limited_where_they_are_used(self):
        document = {"predictions": "fog", "references": "fog", "sources": "fog " * 15_001}
        assert "Document text: 60,003 characters; at most 60,000" in answer(
            "keyphrase_f1", document, keyphrases="present"
        )
        assert Seen(answer("keyphrase_f1", document)).scores["f1@M"] == 1
        document["sources"] = "fog wall " * 2_500  # 5,000 words
        assert Seen(answer("keyphrase_f1", document, keyphrases="present")).scores

    def test_largest_document_takes_seconds(self):
        words_each = math.isqrt(LIMITS.document_word_pairs) // LIMITS.phrases - 1
        phrases = [f"{'wörter ' * words_each} {place}" for place in range(LIMITS.phrases)]
        document = {"predictions": "\n".join(phrases), "references": "\n".join(phrases[::-1])}
        for name in LEXICAL:
            began = time.monotonic()
            assert Seen(answer(name, document, alpha_ndcg=True, one_to_one=True)).scores
            assert time.monotonic() - began < 20


class TestOneDocument:
    @pytest.mark.parametrize(
        ("name", "example"),
        [
            pytest.param(name, example, id=f"{name}-{example.title}")
            for name in LEXICAL
            for example in measure_class(name).examples
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
    def test_examples_fill_the_boxes(self, name):
        options, examples = options_of(name), measure_class(name).examples
        own = examples is not Measure.examples
        assert len({example.title for example in examples}) == len(examples) >= (2 if own else 1)
        for example in examples:
            assert example.settings.keys() <= {control.name for control in options.controls}
            assert all(example.box(role) for role in ["predictions", *options.needs])

    def test_printed_scores_of_the_papers(self):
        systems = {example.title: example for example in measure_class("keyphrase_ndcg").examples[1:3]}
        found = {}
        for title, example in systems.items():
            boxes = {role: example.box(role) for role in ("predictions", "references")}
            found[title] = Seen(answer("keyphrase_ndcg", boxes)).scores["ndcg"]
        assert found == {"Schluter, system 2": 0.9387, "Schluter, system 1": 0.6814}
        case = {example.title: example for example in measure_class("r_precision").examples}
        for title, score in (("SemR-p paper, case 6", 1.0), ("SemR-p paper, case 5", 0.0)):
            boxes = {role: case[title].box(role) for role in ("predictions", "references")}
            assert Seen(answer("r_precision", boxes)).scores["r_precision_approximate"] == score

    def test_nothing_typed_is_no_error(self):
        for name in measure_names():
            assert answer(name, {}) == render.hint("Type some phrases, or load an example.")

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

    def test_a_text_that_is_always_needed_is_asked_for_and_no_zero_shown(self):
        typed = {"predictions": "fog", "summaries": "Fog.", "sources": "Fog and wind.", "corpus": "Rain."}
        for lacking, words in {"summaries": "gold summary", "sources": "document text"}.items():
            markup = answer("fem_kp", {**typed, lacking: " \n"})
            assert f"needs the {words}; fill it in" in markup
            assert "data-score" not in markup

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
        table = str(markup).partition('<table class="km-phrases"')[2].partition("</table>")[0]
        cells = re.findall(r"<td>(?:<b>)?([0-9.]+)(?:</b>)?</td>", table)
        assert len(cells) % 3 == 0
        *credits, total = [[float(cell) for cell in cells[row : row + 3]] for row in range(0, len(cells), 3)]
        assert [sum(column) for column in zip(*credits, strict=True)] == pytest.approx(total, abs=1e-3)

    def test_a_fault_of_ours_is_a_message_and_a_line_in_the_log(self, monkeypatch, caplog):
        def broken(*args, **kwargs):
            raise RuntimeError("/srv/secret/path broke")

        monkeypatch.setattr(document_tab.scoring, "score", broken)
        markup = answer("r_precision", {"predictions": "fog"})
        assert escape(messages.FAILED) in markup
        assert "secret" not in markup
        assert "/srv/secret/path broke" in caplog.text

    @pytest.mark.model
    def test_a_model_that_cannot_be_loaded_is_named_without_paths(self, monkeypatch, caplog):
        monkeypatch.setenv(models.ENCODERS, "org/absent")
        markup = answer("sem_f1", {"predictions": "fog", "references": "rain"})
        assert "The encoder org/absent cannot be loaded on this server." in markup
        assert "pip install" not in markup
        assert "offline" in caplog.text or "cannot be loaded" in caplog.text

    def test_warnings_of_two_calls_do_not_mix(self):
        with user_warnings.collect_warnings() as outer:
            with user_warnings.collect_warnings() as inner:
                user_warnings.warn_user("inner")
            user_warnings.warn_user("outer")
        assert (list(map(str, outer)), list(map(str, inner))) == (["outer"], ["inner"])


@pytest.mark.parametrize("name", measure_names())
def test_cards_are_shown_without_front_matter_and_inner_links(name):
    shown = card.card(name)
    assert shown.startswith("# ")
    assert "<!--" not in shown
    targets = re.findall(r"\]\(([^)]*)\)", shown)
    assert all(target.startswith("https://") for target in targets)


@pytest.mark.parametrize("name", measure_names())
def test_every_module_has_a_space(name):
    source = (ROOT / "spaces" / name / "app.py").read_text()
    assert f'demo.launch("{name}")' in source
    compile(source, name, "exec")


def test_importing_the_demo_imports_nothing_heavy():
    done = run_program("imported_with", "keyphrase_metrics.demo", "gradio", "torch", "pandas", "fastapi", check=True)
    assert done.stdout == "[]\n"


def test_the_style_is_a_style():
    from keyphrase_metrics.demo.theme import css

    assert 'grid-template: "boxes answer" auto' in css()
    assert "&" not in css()


def test_unknown_names():
    from keyphrase_metrics import demo

    with pytest.raises(ValueError, match="metric 'semrp' is not known"):
        demo.build("semrp")
    with pytest.raises(ValueError, match="names is empty"):
        demo.build([])
