"""How a plan is carried out: in this process, in others, and on a cluster."""
