"""The pages, a module for each kind: `PAGES` are its routes, each with its right. Only `app` imports them."""

from pitwatch.floor.web.views import (
    by_provider,
    cases,
    devices,
    fairness,
    floor,
    history,
    irregularity,
    own_account,
    people,
    rule_books,
    signing_in,
    static,
    table,
)

VIEWS = (
    by_provider,
    floor,
    table,
    cases,
    history,
    irregularity,
    fairness,
    devices,
    rule_books,
    own_account,
    people,
    signing_in,
    static,
)
