"""Time and memory of the lexical metrics, printed with their conditions; nothing is asserted.

    python benchmarks/lexical.py [--data FOLDER] [--runs 3]

FOLDER holds ``kp20k_20000_notext.jsonl.gz`` and ``kp20k_1000.jsonl`` (one JSON object a line: ``title``,
``text``, ``references``, ``predictions`` by system). Without it, documents are made from ``examples/``.
Every figure is the best of some runs in a process of its own; import time is left out.
"""

import argparse
import gzip
import json
import os
import platform
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
METRICS = ["keyphrase_f1(cutoffs=[5,10,M,O])", "keyphrase_ndcg", "r_precision"]
SIZES = [2_000, 20_000, 200_000]


def read(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def made(documents, words):
    """Documents in the manner of KP20k from the examples' words, with as many distinct words as real data has."""
    chosen = random.Random(0)
    stock = sorted({w for d in read(ROOT / "examples" / "references.jsonl") for w in d["text"].split()})
    stock = [f"{w}{suffix}" for suffix in ("", "s", "ing", "ation", "ally", "ness", "able", "ist") for w in stock]

    def phrase():
        return " ".join(chosen.choices(stock, k=chosen.choice((1, 2, 2, 3))))

    rows = []
    for _ in range(documents):
        references = [phrase() for _ in range(chosen.randint(3, 7))]
        first, second = (
            [chosen.choice(references) if chosen.random() < 0.25 else phrase() for _ in range(8)] for _ in range(2)
        )
        text = " ".join([*chosen.choices(stock, k=words), *references[:3]])
        rows.append({"title": "", "text": text, "references": references, "predictions": {"a": first, "b": second}})
    return rows


def load(folder, name, documents):
    path = next((p for p in (folder / f"{name}.jsonl.gz", folder / f"{name}.jsonl") if folder and p.exists()), None)
    rows = read(path) if path else made(documents, 170 if name == "kp20k_1000" else 0)
    return rows, str(path.name) if path else "made from examples/"


def columns(rows, system):
    return [row["predictions"][system] for row in rows], [row["references"] for row in rows]


def best(runs, call):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def forget():
    from keyphrase_metrics.text import vocabulary

    vocabulary._vocabularies.clear()


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def first_and_second(folder, runs, size=20_000):
    import keyphrase_metrics

    rows, source = load(folder, "kp20k_20000_notext", 20_000)
    one, two, *_ = list(rows[0]["predictions"])
    documents = (rows * (1 + size // len(rows)))[:size]
    if size > len(rows):  # new phrases in every copy, as new documents would bring
        documents = [renamed(row, index // len(rows), (one, two)) for index, row in enumerate(documents)]
    first, second = columns(documents, one), columns(documents, two)
    del rows
    before = peak()

    def score(given):
        keyphrase_metrics.score(*given, metrics=METRICS)

    keyphrase_metrics.score([["a"]], [["a"]], metrics=METRICS)
    times = []
    for _ in range(runs):
        forget()
        times.append((best(1, lambda: score(first)), best(1, lambda: score(second))))
    return {
        "data": source,
        "documents": size,
        "first system, s": min(a for a, _ in times),
        "second system, s": min(b for _, b in times),
        "peak memory, MB": peak(),
        "of it the lists of strings, MB": before,
    }


def renamed(row, copy, systems):
    def again(phrases):
        return [phrase if copy == 0 or i % 3 else f"{phrase} {copy}" for i, phrase in enumerate(phrases)]

    predictions = {system: again(row["predictions"][system]) for system in systems}
    return {"references": again(row["references"]), "predictions": predictions}


def with_texts(folder, runs):
    import keyphrase_metrics

    rows, source = load(folder, "kp20k_1000", 1_000)
    texts = [f"{row['title']} {row['text']}" for row in rows]
    found = {"data": source, "documents": len(rows)}
    for system in list(rows[0]["predictions"])[:1] + [s for s in rows[0]["predictions"] if "TopicRank" in s]:

        def call(system=system):
            forget()
            keyphrase_metrics.score(*columns(rows, system), texts, metrics=METRICS)

        call()
        found[f"{system}, s"] = best(runs, call)
    return found


def full_papers(folder, runs):
    import keyphrase_metrics

    rows, source = load(folder, "kp20k_1000", 1_000)
    texts = [f"{row['title']} {row['text']}" for row in rows]
    words = " ".join(texts).split()
    papers = [" ".join(words[start : start + 8_000]) for start in range(0, len(words) - 8_000, len(words) // 200)]
    system = next((s for s in rows[0]["predictions"] if "TopicRank" in s), "a")
    predictions, references = (column[: len(papers)] for column in columns(rows, system))
    metric = "keyphrase_f1(keyphrases=present_and_absent)"

    def call():
        keyphrase_metrics.score(predictions, references, papers, metrics=metric)

    call()
    return {
        "data": source,
        "papers of 8,000 words": len(papers),
        "per paper, ms": 1000 * best(runs, call) / len(papers),
    }


def through_evaluate(folder, runs):
    import evaluate

    import keyphrase_metrics

    rows, source = load(folder, "kp20k_20000_notext", 20_000)
    predictions, references = columns(rows, next(iter(rows[0]["predictions"])))
    module = evaluate.load(str(ROOT / "metrics" / "keyphrase_f1"))
    core = best(runs, lambda: (forget(), keyphrase_metrics.score(predictions, references, metrics="keyphrase_f1")))
    direct = best(runs, lambda: (forget(), module.compute(predictions=predictions, references=references)))

    def batches():
        forget()
        for start in range(0, len(rows), 100):
            module.add_batch(predictions=predictions[start : start + 100], references=references[start : start + 100])
        module.compute()

    return {
        "data": source,
        "core, s": core,
        "compute, s": direct,
        "add_batch of 100 and compute, s": best(runs, batches),
    }


def stemming(folder, runs):
    from nltk.stem.porter import PorterStemmer

    from keyphrase_metrics.text import porter

    rows, source = load(folder, "kp20k_20000_notext", 20_000)
    predictions, references = columns(rows, next(iter(rows[0]["predictions"])))
    words = {word for lists in (predictions, references) for doc in lists for p in doc for word in p.lower().split()}
    ours = best(runs, lambda: list(map(porter.stem, words)))
    theirs = best(runs, lambda: list(map(PorterStemmer().stem, words)))
    return {
        "data": source,
        "unique words": len(words),
        "Porter's stemmer on them, s": ours,
        "NLTK's, s": theirs,
        "times as long": theirs / ours,
    }


CASES = {
    "stemming alone": stemming,
    "20,000 documents without texts": first_and_second,
    **{f"{size:,} documents": lambda folder, runs, size=size: first_and_second(folder, runs, size) for size in SIZES},
    "1,000 documents with texts": with_texts,
    "present and absent on full papers": full_papers,
    "through evaluate": through_evaluate,
}


def figures_of(script, case, **options):
    """Run one case of a script in a process of its own, and return its figures as text."""
    command = [sys.executable, script, "--case", case]
    command += [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    figures = json.loads(done.stdout.splitlines()[-1])
    shown = (f"{key} {value:,.3f}" if isinstance(value, float) else f"{key} {value}" for key, value in figures.items())
    return f"{case}: {'; '.join(shown)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--case", choices=CASES)
    options = parser.parse_args()
    if options.case:
        os.environ.update(HF_HUB_OFFLINE="1", HF_EVALUATE_OFFLINE="1")
        print(json.dumps(CASES[options.case](options.data, options.runs)))
        return
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.machine()}; best of {options.runs}")
    print("metrics:", " ".join(METRICS))
    for case in CASES:
        print(figures_of(__file__, case, data=options.data, runs=options.runs), flush=True)


if __name__ == "__main__":
    main()
