"""The style sheet and the script."""

from __future__ import annotations

from starlette.responses import Response

from pitwatch.floor.web.rendering import refusal
from pitwatch.floor.web.rights import Right
from pitwatch.floor.web.static_files import FILES
from pitwatch.floor.web.visit import Page, Visit


async def static(visit: Visit) -> Response:
    """A file whose address holds its hash never changes."""
    file = FILES.get(visit.path("name"))
    if file is None or visit.path("mark") != file.mark:
        return refusal(visit, 404, "There is no such file.")
    return Response(file.content, 200, {"cache-control": "public, max-age=31536000, immutable"}, file.type)


PAGES = (Page("GET", "/static/{mark}/{name}", Right.ANYBODY, static),)
