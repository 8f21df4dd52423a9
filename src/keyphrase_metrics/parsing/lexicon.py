"""The words that name a list, announce it, follow it, or stand in its place."""

from __future__ import annotations

import re

from keyphrase_metrics.parsing.closings import CLOSING


def _starting(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"[\W_]{{0,5}}(?:{'|'.join(patterns)})", re.I)


LABEL = re.compile(
    "(?:hash)?tags?|(?:key-?)?phrases?|key-?words?|terms?|top|topics?|tags?|concepts?|answer|output|response|results?|present|absent"
    "|stichwörter|stichworte|schlüsselwörter|schlüsselbegriffe|schlüsselphrasen|mots-clés|mots-clefs|ключевые"
)
FILLER = re.compile(
    "the|an?|of|in|for|from|and|or|to|is|are|as|be|with|by|on|not|my|here|some|key|main|primary|secondary|extracted"
    "|predicted|generated|suggested|final|relevant|important|list|set|all|most|possible|following|index|author|text"
    "|document|abstract|paper|article|passage|title|english|ranked|below"
)
SECTIONS = {"present", "absent", "answer", "output"}
LEAD = re.compile(
    r"\W{0,5}(?:sure|certainly|of course|okay|ok|absolutely|here (?:are|is)|here's|below (?:are|is)|based on|after"
    r"|the following|i(?:'d| would) (?:choose|suggest|say|pick)|my (?:list|choice)|voici|hier sind|aquí|estas? son|ecco"
    r"|aqui est|вот|以下|当然|好的|もちろん|다음은)\b(?!-)",
    re.I,
)
ONLY_LEAD = re.compile(r"(?:sure|certainly|of course|okay|ok|absolutely|当然|好的)\W*", re.I)
OPENER = re.compile(
    r"\W{0,3}(?:sure(?: thing)?|certainly|of course|okay|ok|absolutely|got it|no problem|sorry)\s?[!,.:]\s+(?=\S)", re.I
)
NEWLINE = re.compile(r"\\n(?!(?:u|e|eq|abla|ot|otin|eg|i|atural|ormalsize|ewline)\b)")  # written out, but not LaTeX
NOTES = _starting(
    r"(?:explanation|reasoning|rationale|justification|notes?)\b[^:\n]{0,20}:",
    CLOSING,
    r"these (?:key|phrases|terms|words|are|topics|were|cover|capture)|this (?:list|set)\b",
    r"(?:if you(?:['’]d| would| need| want| have)|would you like)",
    r"i(?:['’]ve| have)? (?:extracted|selected|listed|chosen|chose|ranked)\b",
)
_CANNOT = r"can(?:not|['’]?t)|could ?n['’]?o?t|do(?: not|n['’]t)|did(?: not|n['’]t)|won['’]?t|will not"
_HELP = "help|assist|extract|find|provide|see|have|identify|generate|access|determine|fulfil|comply|know|understand|do"
REFUSAL = _starting(
    r"(?:i['’]?m|i am|we are) (?:very |really |so )?(?:sorry|unable|not able|afraid|just an|an ai)",
    r"(?:sorry|unfortunately|apologies|regrettably)[,.!]|sorry (?:but|i)\b|my apologies|i apologi[sz]e",
    rf"i (?:{_CANNOT}) (?:\w+ )?(?:{_HELP})|as an? (?:ai|(?:large )?language model|llm)\b",
    r"(?:could you )?(?:please )?(?:provide|share|paste|upload) (?:the|your|me|a)\b",
    r"it (?:seems|looks|appears) (?:like |that |as )|there (?:are|is|were|was) no\b(?!-)",
    r"(?:unable|failed|not able|impossible) to (?:\w+ )?(?:determine|extract|identify|generate|find|provide|process)\b",
    r"no (?:text|document|input|abstract|article|passage|content)(?: \w+){0,2} (?:provided|given|available|found)\b",
    r"error\s?[:：]",
    r"(?:the|this|your) (?:\w+ )?(?:text|document|input|abstract|article|passage|message|content)(?: \w+){0,3}"
    r" (?:is|was|does|do|seems|appears|did|has|contains) ?(?:not?\b|n['’]t|(?:to be )?(?:empty|missing)|incomplete)",
    "es tut mir leid|leider (?:kann|konnte|ist)|lo siento|je suis désolé|désolée?[,.]|mi dispiace|sinto muito",
    "(?:很|非常)?抱歉|对不起|對不起|申し訳|すみません|죄송|извините|к сожалению|простите",
)
OWN_VOICE = _starting(r"(?:i|i['’]\w+|we|please|could you|my apologies|as an?)\b(?!-)")
_NOTHING = (
    r"none(?: (?:found|identified|present|available|of them))?|null|nil|nan|n/a|n\.a\.?|not applicable"
    r"|not available|empty|nothing(?: found)?|无|無|没有|なし|없음|keine|aucune?|ninguna?|нет"
    r"|(?:there (?:are|is|were) )?no(?:t any)? (?:\w+ ){0,3}?(?:key[ -]?(?:phrases?|words?)|phrases?|terms?|topics?)"
    r"(?: (?:were |are |was |is |could be )?(?:found|present|identified|available|extracted|detected|given|provided))?"
    r"(?: exist)?(?: (?:in|from|for) [\w ]{1,40})?"
)
NOTHING = re.compile(rf"\W{{0,3}}(?:{_NOTHING})\W{{0,3}}", re.I)
NOTHING_ALONE = re.compile(rf"\W{{0,3}}(?:{_NOTHING}|unknown|(?-i:[Nn]o))\W{{0,3}}", re.I)
