"""`python -m sash`: the command line."""

from sash.cli import app

app(prog_name="sash")
