"""The study: every replicable system side by side.  `python -m studies` plays it and writes docs/study.md."""
