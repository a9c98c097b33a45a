"""The pages, a module for each kind: `PAGES` are its routes, each with its right. Only `app` imports them."""

from pitwatch.floor.web.views import case, floor, own_account, people, signing_in, static, table

VIEWS = (floor, table, case, own_account, people, signing_in, static)
