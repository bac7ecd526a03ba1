"""The terminal browser of traces: what `inst tui` puts on the screen, drawn with Textual.

Only `app` and the widgets import Textual, which may not be installed.
"""
