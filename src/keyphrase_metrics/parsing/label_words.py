"""What lists of keyphrases are called, by language: the words of labels such as ``Keyphrases: …``.

One line for each language (ISO 639-1), all lower case: regular expressions of the forms for keyphrases, keywords and
key terms. A label may say more (``present keywords``, ``Hier sind die Schlüsselwörter``): it holds one of these, and
is short. ``[ -]`` stands for a blank or a hyphen.
"""

from __future__ import annotations

import re

LIST_NAMES: dict[str, tuple[str, ...]] = {
    "en": (r"key[ -]?(?:phrases|words|terms)\b",),
    "ar": ("(?:ال)?(?:كلمات|عبارات|مصطلحات) (?:ال)?(?:مفتاحية|دالة|رئيسية|أساسية)",),
    "cs": ("klíčov(?:á slova|é (?:fráze|pojmy|výrazy))",),
    "da": ("nøgle(?:ord|fraser|begreber)", "emneord"),
    "de": ("schlüssel(?:wörter|begriffe|phrasen|worte)", "(?:stich|schlag)(?:wörter|worte)"),
    "el": ("λέξεις[ -]κλειδιά", "(?:φράσεις|όροι)[ -]κλειδιά", "βασικ(?:οί όροι|ές (?:φράσεις|έννοιες))"),
    "es": ("(?:palabras|frases|términos|conceptos)[ -]clave",),
    "fa": ("کلید ?واژه", "(?:کلمات|عبارات|واژگان) کلیدی"),
    "fi": ("avain(?:sanat|lauseet|termit|ilmaisut|fraasit)", "asiasanat"),
    "fr": ("mots[ -]cl", "(?:phrases|expressions|termes)[ -]cl(?:é|ef)s"),
    "he": ("מילות[ -]מפתח", "ביטויי[ -]מפתח", "מונחי[ -]מפתח"),
    "hi": ("(?:मुख्य|प्रमुख|महत्वपूर्ण|बीज) (?:शब्द|वाक्यांश)", "की-?वर्ड", "कुंजी ?शब्द", "कीवर्ड"),
    "hu": ("kulcs(?:szavak|kifejezések|fogalmak)", "tárgyszavak"),
    "id": ("(?:kata|frasa|istilah)[ -]kunci",),
    "it": ("(?:parole|frasi|termini|concetti)[ -]chiave",),
    "ja": ("キーワード", "キーフレーズ", "重要語"),
    "ko": ("키워드", "핵심어", "핵심 ?(?:구문|단어)", "주요어", "주제어"),
    "nb": ("nøkkel(?:ord|fraser|begreper)", "stikkord"),
    "nl": ("(?:sleutel|kern|tref)(?:woorden|begrippen|zinnen|termen)", "kernfrasen", "sleutelfrasen"),
    "pl": ("słowa[ -]kluczow", "(?:frazy|wyrażenia|terminy|pojęcia) kluczowe", "kluczowe (?:słowa|frazy|pojęcia)"),
    "pt": ("(?:palavras|frases|termos|expressões)[ -]chaves?",),
    "ro": ("cuvinte(?:le)?[ -]cheie", "(?:expresii|fraze|termeni|sintagme)(?:le)?[ -]cheie"),
    "ru": ("ключевые (?:слова|фразы|термины|понятия|словосочетания)",),
    "sv": ("nyckel(?:ord|fraser|begrepp|termer)", "sökord", "ämnesord"),
    "th": ("คำสำคัญ", "คีย์เวิร์ด", "วลีสำคัญ", "คำหลัก"),
    "tr": ("anahtar (?:kelime|sözcük|ifade|terim|öbek|kavram)",),
    "uk": ("ключові (?:слова|фрази|терміни|поняття|словосполучення)",),
    "vi": ("từ kh(?:óa|oá)", "cụm từ (?:chính|quan trọng)", "thuật ngữ (?:chính|quan trọng)"),
    "zh": ("关键(?:词|短语|字|术语)", "關鍵", "关键概念"),
}
NAMED = re.compile("|".join(form for forms in LIST_NAMES.values() for form in forms), re.I)
# Without a colon only a line that says nothing else is a label: "Schlüsselwörter", not "key terms in law".
ALONE = re.compile(rf"[\W_]{{0,5}}(?:{NAMED.pattern})\w{{0,12}}[\W_]{{0,5}}", re.I)
