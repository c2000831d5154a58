"""`sash run`: a source, a plan and a sink in one file, in this process or on Spark.

`config` reads the file and `problems` says what is wrong in it; `records` and `files` read rows, `local` runs in this
process and `sash.spark.pipeline` on Spark; `progress` shows a run, and `example` writes a file to begin with.
"""
