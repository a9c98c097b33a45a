"""One document of a period or a shift: gathered from the archive, then written as HTML, CSV or JSON."""
