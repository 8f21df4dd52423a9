"""The demo of FEM-KP."""

from keyphrase_metrics import demo

if __name__ == "__main__":
    demo.launch("fem_kp")
