"""Make judgements, predictions and references of data sets that are laid out otherwise; FILE is given, not copied.

    python examples/agreement/convert.py termith FILE FOLDER  # phrases.jsonl, missed.jsonl, references.jsonl, systems
    python examples/agreement/convert.py teams FILE FOLDER    # judged.jsonl, and a file of each team's topics
    python examples/agreement/convert.py counts FILE FOLDER   # judged.jsonl, references.jsonl, systems

``termith``: documents with the phrases of several systems, of which people rated the pertinence (0, 1, 2), and the
references of which they rated how much it matters that a system missed them (2 most). ``teams``: references by
annotator, in ``annotators``. ``counts``: references with the number of people who chose them, best first.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

KEPT = 10  # phrases of the systems that are made, and the references by votes
STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can for from has have in is it its may not of on or our said such that the their "
        "then there these this to was we were which who will with",
    )
)


def termith(rows):
    """Yield the name of a file and a row of it; the nested file names no rater."""
    for row in rows:
        text = " ".join(row["abstract"])
        references = [each["phrase"] for each in row["references"]]
        yield "references", {"id": row["id"], "title": row["titles"]["fr"], "text": text, "references": references}
        for system in row["systems"]:
            name = system["tools"][0].split(":")[2]
            phrases = sorted(system["keyphrases"], key=lambda each: each["rank"])
            yield name, {"id": row["id"], "predictions": [each["phrase"] for each in phrases]}
            for each in {each["phrase"]: each for each in reversed(phrases)}.values():  # of repeats the first
                judged = {"id": row["id"], "system": name, "phrase": each["phrase"], "rating": each["pertinence"]}
                yield "phrases", judged
            missed = [each["score"] for each in system["silence"] if each["score"] is not None]
            rating = -sum(missed) / len(missed) if missed else None  # the less is missed the better
            yield "missed", {"id": row["id"], "system": name, "rating": rating}


def teams(rows):
    """Each team in turn is a system; of the others every second one gives references, the rest judge its topics.

    References have the number of teams that gave them as weights, so that no vote is counted on both sides.
    """
    for row in rows:
        names = list(row["annotators"])
        for team in names:
            others = [name for name in names if name != team]
            give, judge = (
                Counter(topic for name in others[start::2] for topic in dict.fromkeys(row["annotators"][name]))
                for start in (0, 1)
            )
            topics = list(dict.fromkeys(row["annotators"][team]))
            yield team, {"id": row["id"], "predictions": topics, "references": [list(each) for each in give.items()]}
            for topic in topics:
                yield "judged", {"id": row["id"], "system": team, "phrase": topic, "rating": judge[topic]}


def counts(rows):
    """References are the phrases that most people chose; all votes are judgements of whoever predicts a phrase."""
    for row in rows:
        chosen = (each for each in row["references"] if each[0].strip())
        votes = dict(sorted(chosen, key=lambda each: -each[1]))
        yield "references", {"id": row["id"], "text": row["text"], "references": list(votes)[:KEPT]}
        for phrase, count in votes.items():
            yield "judged", {"id": row["id"], "phrase": phrase, "rating": count}
        words = re.findall(r"[A-Za-z]+|[^\sA-Za-z]+", row["text"])
        used = [word.isalpha() and len(word) > 2 and word.lower() not in STOP for word in words]
        bigrams = [
            f"{one} {other}" for (one, other), both in zip(pairwise(words), pairwise(used), strict=True) if all(both)
        ]
        single = [word for word, kept in zip(words, used, strict=True) if kept]
        for name, phrases in (("bigrams", bigrams), ("words", single)):
            frequent = [phrase for phrase, _ in Counter(map(str.lower, phrases)).most_common(KEPT)]
            yield f"first_{name}", {"id": row["id"], "predictions": list(dict.fromkeys(phrases))[:KEPT]}
            yield f"frequent_{name}", {"id": row["id"], "predictions": frequent}


def main(kind: str, path: str, folder: str) -> None:
    """Write the files that a kind of data set becomes."""
    rows = [json.loads(line) for line in Path(path).read_text("utf-8").splitlines() if line.strip()]
    files = defaultdict(list)
    for name, row in {"termith": termith, "teams": teams, "counts": counts}[kind](rows):
        files[name].append(json.dumps(row, ensure_ascii=False))
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, lines in files.items():
        Path(folder, f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("termith", "teams", "counts"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
