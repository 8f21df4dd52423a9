"""The command, with a defect."""

from keyphrase_metrics import cli

cli.build_parser = lambda argv: 1 / 0
raise SystemExit(cli.main([]))
