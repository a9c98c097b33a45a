"""Notification: tells people of new cases, by e-mail, webhook, ntfy, Gotify, syslog or a program, beside the archive.

A process of its own reads the record of cases in the archive's database, so that no mail server holds up the archive.
What is to be sent is stored before it is sent, and forgotten after the receiver took it: at least once, also across
restarts. May import: cases and the archive's store; nothing of the archive imports this room.
"""
