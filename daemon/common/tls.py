"""What a client of TLS trusts: the authority of the house, or those of the system."""

from __future__ import annotations

import ssl


def client_context(ca: str | None = None) -> ssl.SSLContext:
    """TLS 1.2 or newer; the other side's certificate, its dates, purpose and host name are checked. `ca`: a file.
    Raises OSError, ssl.SSLError."""
    context = ssl.create_default_context(cafile=ca or None)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    # Python 3.13 refuses certificates without key identifiers. Those of houses' authorities made by earlier versions of
    # OpenSSL and of `provision` have none: a board would lose its broker with the system's upgrade.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context
