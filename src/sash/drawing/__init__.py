"""Pictures of what is inside a window."""

from __future__ import annotations

from sash.drawing.drawing import Drawing

__all__ = ["Drawing"]
