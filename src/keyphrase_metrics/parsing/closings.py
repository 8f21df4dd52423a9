"""How a model takes its leave after a list (``I hope this helps!``), by language.

One line for each language (ISO 639-1) as in ``label_words``: regular expressions of how such a sentence begins.
"""

from __future__ import annotations

CLOSINGS: dict[str, tuple[str, ...]] = {
    "en": (r"let me know|i hope\b|hope (?:this|these)|please (?:let|note|feel)|feel free|note that|is there anything",),
    "ar": ("(?:آمل|أتمنى|نأمل) أن", "أرجو أن"),
    "cs": (r"doufám,? že\b", r"dejte (?:mi )?vědět\b"),
    "da": (r"(?:jeg )?håber,? (?:at )?(?:det|dette|disse)\b", r"lad mig vide\b"),
    "de": (
        r"(?:ich|wir) hoffen?,? (?:das|dass|dies|diese|ich|sie|es|ihnen|dir)\b",
        r"(?:lassen sie|lass) (?:es )?mich wissen\b",
        r"falls (?:du|sie)\b",
        r"wenn (?:du|sie) (?:noch|weitere|fragen|mehr)\b",
    ),
    "el": (r"ελπίζω (?:να|ότι|αυτ)",),
    "es": (r"espero (?:que|haber)\b", r"(?:házmelo|hágamelo|déjame|déjeme) saber\b", r"si (?:necesitas|necesita)\b"),
    "fa": ("امیدوارم",),
    "fi": (r"toivottavasti (?:tästä|tämä|nämä|näistä)\b", r"toivon,? että\b"),
    "fr": (r"(?:j['’]espère|nous espérons) (?:que|avoir)\b", r"n['’]hésite[sz]? pas\b"),
    "he": ("(?:אני )?מקוו?ה ש",),
    "hi": ("(?:मुझे )?(?:आशा|उम्मीद) है",),
    "hu": (r"remélem,? (?:hogy|ez|segít)",),
    "id": (r"semoga (?:ini|membantu|bermanfaat|kata|daftar)\b", r"saya harap\b"),
    "it": (r"spero (?:che|di|ti|vi)\b", r"fammi sapere\b", r"mi faccia sapere\b"),
    "ja": ("(?:この|これらの?|以上の?).{0,20}(?:お役に立|参考になれば)", "(?:お役に立て|ご?参考になれば)"),
    "ko": ("(?:이|이것이|이 키워드가 )?도움이 되(?:었|길|기|셨)",),
    "nb": (r"(?:jeg )?håper,? (?:at )?(?:det|dette|disse)\b", r"gi meg beskjed\b"),
    "nl": (r"(?:ik )?hoop(?:elijk)? (?:dat|dit|deze|helpt)\b", r"laat (?:het )?(?:me|mij) (?:het )?weten\b"),
    "pl": (r"mam nadzieję", r"daj(?:cie)? (?:mi )?znać\b"),
    "pt": (r"espero (?:que|ter)\b", r"(?:me avise|avise-me|diga-me)\b"),
    "ro": (r"sper (?:că|să|ca)\b",),
    "ru": (r"(?:я )?надеюсь", r"дай(?:те)? (?:мне )?знать\b"),
    "sv": (r"(?:jag )?hoppas,? (?:att )?(?:det|detta|dessa)\b", r"(?:säg till|hör av dig) (?:om|ifall)\b"),
    "th": ("หวังว่า",),
    "tr": (r"umar[ıi]m\b",),
    "uk": (r"(?:я )?сподіваю",),
    "vi": (r"(?:tôi )?hy vọng (?:điều|những|các|danh|rằng|là|này)",),
    "zh": ("如果|希望|请注意",),
}
CLOSING = "|".join(form for forms in CLOSINGS.values() for form in forms)
