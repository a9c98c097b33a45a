"""Figures of the whole daemon, each beside a baseline of the same minute. No part of the tests: no test is timed."""
