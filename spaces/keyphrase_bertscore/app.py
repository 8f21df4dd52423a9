"""The demo of Keyphrase BERTScore."""

from keyphrase_metrics import demo

if __name__ == "__main__":
    demo.launch("keyphrase_bertscore")
