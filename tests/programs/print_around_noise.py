"""Print a line, let a library print within ``output_kept_clean``, and print another."""

import os

from keyphrase_metrics.cli.score_ray import output_kept_clean

print("before")
with output_kept_clean():
    os.write(1, b"noise")
print("after")
