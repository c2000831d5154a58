"""Adversaries: random programs that are compared with what is slow and right.

Each is a function of a `random.Random` that runs one program, returns how many steps it took, and raises where
something differs. `make fuzz SECONDS=60` runs them all for that long; the tests run each for a moment. A failure names
its seed, and

    .venv/bin/python -m fuzz operators 1234

in the folder `tests` runs that program again.
"""
