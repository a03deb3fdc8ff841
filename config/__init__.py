"""Settings, addresses, middleware, and the programs that start processes."""

import os

# Must be set before numpy is imported. Sums over items are products of thin matrices: several threads do not speed
# them up, and on busy processors the threads wait for each other several times as long as the sums take.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
