"""Keys too large for one task, cut by time: each piece comes with one window length of what lies before it.

    piece 0  |=========|                      = told
    piece 1       -----|=========|            - history: there for the windows of this piece, told by the one before
    piece 2                 -----|=========|

A piece holds the times after one cut, up to and with the next, so that rows of one time are never parted.
"""
