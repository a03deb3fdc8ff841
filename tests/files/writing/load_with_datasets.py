"""A script that tests run with another version of Hugging Face's `datasets`: loads each table of folders, prints JSON.

PYTHON load_with_datasets.py CACHE FOLDER ...
"""

import json
import os
import sys

os.environ["HF_HUB_OFFLINE"] = "1"
import datasets

datasets.disable_progress_bars()
cache, *folders = sys.argv[1:]
rows = {
    folder: {
        name: datasets.load_dataset(folder, name, split="train", cache_dir=cache).to_list()
        for name in datasets.get_dataset_config_names(folder)
    }
    for folder in folders
}
print(json.dumps({"version": datasets.__version__, "rows": rows}, default=str))
