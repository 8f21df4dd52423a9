"""Small files of the layouts that the field uses."""

from __future__ import annotations

FILES = {
    "ake.json": '{\n "a": [["wave", "sea wave"], ["tide"]],\n "b": []\n}',
    "jcdl.json": '{"a": [["wave"], ["tide"]], "b": []}',
    "scores.json": '[[["wave", 0.5], ["tide", 0.2]], []]',
    "array.json": '[{"id": "a", "predictions": ["wave", "tide"]},\n {"id": "b", "predictions": []}]',
    "a.txt": "wave;<peos>;tide;\n\n",
    "variants.txt": "wave|sea wave;tide\n\n",
    "src.txt": "on waves <eos> a wave and a tide\nnone\n",
    "a.pred": '{"pred_sents": [["sea", "wave"], ["<sep>"]], "pred_scores": [-1, -2]}\n{"pred_sents": ["tide"]}\n',
    "kp20k.json": '{"title": "t", "abstract": "x", "keywords": "wave;;tide"}\n',
    "a.final": "A-1 : wave+sea wave,tide\nB-2 :\n",
    "open.jsonl": '{"url": "http://x", "KeyPhrases": [["sea", "wave"], [""]]}\n',
    "kang.json": '{"final_pred_keyphrase": ["wave"], "label": ["tide"]}\n',
    "kpeval.json": '{"source": "on waves [SEP] wave ##let [ digit ]", "target": "wave ##let;<peos>;[ digit ] m", '
    '"prediction": ["wave ##let", "<sep>"]}\n',
    "bare.tsv": "a\twave;tide\nb\t\n",
    "cell.csv": 'id,prediction\na,"wave;<peos>;tide;"\nb,""\n',
    "listed.ndjson": '{"id": "a", "predictions": ["wave"]}\n',
    "n-CrowdCountskey": "wave\t7\ntide\t2\n",
    "d.key": "wave\r\n\r\ntide",
}
