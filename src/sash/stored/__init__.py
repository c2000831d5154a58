"""Windows whose cold part waits in a store: the window, its pager, its manifest."""

from sash.stored.pager import Metrics
from sash.stored.window import StoredWindow

__all__ = ["Metrics", "StoredWindow"]
