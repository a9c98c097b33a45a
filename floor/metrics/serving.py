"""Serves figures to Prometheus: a thread answers with what was gathered last, so a scrape never touches the program.

Who may connect may read; so only this machine, unless the house says otherwise.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from pitwatch.daemon.common.errors import UsageError
from pitwatch.floor.metrics.config import place

GATHER_EVERY = 5.0
"""Seconds."""


class Figure(NamedTuple):
    """`values` by label values, in the order of `labels`. A counter's name has no `_total`, which is added."""

    name: str
    help: str
    values: Mapping[Any, float]
    labels: tuple[str, ...] = ()
    counter: bool = False


def gauge(name: str, help: str, value: float) -> Figure:
    return Figure(name, help, {(): value})


def counter(name: str, help: str, value: float) -> Figure:
    return Figure(name, help, {(): value}, counter=True)


class Collector:
    """What was gathered last, as prometheus_client takes it."""

    def __init__(self) -> None:
        self.figures: Sequence[Figure] = ()

    def describe(self) -> Iterable[Any]:
        return ()

    def collect(self) -> Iterable[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        for figure in self.figures:
            kind = CounterMetricFamily if figure.counter else GaugeMetricFamily
            family = kind(figure.name, figure.help, labels=figure.labels)
            for labels, value in figure.values.items():
                family.add_metric(labels, value)
            yield family


@contextlib.asynccontextmanager
async def served(listen: str, gather: Callable[[], Awaitable[Sequence[Figure]]]) -> AsyncIterator[int]:
    """Serve for the length of the block; gives the port. Nothing is served if `listen` is empty. Raises UsageError if
    the place is taken or the package is missing."""
    if not listen:
        yield 0
        return
    try:
        from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
    except ModuleNotFoundError as error:
        if error.name != "prometheus_client":
            raise
        raise UsageError(
            "[metrics] needs prometheus-client; in Pitwatch's clone: .venv/bin/pip install -e '.[archive]'"
        ) from None
    host, port = place(listen)
    registry, collector = CollectorRegistry(), Collector()
    collector.figures = await gather()
    ProcessCollector(registry=registry)
    registry.register(collector)
    try:
        server, thread = start_http_server(port, addr=host, registry=registry)
    except OSError as error:
        raise UsageError(f"metrics {listen}: nothing can be served there: {error.strerror or error}") from None
    task = asyncio.create_task(_gather(collector, gather))
    try:
        yield server.server_port
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await asyncio.to_thread(server.shutdown)
        server.server_close()
        thread.join()


async def _gather(collector: Collector, gather: Callable[[], Awaitable[Sequence[Figure]]]) -> None:
    while True:
        await asyncio.sleep(GATHER_EVERY)
        collector.figures = await gather()
