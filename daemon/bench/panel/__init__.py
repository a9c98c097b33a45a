"""The bench panel: a page that shows simulated tables and lets hands act at them, beside what the daemon makes of it.

`table` drives one table, `notes` shows and keeps what the daemon hears, `feed` is what all browsers see, `guard` who
may ask, `server` answers, `page/` is the page itself, `panel` puts them together. May import: the bench, `sim_hw`. Puts
nothing into the daemon but what the simulated devices put on their wires.
"""
