"""The positional index of a corpus: built, saved, opened, kept."""
