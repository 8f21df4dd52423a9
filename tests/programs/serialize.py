"""Write texts without a model, and print which heavy modules that imported."""

import sys

from keyphrase_metrics.models.generation import generator_for

generator = generator_for("serialize")
print(generator.generate([["b a", "a"], ["c"], ["c"]], batch_size=1, num_beams=1, max_new_tokens=1))
print(generator.name, generator.signed(4, 142))
print([name for name in ("torch", "transformers", "tqdm", "sentence_transformers") if name in sys.modules])
