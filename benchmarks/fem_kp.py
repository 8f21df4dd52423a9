"""How fem_kp moves with the corpus, the unit and the number of phrases, and what unrelated phrases score.

    python benchmarks/fem_kp.py --data FOLDER [--documents 100] [--rebuilt 300]

FOLDER holds ``kp20k_1000.jsonl`` as for ``lexical.py``. Its texts are pre-tokenised, so ``tokenizer="whitespace"``;
a document is title and abstract, and the abstract stands for the gold summary, which these data lack. No summaries are
generated: ``generator="serialize"``. Ranks do not depend on it; the encoder is all-MiniLM-L6-v2.
"""

import argparse
import json
from pathlib import Path

import numpy as np

SYSTEMS = {
    "catSeqTG-2RF1": "catSeqTG-2RF1-seed1234",
    "MultipartiteRank": "pke-MultipartiteRank",
    "TopicRank": "pke-TopicRank",
    "YAKE": "pke-YAKE",
}


def read(folder):
    with open(folder / "kp20k_1000.jsonl", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def text_of(row):
    return f"{row['title']} {row['text']}"


def nothing(texts):
    """An encoder for where only ranks are looked at."""
    return np.ones((len(texts), 1))


def scored(rows, predictions, corpus=None, encoder=nothing, **options):
    import keyphrase_metrics

    return keyphrase_metrics.score(
        predictions,
        sources=[text_of(row) for row in rows],
        summaries=[row["text"] for row in rows],
        corpus=corpus,
        metrics=["fem_kp"],
        generator="serialize",
        encoder=encoder,
        tokenizer="whitespace",
        per_document=True,
        **options,
    )["fem_kp"]


def retrieval(rows, documents):
    sizes = [size for size in (documents, 300, 1000) if documents <= size <= len(rows)]
    print(f"retrieval of the first {documents} documents in the first N (share of documents at rank 1)")
    print("phrases  unit    system            " + "".join(f"{f'N = {size}':>16}" for size in sizes))
    for first in (1, 3, 5, 10):
        for unit in ("phrase", "token"):
            for name, key in SYSTEMS.items():
                given = [row["predictions"][key][:first] for row in rows[:documents]]
                cells = []
                for size in sizes:
                    result = scored(rows[:documents], given, [text_of(row) for row in rows[:size]], unit=unit)
                    best = np.mean([rank == 1 for rank in result.per_document["retrieval_rank"]])
                    cells.append(f"{result.scores['retrieval']:.3f} ({best:.0%})")
                print(f"{first:>7}  {unit:<6}  {name:<16}  " + "".join(f"{cell:>16}" for cell in cells))


def reconstruction(rows, documents):
    from keyphrase_metrics.models.weights import MINILM

    print(f"\nreconstruction of {documents} abstracts from the first 10 phrases, and from another document's")
    rows = rows[:documents]
    order = np.random.default_rng(0).permutation(len(rows))
    for name, key in SYSTEMS.items():
        given = [row["predictions"][key][:10] for row in rows]
        for kind, lists in ((name, given), ("… shuffled", [given[i] for i in order])):
            result = scored(rows, lists, encoder=MINILM)
            values = np.array(result.per_document["reconstruction"])
            low, high = np.quantile(values, [0.05, 0.95])
            mean, fem = result.scores["reconstruction"], result.scores["fem_kp"]
            print(f"{kind:<18} mean {mean:.3f}, 90 % in {low:.3f} to {high:.3f}; fem_kp {fem:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="folder with kp20k_1000.jsonl")
    parser.add_argument("--documents", type=int, default=100, help="documents that are retrieved")
    parser.add_argument("--rebuilt", type=int, default=300, help="documents whose abstract is compared")
    options = parser.parse_args()
    if options.data is None:
        print("fem_kp.py: needs real texts; name their folder with --data")
        return
    rows = read(options.data)
    retrieval(rows, options.documents)
    reconstruction(rows, options.rebuilt)


if __name__ == "__main__":
    main()
