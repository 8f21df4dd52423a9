"""The demo of Keyphrase F1."""

from keyphrase_metrics import demo

if __name__ == "__main__":
    demo.launch("keyphrase_f1")
