"""Pitwatch watches a casino table's devices. All code is in this one package, so it cannot clash with other packages.

In the repository its subpackages are symbolic links to the folders beside it; a wheel contains the folders themselves.
"""
