"""The parts of `sash.testing`: the laws, what they are tried on, and how a breach of one is shown."""
