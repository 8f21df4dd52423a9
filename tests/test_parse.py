"""What language models write, and the phrases in it.

The outputs are written after those of real models: their habits, not their words.
"""

import gc
import json
import pickle
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from keyphrase_metrics import score
from keyphrase_metrics.errors import InputError
from keyphrase_metrics.parsing import Keyphrases, parse_keyphrases

SEA = ["tidal power", "sea wall"]

# output, phrases, form, what the reason says (None: there is no reason)
OUTPUTS = [
    # JSON
    ('["tidal power", "sea wall"]', SEA, "json", None),
    ('["tidal power"]', ["tidal power"], "json", None),
    ('[\n  "graph neural network",\n  "node embedding"\n]', ["graph neural network", "node embedding"], "json", None),
    ('```json\n["tidal power", "sea wall"]\n```', SEA, "json", None),
    ('```\n["tidal power", "sea wall"]\n```\nThese cover the text.', SEA, "json", None),
    ('```json ["tidal power", "sea wall"] ```', SEA, "json", None),
    ('Here is the list:\n\n```json\n{"keyphrases": ["tidal power", "sea wall"]}\n```\n', SEA, "json", None),
    ('Sure! ["tidal power", "sea wall"] Let me know if you want ["more"].', SEA, "json", None),
    ("['tidal power', 'sea wall']", SEA, "json", None),
    ("keyphrases = ['tidal power', 'sea wall']", SEA, "json", None),
    ("['Alzheimer's disease', 'workers' rights']", ["Alzheimer's disease", "workers' rights"], "json", None),
    ('["Alzheimer\'s disease", "amyloid \\"plaque\\""]', ["Alzheimer's disease", 'amyloid "plaque"'], "json", None),
    ('["the "long tail" problem", "ranking"]', ['the "long tail" problem', "ranking"], "json", None),
    ("[“marée”, “énergie bleue”]", ["marée", "énergie bleue"], "json", None),
    ('["tidal power", "sea wall",]', SEA, "json", None),
    ('["tidal power",\n "sea wall",\n ...]', SEA, "json", None),
    ('["tidal power"\n"sea wall"]', SEA, "json", None),
    ('["caf\\u00e9 culture", "\\ud83c\\udf0a surfing", "a\\tb"]', ["café culture", "🌊 surfing", "a b"], "json", None),
    (
        '["CRISPR-Cas9", "p53", "NF-κB", "C++", "1,2-dichloroethane"]',
        ["CRISPR-Cas9", "p53", "NF-κB", "C++", "1,2-dichloroethane"],
        "json",
        None,
    ),
    ('{"present_keyphrases": ["tidal power"], "absent_keyphrases": ["sea wall"]}', SEA, "json", None),
    ('{"title": "At sea", "year": 2021, "keywords": ["tidal power", "sea wall"]}', SEA, "json", None),
    ('{"document_topics": ["coast"], "keyphrases": ["tidal power", "sea wall"]}', SEA, "json", None),
    ('{"sources": ["[3]"], "keyphrases": ["tidal power", "sea wall"]}', SEA, "json", None),
    ('{"keyphrases": "tidal power; sea wall"}', SEA, "json", None),
    ('{"answer": "tidal power, sea wall"}', SEA, "json", None),
    (
        '{"keyphrases": [{"phrase": "tidal power", "score": 0.98}, {"phrase": "sea wall", "score": 0.4}]}',
        SEA,
        "json",
        None,
    ),
    (
        '[{"rank": 1, "keyword": "tidal power", "text": "Tidal power is"}, {"rank": 2, "keyword": "sea wall"}]',
        SEA,
        "json",
        None,
    ),
    ('[{"name": "tidal power", "relevance": "high"}, {"name": "sea wall"}]', SEA, "json", None),
    ('{"keyphrase_1": "tidal power", "keyphrase_2": "sea wall"}', SEA, "json", None),
    ('{"1": "tidal power", "2": "sea wall"}', SEA, "json", None),
    ('{"tidal power": 0.91, "sea wall": 0.55}', SEA, "json", None),
    ('{"tidal power": "energy from the tides", "sea wall": "a defence"}', SEA, "json", None),
    ('{phrase: "tidal power", score: 0.9}', ["tidal power"], "json", None),
    ('[["tidal power", 0.91], ["sea wall", 0.55]]', SEA, "json", None),
    ("[('tidal power', 0.91), ('sea wall', 0.55)]", SEA, "json", None),
    ('{"tidal power", "sea wall"}', SEA, "json", None),
    ('{"keyphrase": "tidal power"}\n{"keyphrase": "sea wall"}', SEA, "json", None),
    ('["tidal power"]\n["sea wall"]', SEA, "json", None),
    ('Present: ["tidal power"]\nAbsent: ["sea wall"]', SEA, "json", None),
    ('```python\nkeyphrases = [\n    "tidal power",\n    "sea wall",\n]\nprint(keyphrases)\n```', SEA, "json", None),
    ('<answer>["tidal power", "sea wall"]</answer>', SEA, "json", None),
    # JSON that breaks off
    ('["tidal power", "sea wall", "break', SEA, "json", "the unfinished 'break' is left out"),
    ('```json\n["tidal power", "sea wall"', SEA, "json", "not closed"),
    ('["tidal power", "sea wall", ', SEA, "json", "not closed"),
    ('[{"phrase": "tidal power"}, {"phrase": "sea wall"}, {"phra', SEA, "json", "'phra' is left out"),
    ('{"keyphrases": [{"phrase": "tidal power", "score": 0.9}, {"phrase": "sea wall", "sc', SEA, "json", "'sc'"),
    ('["tid', [], "json", "the unfinished 'tid' is left out"),
    # empty JSON
    ("[]", [], "json", "the list in the text is empty"),
    ('```json\n{"keyphrases": []}\n```', [], "json", "is empty"),
    ('["None"]', [], "none", "there are none"),
    ('{"error": "I\'m sorry, but I cannot extract keyphrases."}', [], "json", "refuses"),
    # numbered
    ("1. tidal power\n2. sea wall", SEA, "numbered", None),
    ("1) tidal power\n2) sea wall\n", SEA, "numbered", None),
    ("(1) tidal power\n(2) sea wall", SEA, "numbered", None),
    ("[1] tidal power\n[2] sea wall", SEA, "numbered", None),
    ("1: tidal power\n2: sea wall", SEA, "numbered", None),
    ("1 - tidal power\n2 - sea wall", SEA, "numbered", None),
    ("1.tidal power\n2.sea wall", SEA, "numbered", None),
    ("#1 tidal power\n#2 sea wall", SEA, "numbered", None),
    ("a) tidal power\nb) sea wall", SEA, "numbered", None),
    ("Keyphrase 1: tidal power\nKeyphrase 2: sea wall", SEA, "numbered", None),
    ("①潮汐能\n②海堤", ["潮汐能", "海堤"], "numbered", None),
    ("1、潮汐能\n2、海堤", ["潮汐能", "海堤"], "numbered", None),
    ("１．潮汐発電\n２．防波堤", ["潮汐発電", "防波堤"], "numbered", None),
    ("1. tidal power 2. sea wall", SEA, "numbered", None),
    ("Keywords: (1) tidal power, (2) sea wall.", SEA, "numbered", None),
    ("1. **tidal power**\n2. **sea wall**", SEA, "numbered", None),
    ("**1. tidal power**\n**2. sea wall**", SEA, "numbered", None),
    ("**1.** tidal power\n**2.** sea wall", SEA, "numbered", None),
    (
        "### 1. Tidal power\nEnergy from the sea.\n\n### 2. Sea wall\nIt keeps water out.",
        ["Tidal power", "Sea wall"],
        "numbered",
        None,
    ),
    (
        "1. **Tidal power** – the main topic\n2. **Sea wall**: keeps the water out",
        ["Tidal power", "Sea wall"],
        "numbered",
        None,
    ),
    ("1. **Tidal power:** the main topic\n2. **Sea wall:** a defence", ["Tidal power", "Sea wall"], "numbered", None),
    ("1. Tidal power: energy from the sea\n2. Sea wall - a defence", ["Tidal power", "Sea wall"], "numbered", None),
    ('1. "tidal power" (title, abstract)\n2. "sea wall"', SEA, "numbered", None),
    ("1. tidal power (0.93)\n2. sea wall (score: 7)\n3. fog [0.12]", [*SEA, "fog"], "numbered", None),
    ("1. tidal power (95%)\n2. sea wall - 0.71\n3. fog 0.40", [*SEA, "fog"], "numbered", None),
    (
        "1. recurrent neural network (RNN)\n2. long short-term memory (LSTM)",
        ["recurrent neural network (RNN)", "long short-term memory (LSTM)"],
        "numbered",
        None,
    ),
    ("1. **Recurrent** networks\n2. *in vitro* assay", ["Recurrent networks", "*in vitro* assay"], "numbered", None),
    (
        "1. U.S. economy.\n2. U.S.\n3. Smith et al.\n4. interest rates.",
        ["U.S. economy", "U.S.", "Smith et al.", "interest rates"],
        "numbered",
        None,
    ),
    (" 9. tidal power\n10. sea wall", SEA, "numbered", None),
    ("1. tidal power\n\n2. sea wall\n\n3.", SEA, "numbered", "a mark without a phrase"),
    (
        "Sure! Here are the top 2 keyphrases:\n\n1. tidal power\n2. sea wall\n\nLet me know if you need more!",
        SEA,
        "numbered",
        None,
    ),
    (
        "1. Tidal power\n   - Explanation: in the title\n   - Relevance: high\n2. Sea wall\n   - Explanation: defence",
        ["Tidal power", "Sea wall"],
        "numbered",
        "explanations in sub-items",
    ),
    (
        "1. Tidal power\n   The text is about it.\n2. Sea wall\n   It is named twice.",
        ["Tidal power", "Sea wall"],
        "numbered",
        None,
    ),
    (
        "1. **Present keyphrases**:\n   - tidal power\n   - sea wall\n2. **Absent keyphrases**:\n   - climate policy",
        [*SEA, "climate policy"],
        "numbered",
        None,
    ),
    ("1. Energy:\n   - tidal power\n2. Defence:\n   - sea wall", SEA, "numbered", None),
    ("Keywords: 1. tidal power\n2. sea wall", SEA, "numbered", None),
    ("1. tidal power, 2. sea wall, 3. fog", [*SEA, "fog"], "numbered", None),
    ("1. 3.5 tesla MRI\n2. 5-fluorouracil", ["3.5 tesla MRI", "5-fluorouracil"], "numbered", None),
    # bulleted
    ("- tidal power\n- sea wall", SEA, "bulleted", None),
    ("* tidal power\n* sea wall", SEA, "bulleted", None),
    ("• tidal power\n• sea wall", SEA, "bulleted", None),
    ("•tidal power\n•sea wall", SEA, "bulleted", None),
    ("– tidal power\n– sea wall", SEA, "bulleted", None),
    ("· tidal power\n· sea wall", SEA, "bulleted", None),
    ("‣ tidal power\n‣ sea wall", SEA, "bulleted", None),
    ("+ tidal power\n+ sea wall", SEA, "bulleted", None),
    ("-tidal power\n-sea wall", SEA, "bulleted", None),
    ("- [ ] tidal power\n- [x] sea wall", SEA, "bulleted", None),
    ("・潮汐発電\n・防波堤", ["潮汐発電", "防波堤"], "bulleted", None),
    ("- `tidal power`\n- 'sea wall'\n- “fog”\n- «brume»\n- *mist*", [*SEA, "fog", "brume", "mist"], "bulleted", None),
    ('- "tidal power",\n- "sea wall"', SEA, "bulleted", None),
    ("- [tidal power](https://example.org/tides)\n- sea wall", SEA, "bulleted", None),
    (
        "- Energy\n  - tidal power\n  - wave power\n- Defence",
        ["Energy", "tidal power", "wave power", "Defence"],
        "bulleted",
        None,
    ),
    ("## Present\n- tidal power\n\n## Absent\n- sea wall", SEA, "bulleted", None),
    ("**Present keyphrases:**\n* tidal power\n\n**Absent keyphrases:**\n* sea wall", SEA, "bulleted", None),
    ("Present Keyphrases:\n- tidal power\n- sea wall\n\nAbsent Keyphrases:\n- None", SEA, "bulleted", None),
    ("- Present: tidal power, sea wall\n- Absent: climate policy", [*SEA, "climate policy"], "bulleted", None),
    (
        "The paper studies the coast.\n\nKeyphrases:\n- tidal power\n- sea wall\n\nNote: both occur in the title.",
        SEA,
        "bulleted",
        None,
    ),
    ("- tidal power\n---\n- sea wall", SEA, "bulleted", None),
    ("- tidal power -> energy\n- sea wall → defence", SEA, "bulleted", None),
    (
        "- Navier–Stokes equations\n- k-means\n- non-small-cell lung cancer",
        ["Navier–Stokes equations", "k-means", "non-small-cell lung cancer"],
        "bulleted",
        None,
    ),
    ("> - tidal power\n> - sea wall", SEA, "bulleted", None),
    ("- tidal power", ["tidal power"], "bulleted", None),
    # tables
    ("| Keyphrase |\n|---|\n| tidal power |\n| sea wall |", SEA, "table", None),
    (
        "Here:\n\n| # | Keyphrase | Score |\n|--:|:--|:-:|\n| 1 | **tidal power** | 0.9 |\n| 2 | sea wall | 0.5 |",
        SEA,
        "table",
        None,
    ),
    ("| Rank | Concept found |\n|---|---|\n| 1 | tidal power |\n| 2 | sea wall |", SEA, "table", None),
    # separated
    ("tidal power; sea wall", SEA, "separated by ;", None),
    ("tidal power;sea wall;", SEA, "separated by ;", None),
    ("tidal power ; sea wall ; tidal power", [*SEA, "tidal power"], "separated by ;", None),
    ("Keyphrases: tidal power; sea wall", SEA, "separated by ;", None),
    ("**Keyphrases:** tidal power; sea wall", SEA, "separated by ;", None),
    ("Keyphrases:\ntidal power; sea wall", SEA, "separated by ;", None),
    (
        "tidal power; walls, dykes and dams; fog",
        ["tidal power", "walls, dykes and dams", "fog"],
        "separated by ;",
        None,
    ),
    ("semi - supervised learning ; covid - 19", ["semi - supervised learning", "covid - 19"], "separated by ;", None),
    ("tidal power (0.9); sea wall (0.5)", SEA, "separated by ;", None),
    ("tidal power: 0.91; sea wall: 0.5", SEA, "separated by ;", None),
    (
        "present keyphrases: tidal power; sea wall\nabsent keyphrases: climate policy; dyke",
        [*SEA, "climate policy", "dyke"],
        "separated by ;",
        None,
    ),
    ("The keyphrases are: tidal power, sea wall.", SEA, "separated by ,", None),
    ("tidal power, sea wall", SEA, "separated by ,", None),
    ("Keywords: tidal power, sea wall, and fog.", [*SEA, "fog"], "separated by ,", None),
    (
        "Sure! Here are the keyphrases: tidal power, sea wall. Let me know if you need anything else!",
        SEA,
        "separated by ,",
        None,
    ),
    (
        "Here are some keyphrases from the document:\n\ntidal power, sea wall\n\nI hope this helps!",
        SEA,
        "separated by ,",
        None,
    ),
    (
        "gases (CO2, CH4), methane flux, 1,2-dichloroethane",
        ["gases (CO2, CH4)", "methane flux", "1,2-dichloroethane"],
        "separated by ,",
        None,
    ),
    ('"Paris, France", "tidal power"', ["Paris, France", "tidal power"], "separated by ,", None),
    ("**tidal power**, **sea wall**", SEA, "separated by ,", None),
    ("`tidal power`, `sea wall`", SEA, "separated by ,", None),
    ("tidal power,\nsea wall,\nfog", [*SEA, "fog"], "separated by ,", None),
    (
        "The keyphrases of this article are tidal power, sea wall and dykes, fog",
        ["tidal power", "sea wall and dykes", "fog"],
        "separated by ,",
        None,
    ),
    ('"tidal power; sea wall"', SEA, "separated by ;", None),
    ("[tidal power, sea wall]", SEA, "separated by ,", None),
    ("[tidal power, sea wall, bre", SEA, "separated by ,", "'bre' may be unfinished"),
    ("tidal power | sea wall", SEA, "separated by |", None),
    ("tidal power • sea wall • fog", [*SEA, "fog"], "separated by •", None),
    ("• tidal power • sea wall", SEA, "separated by •", None),
    ("tidal power\tsea wall", SEA, "separated by tab", None),
    ("关键词：潮汐能；海堤；雾", ["潮汐能", "海堤", "雾"], "separated by ；", None),
    ("潮汐能，海堤", ["潮汐能", "海堤"], "separated by ，", None),
    ("キーワード：潮汐発電、防波堤、霧", ["潮汐発電", "防波堤", "霧"], "separated by 、", None),
    ("Schlüsselwörter: Gezeitenkraft, Deich", ["Gezeitenkraft", "Deich"], "separated by ,", None),
    ("Mots-clés : marée ; digue", ["marée", "digue"], "separated by ;", None),
    ("Palabras clave: energía mareomotriz, dique", ["energía mareomotriz", "dique"], "separated by ,", None),
    ("Ключевые слова: приливная энергия, дамба", ["приливная энергия", "дамба"], "separated by ,", None),
    ("طاقة المد، جدار البحر", ["طاقة المد", "جدار البحر"], "separated by ،", None),
    # tags of generation models
    ("<present> tidal power <sep> sea wall <absent> climate policy", [*SEA, "climate policy"], "tags", None),
    ("tidal power <sep> sea wall", SEA, "tags", None),
    ("tidal power [SEP] sea wall", SEA, "tags", None),
    (
        "tidal power ; sea wall ; <peos> climate policy ; dyke <eos>",
        [*SEA, "climate policy", "dyke"],
        "separated by ;",
        None,
    ),
    ("<s> tidal power ; sea wall </s><pad><pad>", SEA, "separated by ;", None),
    ("<keyphrases><keyphrase>tidal power</keyphrase><keyphrase>sea wall</keyphrase></keyphrases>", SEA, "tags", None),
    ("<p>tidal power</p><p><b>sea wall</b></p>", SEA, "tags", None),
    ("<ul>\n<li>tidal power</li>\n<li>sea wall</li>\n</ul>", SEA, "tags", None),
    # lines
    ("tidal power\nsea wall", SEA, "lines", None),
    ("Tidal power\r\nSea wall\r\n", ["Tidal power", "Sea wall"], "lines", None),
    ("Here are the keyphrases\n\ntidal power\nsea wall", SEA, "lines", None),
    ("Keyphrases\ntidal power\nsea wall", SEA, "lines", None),
    ("**tidal power**\n**sea wall**", SEA, "lines", None),
    ("tidal power: energy from the sea\nsea wall: a defence against it", SEA, "lines", None),
    ("Present keyphrases:\ntidal power\n\nAbsent keyphrases:\nsea wall", SEA, "lines", None),
    ("tidal power\nwalls, dykes\nfog", ["tidal power", "walls, dykes", "fog"], "lines", None),
    ("Of course!\n\ntidal power\nsea wall\n\nThese keyphrases capture the main ideas.", SEA, "lines", None),
    (
        "topic modeling\npresent value\nanswer set programming",
        ["topic modeling", "present value", "answer set programming"],
        "lines",
        None,
    ),
    ("tidal power", ["tidal power"], "phrase", None),
    ('"Tidal power."', ["Tidal power"], "phrase", None),
    # reasoning and chat tokens
    ("<think>\nThe list could be 1. coast 2. sea.\n</think>\n\ntidal power; sea wall", SEA, "separated by ;", None),
    ("so I answer with two.\n</think>\n- tidal power\n- sea wall", SEA, "bulleted", None),
    ("<think>The user wants keyphrases, such as", [], "empty", "before its reasoning does"),
    ("<reasoning>It is short.</reasoning><answer>tidal power, sea wall</answer>", SEA, "separated by ,", None),
    ("[THINK]short[/THINK]tidal power, sea wall", SEA, "separated by ,", None),
    ("<|im_start|>assistant\ntidal power; sea wall<|im_end|>\n<|im_start|>user\nthanks", SEA, "separated by ;", None),
    (
        "<|channel|>analysis<|message|>Two.<|end|><|start|>assistant<|channel|>final<|message|>"
        "tidal power; sea wall<|return|>",
        SEA,
        "separated by ;",
        None,
    ),
    # nothing
    ("", [], "empty", "the text is empty"),
    (" \n\t\n", [], "empty", "the text is empty"),
    ("None", [], "none", "there are none: 'None'"),
    ("N/A", [], "none", "there are none"),
    ("Keyphrases: none", [], "none", "there are none"),
    ("No keyphrases found.", [], "none", "there are none"),
    ("There are no keyphrases in this document.", [], "none", "there are none"),
    ("无", [], "none", "there are none"),
    ("---", [], "empty", "nothing in '---' is a phrase"),
    ("I'm sorry, but I can't help with that request.", [], "refusal", "the text refuses: "),
    ("I’m sorry, I cannot extract keyphrases from an empty text.", [], "refusal", "refuses"),
    ("As an AI language model, I do not have access to the document, figures, or tables.", [], "refusal", "refuses"),
    ("Please provide the abstract you want me to analyse.", [], "refusal", "refuses"),
    ("It seems that the document is missing; could you paste it again?", [], "refusal", "refuses"),
    ("Unfortunately, the text is too short.", [], "refusal", "refuses"),
    ("The document does not contain enough text, sorry.", [], "refusal", "refuses"),
    ("抱歉，我无法提取关键词。", [], "refusal", "refuses"),
    ("Lo siento, no puedo ayudar con eso.", [], "refusal", "refuses"),
    (
        "This article describes how tides are turned into electricity at the coast, and what that does to fish.",
        [],
        "prose",
        "prose without a list",
    ),
    # unmarked answers with a label in other dress
    ("Keywords— tidal power, sea wall", SEA, "separated by ,", None),
    ("Index Terms—tidal power, sea wall.", SEA, "separated by ,", None),
    ("Top 2: tidal power, sea wall", SEA, "separated by ,", None),
    (
        'The main keyphrases in this text are "tidal power", "sea wall", and "fog".',
        [*SEA, "fog"],
        "separated by ,",
        None,
    ),
    ("Thank you for the text. Here is my list: tidal power, sea wall", SEA, "separated by ,", None),
    ("The text is about the sea. Keyphrases: tidal power, sea wall.", SEA, "separated by ,", None),
    ("Keyphrase: tidal power, Score: 0.9\nKeyphrase: sea wall, Score: 0.8", SEA, "lines", None),
    ("I would choose: tidal power, sea wall.", SEA, "separated by ,", None),
    ("\\boxed{tidal power; sea wall}", SEA, "separated by ;", None),
    (
        "keyphrases:\n  - phrase: tidal power\n    score: 0.9\n  - phrase: sea wall\n    score: 0.8",
        SEA,
        "bulleted",
        None,
    ),
    ("('tidal power', 0.9)\n('sea wall', 0.8)", SEA, "json", None),
    ("(i) tidal power\n(ii) sea wall", SEA, "numbered", None),
    ("A. tidal power\nB. sea wall", SEA, "numbered", None),
    ("E. coli\nC. elegans", ["E. coli", "C. elegans"], "lines", None),
    ("* tidal power * sea wall", SEA, "bulleted", None),
    ("- tidal power - sea wall - fog", [*SEA, "fog"], "bulleted", None),
    (
        "5G; 3D printing; 802.11 networks; TCP/IP; 4:1 multiplexer",
        ["5G", "3D printing", "802.11 networks", "TCP/IP", "4:1 multiplexer"],
        "separated by ;",
        None,
    ),
    ("I don't know.", [], "refusal", "refuses"),
    ("Hello! How can I help you today?", [], "prose", "prose"),
    # a refusal that goes on to answer
    (
        "I'm sorry, I can't open the file. From its title I would say:\n1. tidal power\n2. sea wall",
        SEA,
        "numbered",
        None,
    ),
    # labels on several lines
    (
        "Present keyphrases: graph neural networks, link prediction\nAbsent keyphrases: representation learning",
        ["graph neural networks", "link prediction", "representation learning"],
        "separated by ,",
        None,
    ),
    ("Present keyphrases: tidal power, sea wall\n\nAbsent keyphrases: none", SEA, "separated by ,", None),
    (
        "Keyphrases: tidal power, sea wall, fog\nTopics: energy, coast",
        [*SEA, "fog", "energy", "coast"],
        "separated by ,",
        None,
    ),
    ("Keyphrases: tidal power, sea wall\nCategories: energy", SEA, "separated by ,", "such as 'Categories:'"),
    ("Title: Tides\nKeywords: tidal power, sea wall\nAbstract: …", SEA, "separated by ,", "from 'Abstract: …' on"),
    ("Here are the keyphrases:\nTitle: Tides\nKeywords: tidal power, sea wall", SEA, "separated by ,", "'Title:'"),
    ("Keyphrase: tidal power\nScore: 0.9\nKeyphrase: sea wall\nScore: 0.8", SEA, "lines", "such as 'Score:'"),
    # categories
    (
        "- **Methods**: optimal transport, kernel mean matching\n- **Theory**: Wasserstein distance",
        ["optimal transport", "kernel mean matching", "Wasserstein distance"],
        "bulleted",
        "categories, such as 'Methods', are left out",
    ),
    ("1. **Energy:** tidal power, sea wall\n2. **Air:** fog", [*SEA, "fog"], "numbered", "such as 'Energy'"),
    ("Primary: tidal power, sea wall\nSecondary: fog", [*SEA, "fog"], "separated by ,", "such as 'Primary'"),
    ("Primary: tidal power; sea wall\nSecondary: fog", [*SEA, "fog"], "separated by ;", "such as 'Primary'"),
    (
        "1. Tidal power: energy from the sea, made by turbines\n2. Sea wall: a defence",
        ["Tidal power", "Sea wall"],
        "numbered",
        "explanations after the phrases are left out",
    ),
    # what only begins like a refusal
    (
        "As a large-scale study; data mining; tides",
        ["As a large-scale study", "data mining", "tides"],
        "separated by ;",
        None,
    ),
    (
        "There are no-regret algorithms; bandits",
        ["There are no-regret algorithms", "bandits"],
        "separated by ;",
        None,
    ),
    ("This text is not English; translation", ["This text is not English", "translation"], "separated by ;", None),
    ("The input is noisy; denoising", ["The input is noisy", "denoising"], "separated by ;", None),
    ("Sorry, tidal power; sea wall", SEA, "separated by ;", None),
    ("The text is empty; please provide one.", [], "refusal", "refuses"),
    ("Sorry, no; I cannot do that", [], "refusal", "refuses"),
    # what is no answer
    ("Unable to determine keyphrases.", [], "refusal", "refuses"),
    ("Unable to extract", [], "refusal", "refuses"),
    ("No text was provided.", [], "refusal", "refuses"),
    ("Error: input too long", [], "refusal", "refuses"),
    ("Not available", [], "none", "there are none"),
    ("unknown", [], "none", "there are none"),
    ("No.", [], "none", "there are none"),
    ("NO", ["NO"], "phrase", None),
    ("1.", [], "empty", "a mark without a phrase"),
    ('{"keyphrases": null}', [], "json", "nothing stands under 'keyphrases'"),
    ('{"error": "text is empty"}', [], "json", "the text refuses: 'text is empty'"),
    # numbers that are no scores, and that are
    ("p-value < 0.05", ["p-value < 0.05"], "phrase", None),
    (
        "p-value < 0.05; learning rate 0.01; RR 0.85",
        ["p-value < 0.05", "learning rate 0.01", "RR 0.85"],
        "separated by ;",
        None,
    ),
    ("- learning rate 0.01\n- RR 0.85\n- fog", ["learning rate 0.01", "RR 0.85", "fog"], "bulleted", None),
    ("GPT-4 0.75; fog 0.3", ["GPT-4", "fog"], "separated by ;", None),
    # commas within quotes
    ("“tidal power,” “sea wall,” and “wave energy.”", [*SEA, "wave energy"], "separated by ,", None),
    ('"tidal power," "sea wall," and "wave energy."', [*SEA, "wave energy"], "separated by ,", None),
    # a base model that goes on
    ("Answer: tidal power; sea wall\n\nText: …\nAnswer: dogs; pets", SEA, "separated by ;", "from 'Text: …' on"),
    ("tidal power; sea wall\n\nText: …\nAnswer: dogs; pets", SEA, "separated by ;", "goes on after its list"),
    ("tidal power; sea wall\n\nQ: …\nA: dogs; pets", SEA, "separated by ;", "goes on after its list"),
    # other dress
    ("Sure thing! tidal power, sea wall", SEA, "separated by ,", None),
    ("\\boxed{\\text{tidal power, sea wall}}", SEA, "separated by ,", None),
    ("tidal power\\nsea wall", SEA, "lines", None),
    ("a\\nb", ["a", "b"], "lines", None),
    ("\\nabla operator; \\nu", ["\\nabla operator", "\\nu"], "separated by ;", None),
]


@pytest.mark.parametrize(("text", "phrases", "form", "reason"), OUTPUTS, ids=[text[:40] for text, *_ in OUTPUTS])
def test_outputs(text, phrases, form, reason):
    parsed = parse_keyphrases(text)
    assert parsed == phrases
    assert parsed.form == form
    assert parsed.reason is None if reason is None else reason in parsed.reason


def test_a_list_like_any_other():
    parsed = parse_keyphrases("tidal power; sea wall")
    assert isinstance(parsed, list)
    assert parsed == SEA
    assert (json.dumps(parsed), repr(parsed)) == (json.dumps(SEA), repr(SEA))
    assert score([parsed], [SEA], metrics="r_precision")["r_precision"].scores["r_precision"] == 1.0
    cut = parse_keyphrases('["tidal power", "sea')
    again = pickle.loads(pickle.dumps(cut))
    assert (again, again.form, again.reason) == (cut, cut.form, cut.reason)
    assert Keyphrases() == []
    assert not parse_keyphrases("N/A")


@pytest.mark.parametrize("text", [None, 3, b"tidal power", ["tidal power"]])
def test_what_is_no_string(text):
    with pytest.raises(InputError, match="must be a string, what the model wrote"):
        parse_keyphrases(text)


@pytest.mark.parametrize("separators", ["", ";", [], [""], [1]])
def test_wrong_separators(separators):
    with pytest.raises(InputError, match="separators="):
        parse_keyphrases("tidal power", separators)


def test_own_separators():
    text = "tidal power // walls; dykes // fog"
    assert parse_keyphrases(text, ["<kp>", " // "]) == ["tidal power", "walls; dykes", "fog"]
    assert parse_keyphrases(text, ["<kp>", " // "]).form == "separated by  // "
    assert parse_keyphrases("tidal power\nwalls; dykes", ["|"]) == ["tidal power", "walls; dykes"]
    assert parse_keyphrases("1. tidal power; energy\n2. fog", ["|"]) == ["tidal power; energy", "fog"]


# Properties

WORDS = [
    "tidal",
    "power",
    "graph",
    "neural",
    "covid-19",
    "p53",
    "B2B",
    "énergie",
    "Überschall",
    "поток",
    "潮汐",
    "k-means",
]
WORDS += ["(RNN)", "of", "TCP/IP", "naïve", "C++", "5G", "F#", "O'Neill", "1,2-dichloroethane", "x@y", "U.S.", "50%"]
ordinary = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)
letters = st.text("abcdefghijklmnopqrstuvwxyzäøçжя", min_size=4, max_size=12)  # no word of a refusal or a label
NOTHING = ("none", "nan", "nil", "null", "empty", "keine", "aucun")
spelled = st.lists(letters.filter(lambda word: word not in NOTHING), min_size=1, max_size=4).map(" ".join)
plain_phrases = st.lists(
    st.one_of(ordinary, spelled).filter(lambda phrase: phrase.strip("()%")[:1].isalnum() and phrase.isprintable()),
    min_size=2,
    max_size=12,
)
odd = st.text(st.sampled_from("[]{}()\"'“”`*_<>/\\|;:,.-–—•#0123456789 \n\tabKey、；：\ud800\u2028é"), max_size=80)


@pytest.mark.slow
@given(st.one_of(st.text(), odd, st.lists(st.sampled_from([text for text, *_ in OUTPUTS]), max_size=3).map("\n".join)))
@settings(max_examples=300)
def test_no_string_is_an_error(text):
    parsed = parse_keyphrases(text)
    assert all(isinstance(phrase, str) and phrase.strip() == phrase and phrase for phrase in parsed)
    assert parsed or parsed.reason
    "".join(parsed).encode()


@given(plain_phrases, st.data())
def test_json_that_breaks_off_is_read_as_far_as_it_goes(phrases, data):
    text = json.dumps(phrases)
    length = data.draw(st.integers(0, len(text) - 1))
    parsed = parse_keyphrases(text[:length])
    assert parsed == phrases[: len(parsed)]
    assert len(parsed) >= text[:length].count('", "')
    assert parsed.reason


@given(
    st.lists(
        st.one_of(ordinary, spelled, st.from_regex(r"[a-z\"'\\\\,;:\[\]{}é ]{2,20}[a-z]", fullmatch=True)), min_size=1
    )
)
def test_json_comes_back(phrases):
    phrases = [" ".join(phrase.split()) for phrase in phrases]
    phrases = [phrase for phrase in phrases if phrase not in NOTHING]
    for text in (json.dumps(phrases), json.dumps({"keyphrases": phrases}, ensure_ascii=False, indent=1)):
        assert parse_keyphrases(text) == phrases
        assert parse_keyphrases(f"Sure:\n```json\n{text}\n```\nGood luck!") == phrases


FORMS = {
    "numbered": lambda phrases: "\n".join(f"{place}. {phrase}" for place, phrase in enumerate(phrases, 1)),
    "numbered bold": lambda phrases: "\n".join(f"{place}) **{phrase}**" for place, phrase in enumerate(phrases, 1)),
    "bulleted": lambda phrases: "Here are the keyphrases:\n\n" + "\n".join(f"- {phrase}" for phrase in phrases),
    "bulleted •": lambda phrases: "\n".join(f"• {phrase}" for phrase in phrases) + "\n\nLet me know!",
    "separated ;": "; ".join,
    "separated labelled": lambda phrases: "Keyphrases: " + ";".join(phrases) + ";",
    "tags": " <sep> ".join,
}


@pytest.mark.parametrize("form", FORMS)
@given(phrases=plain_phrases)
@settings(max_examples=25)
def test_lists_come_back(form, phrases):
    parsed = parse_keyphrases(FORMS[form](phrases))
    assert parsed == phrases
    assert parsed.form.partition(" ")[0] == form.partition(" ")[0]


@given(plain_phrases)
def test_parsing_its_own_output_changes_nothing(phrases):
    once = parse_keyphrases("\n".join(f"* {phrase}" for phrase in phrases))
    assert parse_keyphrases("; ".join(once)) == once


PIECES = ["[", "{", "(", '"', "'", "*", "_", "`", "<", "\n", " ", ";", ",", "：", "1.", "- ", '["', '["a",']
PIECES += ['{"a":', "a:", "<think>", "</think>", "```", "```\n", "a. ", "keyphrases ", "Keyphrases:\n", "|-|\n"]
PIECES += ["\\", "[a](", "1. a ", "\ud800", "<sep>", "Let me know. ", "a\n- ", " \n", "(0.9", '"\t', "I cannot "]
PIECES += ["no ", "{a :", "[[ ", "—", "a b c ", "<answer>", '("', "\\boxed{", "the ", "- a - ", "A. \n", "“"]
PIECES += ["(a", "\t", "a", "1", "1x", "\\n", "\\boxed{\\text{", "a: b, c\n", "Text: a, \n", "Keyphrases: a, b\nC: d\n"]
PIECES += ["“a,” ", " 0.5\n", "; no text", "Sure! "]


@pytest.fixture
def _no_collection():
    """Keep the collection of garbage, which takes longer the more a process has loaded, out of what is timed."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.usefixtures("_no_collection")
def test_hostile_texts_take_linear_time(piece):
    def seconds(length):
        start = time.process_time()
        for before in ("", '["a ', "Keyphrases: 1. "):
            parse_keyphrases(before + (piece * length)[:length])
        return time.process_time() - start

    small, large = seconds(8_000), seconds(48_000)
    assert large < 12 * small + 0.1  # 36 times as long if it were quadratic


@pytest.mark.slow
@pytest.mark.usefixtures("_no_collection")
def test_a_megabyte():
    start = time.process_time()
    assert len(parse_keyphrases("tidal power; " * 80_000)) == 80_000
    assert time.process_time() - start < 15
