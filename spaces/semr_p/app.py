"""The demo of Semantic R-Precision."""

from keyphrase_metrics import demo

if __name__ == "__main__":
    demo.launch("semr_p")
