"""Papers that several measures come from, in BibTeX."""

KPEVAL = """@inproceedings{wu2024kpeval,
  title = {{KPEval}: Towards Fine-Grained Semantic-Based Keyphrase Evaluation},
  author = {Wu, Di and Yin, Da and Chang, Kai-Wei},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2024},
  pages = {1959--1981},
  year = {2024}
}"""
SCHLUTER = """@inproceedings{schluter2015critical,
  title = {A critical survey on measuring success in rank-based keyword assignment to documents},
  author = {Schluter, Natalie},
  booktitle = {Actes de TALN 2015},
  year = {2015}
}"""
