"""The keys of a window's pages: by structure, level and place, in the order of these."""

from __future__ import annotations

import struct
from typing import Final

__all__ = ["END", "MANIFEST", "PAGES", "Place", "page_key"]

#: (structure, level, place) of a page.
Place = tuple[int, int, int]

#: The one record that says which pages count.
MANIFEST: Final = b"m"
#: Every page's key lies from here ..
PAGES: Final = b"p"
#: .. to here, which is out.
END: Final = b"q"

_PLACE: Final = struct.Struct(">QBQ")


def page_key(place: Place) -> bytes:
    """The key of a page.

    >>> page_key((0, 1, 2)) < page_key((0, 1, 3)) < page_key((0, 2, 0)) < END
    True
    """
    return PAGES + _PLACE.pack(*place)
