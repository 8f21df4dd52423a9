"""The label in front of a list, in many languages, and what only looks like one."""

import pytest

from keyphrase_metrics.parsing import parse_keyphrases
from keyphrase_metrics.parsing.label_words import LIST_NAMES

LABELLED = [
    # the names of one list, in each language, with the phrases after it
    ("en", "Key terms", ["tidal power", "sea wall"]),
    ("en", "Extracted keywords", ["tidal power", "sea wall"]),
    ("ar", "الكلمات المفتاحية", ["طاقة المد", "جدار البحر"]),
    ("ar", "كلمات مفتاحية", ["طاقة المد", "جدار البحر"]),
    ("ar", "الكلمات الدالة", ["طاقة المد", "جدار البحر"]),
    ("cs", "Klíčová slova", ["přílivová energie", "mořská hráz"]),
    ("cs", "Klíčové fráze", ["přílivová energie", "mořská hráz"]),
    ("da", "Nøgleord", ["tidevandskraft", "havmur"]),
    ("de", "Schlüsselwörter", ["Gezeitenkraft", "Deich"]),
    ("de", "Schlagwörter", ["Gezeitenkraft", "Deich"]),
    ("de", "Hier sind die Schlüsselbegriffe", ["Gezeitenkraft", "Deich"]),
    ("el", "Λέξεις-κλειδιά", ["παλιρροϊκή ενέργεια", "θαλάσσιο τείχος"]),
    ("el", "Λέξεις κλειδιά", ["παλιρροϊκή ενέργεια", "θαλάσσιο τείχος"]),
    ("es", "Frases clave", ["energía mareomotriz", "dique"]),
    ("es", "Términos clave", ["energía mareomotriz", "dique"]),
    ("fa", "کلیدواژه‌ها", ["انرژی جزر و مد", "دیوار دریا"]),
    ("fi", "Avainsanat", ["vuorovesivoima", "aallonmurtaja"]),
    ("fi", "Tässä ovat avainsanat", ["vuorovesivoima", "aallonmurtaja"]),
    ("fr", "Expressions clés", ["marée", "digue"]),
    ("fr", "Voici les mots-clés", ["marée", "digue"]),
    ("he", "מילות מפתח", ["אנרגיית גאות", "חומת ים"]),
    ("he", "ביטויי מפתח", ["אנרגיית גאות", "חומת ים"]),
    ("hi", "मुख्य शब्द", ["ज्वारीय ऊर्जा", "समुद्री दीवार"]),
    ("hi", "कीवर्ड", ["ज्वारीय ऊर्जा", "समुद्री दीवार"]),
    ("hi", "प्रमुख वाक्यांश", ["ज्वारीय ऊर्जा", "समुद्री दीवार"]),
    ("hu", "Kulcsszavak", ["árapályenergia", "tengeri gát"]),
    ("hu", "Kulcskifejezések", ["árapályenergia", "tengeri gát"]),
    ("id", "Kata kunci", ["energi pasang surut", "tembok laut"]),
    ("id", "Frasa kunci", ["energi pasang surut", "tembok laut"]),
    ("it", "Frasi chiave", ["energia mareomotrice", "diga"]),
    ("ja", "キーフレーズ", ["潮汐発電", "防波堤"]),
    ("ko", "핵심 키워드", ["조력 발전", "방파제"]),
    ("nb", "Nøkkelord", ["tidevannskraft", "sjømur"]),
    ("nl", "Trefwoorden", ["getijdenenergie", "zeewering"]),
    ("nl", "Sleutelwoorden", ["getijdenenergie", "zeewering"]),
    ("nl", "Kernbegrippen", ["getijdenenergie", "zeewering"]),
    ("pl", "Słowa kluczowe", ["energia pływów", "falochron"]),
    ("pl", "Oto słowa kluczowe", ["energia pływów", "falochron"]),
    ("pl", "Frazy kluczowe", ["energia pływów", "falochron"]),
    ("pt", "Palavras-chave", ["energia das marés", "quebra-mar"]),
    ("ro", "Cuvinte cheie", ["energia mareelor", "dig maritim"]),
    ("ro", "Cuvinte-cheie", ["energia mareelor", "dig maritim"]),
    ("ro", "Expresii cheie", ["energia mareelor", "dig maritim"]),
    ("ru", "Ключевые фразы", ["приливная энергия", "дамба"]),
    ("sv", "Nyckelord", ["tidvattenkraft", "havsmur"]),
    ("sv", "Nyckelfraser", ["tidvattenkraft", "havsmur"]),
    ("sv", "Här är nyckelorden", ["tidvattenkraft", "havsmur"]),
    ("th", "คำสำคัญ", ["พลังงานน้ำขึ้นน้ำลง", "กำแพงกันคลื่น"]),
    ("th", "คีย์เวิร์ด", ["พลังงานน้ำขึ้นน้ำลง", "กำแพงกันคลื่น"]),
    ("tr", "Anahtar kelimeler", ["gelgit enerjisi", "deniz duvarı"]),
    ("tr", "Anahtar sözcükler", ["gelgit enerjisi", "deniz duvarı"]),
    ("tr", "İşte anahtar ifadeler", ["gelgit enerjisi", "deniz duvarı"]),
    ("uk", "Ключові слова", ["припливна енергія", "морська стіна"]),
    ("uk", "Ключові фрази", ["припливна енергія", "морська стіна"]),
    ("vi", "Từ khóa", ["năng lượng thủy triều", "tường chắn biển"]),
    ("vi", "Từ khoá chính", ["năng lượng thủy triều", "tường chắn biển"]),
    ("vi", "Cụm từ khóa", ["năng lượng thủy triều", "tường chắn biển"]),
    ("zh", "关键短语", ["潮汐能", "海堤"]),
    ("zh", "關鍵詞", ["潮汐能", "海堤"]),
]
DRESSES = {
    "one line": "{label}: {first}, {second}",
    "full width": "{label}：{first}; {second}",
    "bold": "**{label}:** {first}; {second}",
    "next line": "{label}:\n{first}, {second}",
    "bullets": "{label}:\n- {first}\n- {second}",
    "lines": "{label}:\n{first}\n{second}",
}


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize(("language", "label", "phrases"), LABELLED, ids=[label for _, label, _ in LABELLED])
def test_a_label_is_not_a_phrase(language, label, phrases, dress):
    assert language in LIST_NAMES
    text = DRESSES[dress].format(label=label, first=phrases[0], second=phrases[1])
    assert parse_keyphrases(text) == phrases


def test_every_language_of_the_table_has_an_example():
    assert {language for language, *_ in LABELLED} == set(LIST_NAMES)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Keywords – tidal power, sea wall", ["tidal power", "sea wall"]),
        ("Nyckelord – tidvatten, havsmur", ["tidvatten", "havsmur"]),
        ("Từ khóa — thủy triều, biển", ["thủy triều", "biển"]),
        ("Słowa kluczowe - pływy, falochron", ["pływy", "falochron"]),
        ("Trefwoorden\ngetij\nzeewering", ["getij", "zeewering"]),
        ("## Avainsanat\n- vuorovesi\n- meri", ["vuorovesi", "meri"]),
        ("Aanwezige sleutelwoorden: getij, zee\nAfwezige sleutelwoorden: klimaat", ["getij", "zee", "klimaat"]),
        ("Присутні ключові слова: море\nВідсутні ключові слова: клімат", ["море", "клімат"]),
        ("Từ khóa: không gian; thời gian", ["không gian", "thời gian"]),  # decomposed
        ('Anahtar kelimeler: ["gelgit", "deniz"]', ["gelgit", "deniz"]),
    ],
)
def test_other_dress(text, phrases):
    assert parse_keyphrases(text) == phrases


# a language that the table does not know: a short head before three phrases or more
@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Märksõnad: meri, tuul, laine", ["meri", "tuul", "laine"]),
        ("Raktažodžiai: jūra, vėjas, banga", ["jūra", "vėjas", "banga"]),
        ("Atslēgvārdi: jūra; vējš; vilnis", ["jūra", "vējš", "vilnis"]),
        ("Maneno muhimu: bahari, upepo, wimbi kubwa", ["bahari", "upepo", "wimbi kubwa"]),
        ("**Ključne riječi:** more, vjetar, val", ["more", "vjetar", "val"]),
        ("Lykilorð: haf, vindur, alda", ["haf", "vindur", "alda"]),
        ("Gako-hitzak: itsasoa, haizea", ["Gako-hitzak: itsasoa", "haizea"]),  # two phrases are too few to tell
        ("Energy: tidal power, wave farm, dam", ["tidal power", "wave farm", "dam"]),
    ],
)
def test_unknown_languages(text, phrases):
    parsed = parse_keyphrases(text)
    assert parsed == phrases
    assert (parsed.reason is None) == (phrases[0] in text and ":" in phrases[0])


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("C++: a primer; templates; RAII", ["C++: a primer", "templates", "RAII"]),
        ("python 3: asyncio, threads, locks", ["python 3: asyncio", "threads", "locks"]),
        ("Note: tides, dams, walls", ["Note: tides", "dams", "walls"]),
        ("tidal power: a form of energy", ["tidal power"]),
        ("tidal power: energy from tides, made by turbines, at the coast", None),
        ("deep sea: sea floor; trench; fauna", ["deep sea: sea floor", "trench", "fauna"]),
        ("covid-19: masks; vaccines; tests", ["covid-19: masks", "vaccines", "tests"]),
        ("alpha: one; beta: two; gamma: three", ["alpha: one", "beta: two", "gamma: three"]),
        ("4:1 multiplexer; fog; sea", ["4:1 multiplexer", "fog", "sea"]),
        ("mapping: x, y", ["mapping: x", "y"]),
        ("keyword extraction; key term weighting", ["keyword extraction", "key term weighting"]),
        ("anahtar kelime çıkarımı; deniz", ["anahtar kelime çıkarımı", "deniz"]),
        ("tidal power: 0.9; sea wall: 0.5; fog: 0.1", ["tidal power", "sea wall", "fog"]),
        ("tides: when, where, how", ["tides: when", "where", "how"]),
    ],
)
def test_what_only_looks_like_a_label(text, phrases):
    parsed = parse_keyphrases(text)
    if phrases is None:
        assert parsed[0].startswith("tidal power")
    else:
        assert parsed == phrases
