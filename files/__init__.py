"""Everything that is read and written as a study's files.

Read `tables` first: the columns of each file, in CSV and Parquet. `reading` imports files, completely or not at all,
and `entered` what pages and programs enter, which the same code checks. `writing` exports them. `docs/formats.md`
describes the files.
"""
