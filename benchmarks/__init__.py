"""Figures of the whole daemon, each beside a baseline run in the same minute. Never part of the tests: no test is timed."""
