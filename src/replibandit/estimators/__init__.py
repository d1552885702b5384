"""The replicable estimators of the paper, each in the file that reads like its algorithm."""
