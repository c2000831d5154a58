"""The commands of `sash`, each a few lines over the part of the package that does the work; extra `sash[cli]`."""
