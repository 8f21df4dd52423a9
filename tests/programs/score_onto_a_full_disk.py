"""Score a file into a folder where no file may grow beyond 3,000 bytes: PREDICTIONS FOLDER WORKERS."""

import resource
import sys

import keyphrase_metrics
from keyphrase_metrics.errors import InputError

if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
    try:
        keyphrase_metrics.score_files(sys.argv[1], "r_precision", folder=sys.argv[2], workers=int(sys.argv[3]))
    except InputError as error:
        print(error.code, error)
