"""What a model says after a list in other languages than English, and HTML entities in a text."""

import time

import pytest

from keyphrase_metrics.parsing import clean_items, parse_keyphrases
from keyphrase_metrics.parsing.closings import CLOSINGS
from keyphrase_metrics.parsing.label_words import LIST_NAMES

FAREWELLS = {
    "en": ("Keywords", "I hope this helps!"),
    "ar": ("الكلمات المفتاحية", "آمل أن يكون هذا مفيدا!"),
    "cs": ("Klíčová slova", "Doufám, že to pomůže!"),
    "da": ("Nøgleord", "Jeg håber, det hjælper!"),
    "de": ("Schlüsselwörter", "Ich hoffe, das hilft!"),
    "el": ("Λέξεις-κλειδιά", "Ελπίζω να βοηθάει!"),
    "es": ("Palabras clave", "¡Espero que esto ayude!"),
    "fa": ("کلمات کلیدی", "امیدوارم مفید باشد!"),
    "fi": ("Avainsanat", "Toivottavasti tästä on apua!"),
    "fr": ("Mots-clés", "J'espère que cela vous aide !"),
    "he": ("מילות מפתח", "אני מקווה שזה עוזר!"),
    "hi": ("मुख्य शब्द", "मुझे आशा है कि यह मदद करेगा!"),
    "hu": ("Kulcsszavak", "Remélem, ez segít!"),
    "id": ("Kata kunci", "Semoga membantu!"),
    "it": ("Parole chiave", "Spero che ti sia utile!"),
    "ja": ("キーワード", "お役に立てれば幸いです！"),
    "ko": ("키워드", "도움이 되길 바랍니다!"),
    "nb": ("Nøkkelord", "Jeg håper det hjelper!"),
    "nl": ("Trefwoorden", "Ik hoop dat dit helpt!"),
    "pl": ("Słowa kluczowe", "Mam nadzieję, że to pomoże!"),
    "pt": ("Palavras-chave", "Espero que isso ajude!"),
    "ro": ("Cuvinte cheie", "Sper că te ajută!"),
    "ru": ("Ключевые слова", "Надеюсь, это поможет!"),
    "sv": ("Nyckelord", "Jag hoppas att det hjälper!"),
    "th": ("คำสำคัญ", "หวังว่าจะเป็นประโยชน์!"),
    "tr": ("Anahtar kelimeler", "Umarım yardımcı olur!"),
    "uk": ("Ключові слова", "Сподіваюся, це допоможе!"),
    "vi": ("Từ khóa", "Hy vọng điều này hữu ích!"),
    "zh": ("关键词", "希望这对您有帮助！"),
}


def test_every_language_of_the_labels_has_a_farewell():
    assert set(FAREWELLS) == set(LIST_NAMES) == set(CLOSINGS)


@pytest.mark.parametrize(("label", "farewell"), FAREWELLS.values(), ids=FAREWELLS)
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_farewells_are_no_phrases(label, farewell, gap):
    assert parse_keyphrases(f"{label}: alfa, beta gamma, delta{gap}{farewell}") == ["alfa", "beta gamma", "delta"]


@pytest.mark.parametrize(
    ("last", "kept"),
    [
        ("Loodan, et see aitab!", []),
        ("Vona að þetta hjálpi!", []),
        ("Die Wörter stehen so im Text, nach ihrer Wichtigkeit für das Thema geordnet.", []),
        ("sea wall, Yahoo!", ["sea wall", "Yahoo!"]),
        ("sea wall, deep ocean currents, dams.", ["sea wall", "deep ocean currents", "dams"]),
        ("Yahoo!", ["Yahoo!"]),
        ("hope theory, espero, hoop stress", ["hope theory", "espero", "hoop stress"]),
    ],
)
def test_a_last_paragraph_after_a_labelled_line(last, kept):
    assert parse_keyphrases(f"Keywords: tides, fog\n\n{last}") == ["tides", "fog", *kept]


def test_a_blank_line_may_hold_blanks():
    assert parse_keyphrases("Keywords: tides, fog\n \t\nLoodan, et see aitab!") == ["tides", "fog"]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("&quot;tidal power&quot;, sea wall", ["tidal power", "sea wall"]),
        ("R&amp;D; caf&eacute; culture; Moore&#39;s law", ["R&D", "café culture", "Moore's law"]),
        ("AT&T; R&D; fog", ["AT&T", "R&D", "fog"]),
        ("[&quot;tides&quot;, &quot;sea wall&quot;]", ["tides", "sea wall"]),
        ('["the &quot;grey&quot; sea", "R&amp;D"]', ['the "grey" sea', "R&D"]),
        ("tides &lt;sep&gt; sea wall", ["tides", "sea wall"]),
        ("&notaname; fog; Q&A", ["&notaname", "fog", "Q&A"]),
    ],
)
def test_entities(text, phrases):
    assert parse_keyphrases(text) == phrases


def test_entities_in_a_list():
    assert clean_items(["1. R&amp;D", "2. Moore&#39;s law"]) == ["R&D", "Moore's law"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["&", "&quot;", "&#", "\n\n!", "Keywords: a, b\n\n", "håber ", "これらの", "&amp", "Keywords: a, b\n \n"]
)
def test_hostile_texts_take_linear_time(unit):
    def seconds(count):
        start = time.process_time()
        parse_keyphrases(unit * count)
        return time.process_time() - start

    few, many = (min(seconds(count) for _ in range(3)) for count in (4_000, 16_000))
    assert many < 12 * (few + 0.02)
