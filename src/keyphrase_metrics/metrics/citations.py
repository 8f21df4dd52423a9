"""Papers that measures come from, in BibTeX, where one measure has several or several have one."""

CLARKE = """@inproceedings{clarke2008novelty,
  title = {Novelty and Diversity in Information Retrieval Evaluation},
  author = {Clarke, Charles L. A. and others},
  booktitle = {Proceedings of SIGIR 2008},
  pages = {659--666},
  year = {2008}
}"""
KPEVAL = """@inproceedings{wu2024kpeval,
  title = {{KPEval}: Towards Fine-Grained Semantic-Based Keyphrase Evaluation},
  author = {Wu, Di and Yin, Da and Chang, Kai-Wei},
  booktitle = {Findings of the Association for Computational Linguistics: ACL 2024},
  pages = {1959--1981},
  year = {2024}
}"""
LIU = """@inproceedings{liu2010automatic,
  title = {Automatic Keyphrase Extraction via Topic Decomposition},
  author = {Liu, Zhiyuan and Huang, Wenyi and Zheng, Yabin and Sun, Maosong},
  booktitle = {Proceedings of EMNLP 2010},
  pages = {366--376},
  year = {2010}
}"""
SCHLUTER = """@inproceedings{schluter2015critical,
  title = {A critical survey on measuring success in rank-based keyword assignment to documents},
  author = {Schluter, Natalie},
  booktitle = {Actes de TALN 2015},
  year = {2015}
}"""
