"""The demo of Semantic F1."""

from keyphrase_metrics import demo

if __name__ == "__main__":
    demo.launch("sem_f1")
