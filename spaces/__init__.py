"""The demos of the modules, one folder each; installed as ``keyphrase_metrics.spaces``."""

if __name__ == "spaces":  # the name of a package of the Hub that Gradio uses where it finds one
    raise ImportError("in the root of a checkout this folder is no package of its own; it is keyphrase_metrics.spaces")
