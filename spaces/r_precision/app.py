"""The demo of R-Precision."""

from keyphrase_metrics import demo

if __name__ == "__main__":
    demo.launch("r_precision")
