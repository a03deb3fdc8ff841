"""Settings, addresses and what starts the processes."""

import os

# Before numpy is first imported. Sums over items are products of thin matrices: several threads gain nothing on them,
# and where the processors have other work to do they wait for each other several times as long as the sums take.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
