"""The seed of all random tests: 0, or that of the environment. `make verify` runs others; each of 0 to 99 passes."""

import os

SEED = int(os.environ.get("REPLIBANDIT_SEED", "0"))
