"""`sash demo`: a synthetic stream of bike trips through the pipeline on Spark, on one machine; extra `sash[demo]`.

`bikes` makes the trips and `files` writes them; `pipeline` runs the plans over them, `hops` runs Spark's own windows;
`results` reads and checks the results; `report` shows them; `show` runs all of it.
"""
