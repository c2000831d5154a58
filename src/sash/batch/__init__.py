"""The engine behind `sash.rolling`: a whole frame at once, natively, and what a plan needs beside it."""
