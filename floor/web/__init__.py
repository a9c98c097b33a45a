"""The floor in a browser: `pitwatch web`. The server draws the pages, and server-sent events keep them up to date.

`config` is `[web]` of FLOOR.toml. `rights` says what each role may do, `door` lets in or refuses. `accounts`,
`sessions` and `audit` are one SQLite file (`books`). `watching` is the floor as floor/watch models it, `live` sends
what changes. `views/` are the pages, `app` puts them together, `server` listens. Only the command `web` imports this
room; it may import every other room of the floor.
"""
