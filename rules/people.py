"""Roles that the configuration may give a credential, as far as a rule asks for one."""

from __future__ import annotations

DEALER = "dealer"

SUPERVISORS = (
    "supervisor", "boxperson", "pit-manager", "assistant-table-games-manager", "table-games-manager",
    "assistant-shift-manager", "shift-manager",
)  # fmt: skip
"""Table Games Supervisor and above."""

ROLES = (DEALER, *SUPERVISORS, "surveillance", "technician", "gaming-agent")


def supervises(role: str | None) -> bool:
    return role in SUPERVISORS
