"""`[video]` of FLOOR.toml: the destination and format of bookmarks. Sends nothing."""

from __future__ import annotations

import json
import os
import re
import shutil
import string
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from pitwatch.daemon.config.sections import Sections, is_table, nearest, shown
from pitwatch.floor.private_text import private_text
from pitwatch.floor.video.bookmark import FIELDS, MOST_ROLL_S, Bookmark, fields_of, in_json

HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)[ \t]*\Z")
OURS = ("host", "content-length", "connection", "transfer-encoding")
HOSTILE = 'a "quoted" \\ part\nof <two> lines'
"""What a template is tried with, to see that it stays JSON whatever comes."""


class FloorVideo(msgspec.Struct, frozen=True, kw_only=True):
    """Where bookmarks go: to `command`, or to `url` by POST; nowhere without either. All three texts may have $FIELD.

    `headers_file` has the lines `Name: value` of every POST and is read each time; `ca` signed the receiver's
    certificate. `cameras` (by SITE/TABLE), `preroll_s` and `postroll_s` are for tables that do not say."""

    command: list[str] = []
    url: str = ""
    template: str = ""
    headers_file: str = ""
    ca: str = ""
    cameras: dict[str, str] = {}
    preroll_s: int = 30
    postroll_s: int = 10

    @property
    def wanted(self) -> bool:
        """Whether bookmarks go anywhere."""
        return bool(self.command or self.url)

    @property
    def names_camera(self) -> bool:
        """Whether a template has the camera, so that a bookmark without one would name none or the wrong one."""
        return any("camera" in fields_of(text) for text in (*self.command, self.url, self.template))


def read_video(sections: Sections, data: Any) -> FloorVideo:
    """The section, its paths counted from the folder of the file. Raises ConfigError."""
    video: FloorVideo = sections.section(data, FloorVideo, "video")
    if not video.wanted:
        raise sections.error("video", 'needs command = ["PROGRAM", …] or url = "https://HOST/…"')
    if video.command and video.url:
        raise sections.error("video.url", "cannot be beside command; bookmarks go to one of the two")
    for key in ("preroll_s", "postroll_s"):
        if not 0 <= getattr(video, key) <= MOST_ROLL_S:
            raise sections.error(f"video.{key}", f"{getattr(video, key)} is not from 0 to {MOST_ROLL_S} seconds")
    for table, camera in video.cameras.items():
        if not is_table(table):
            raise sections.error("video.cameras", f"{shown(table)} is no table; SITE/TABLE is right")
        if not camera:
            raise sections.error(f"video.cameras.{table}", "is empty; give the camera's name or leave the table out")
    if video.command:
        return _command(sections, video)
    return _post(sections, video)


def read_headers(path: Path) -> dict[str, str]:
    """The lines `Name: value` of a file that nobody else may read. Raises ValueError, which contains no value."""
    lines = private_text(path).splitlines()
    headers = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = HEADER.match(line)
        if found is None:
            raise ValueError(f"{path}: line {number} is no header; Name: value is right")
        if found[1].lower() in OURS:
            raise ValueError(f"{path}: line {number}: {found[1]} follows from url and content; leave it out")
        headers[found[1].title()] = found[2]  # so that one name is one header, however it is written
    return headers


def _command(sections: Sections, video: FloorVideo) -> FloorVideo:
    for key in ("template", "headers_file", "ca"):
        if getattr(video, key):
            raise sections.error(f"video.{key}", "is for url; a command has the bookmark on its standard input")
    for position, argument in enumerate(video.command):
        _check_fields(sections, f"video.command[{position}]", argument)
    program = video.command[0]
    if fields_of(program):
        raise sections.error("video.command[0]", "is the program and has no fields; its arguments may")
    found = shutil.which(str(sections.beside(program, "video.command").absolute()) if "/" in program else program)
    if found is None:
        raise sections.error("video.command[0]", f"{shown(program)}: no such program that may be run")
    return msgspec.structs.replace(video, command=[found, *video.command[1:]])


def _post(sections: Sections, video: FloorVideo) -> FloorVideo:
    _check_url(sections, video.url)
    for key in ("url", "template"):
        _check_fields(sections, f"video.{key}", getattr(video, key))
    if video.template and not all(_is_json(in_json(video.template, sample)) for sample in _samples()):
        raise sections.error(
            "video.template", 'is not JSON; text stands in quotes: {"camera": "$camera", "from": $begin_ms}'
        )
    files = {
        key: str(sections.beside(getattr(video, key), f"video.{key}"))
        for key in ("headers_file", "ca")
        if getattr(video, key)
    }
    video = msgspec.structs.replace(video, **files)
    if video.ca and urlsplit(video.url).scheme != "https":
        raise sections.error("video.ca", "is for https; leave it out, or use https:// in url")
    if video.ca and not os.path.isfile(video.ca):  # which a name too long for the disk only is not
        raise sections.error("video.ca", f"{video.ca}: no such file")
    if video.headers_file:
        try:
            read_headers(Path(video.headers_file))
        except ValueError as error:
            raise sections.error("video.headers_file", str(error)) from None
    return video


def _check_fields(sections: Sections, key: str, text: str) -> None:
    if not string.Template(text).is_valid():
        raise sections.error(key, f"{shown(text)}: a $ begins a field's name; $$ is a dollar sign")
    for name in fields_of(text):
        if name not in FIELDS:
            raise sections.error(key, f"${name} is no field of a bookmark; {nearest(name, FIELDS)}")


def _check_url(sections: Sections, url: str) -> None:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise sections.error("video.url", f"{shown(url)}: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise sections.error("video.url", f"{shown(url)} is no address; http://HOST/… or https://HOST/… is right")
    if "@" in parts.netloc:
        raise sections.error("video.url", "has a user or password; give an Authorization line in headers_file")
    if "$" in parts.netloc:
        raise sections.error("video.url", "has a field in its host; fields may stand in path and query")
    if parts.fragment or not all("!" <= each <= "~" for each in url):
        raise sections.error("video.url", f"{shown(url)} has what no address sent has: # or other than ASCII letters")


def _samples() -> list[dict[str, Any]]:
    """Bookmarks that a template has to bear."""
    kinds: dict[Any, list[Any]] = {"int": [5, 0], "bool": [True, False], "int | None": [12, None]}
    types = Bookmark.__annotations__
    return [{name: kinds.get(types[name], [HOSTILE, ""])[n] for name in FIELDS} for n in (0, 1)]


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
