"""`sash demo`: a synthetic stream of bike trips on Spark, on one machine; extras `sash[cli,report,spark]`.

`bikes` makes the trips and `files` writes them; `pipeline` runs the plans over them, `hops` runs Spark's own windows;
`results` reads and checks the results; `summary` says what came of it; `show` runs all of it.
"""
