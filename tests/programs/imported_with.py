"""Import a module, and print which of some others were imported with it: MODULE NAME...."""

import importlib
import sys

module, *names = sys.argv[1:]
importlib.import_module(module)
print([name for name in names if name in sys.modules])
