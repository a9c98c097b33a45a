"""The running daemon of one table: connects journal, publisher, rules and devices, starts and stops them.

Can be embedded: the bench runs the same code with a simulated clock and simulated hardware.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from pitwatch.daemon.captures.wiretape import KeepingJournal, Tap, WireTape
from pitwatch.daemon.common.board import board_boot
from pitwatch.daemon.common.version import full_version
from pitwatch.daemon.config import Config
from pitwatch.daemon.config.table_facts import table_facts
from pitwatch.daemon.contract.asked import WITNESS
from pitwatch.daemon.contract.messages import DeviceData, HealthData, ResponseData
from pitwatch.daemon.journal import Journal
from pitwatch.daemon.journal.chain import Record
from pitwatch.daemon.journal.checkpoints import Checkpoints
from pitwatch.daemon.journal.held import Held
from pitwatch.daemon.journal.judged_by import TOPIC as INTEGRITY
from pitwatch.daemon.journal.keys import signer_of
from pitwatch.daemon.journal.readable import decoded
from pitwatch.daemon.journal.retention import Retention
from pitwatch.daemon.pipeline import Pipeline
from pitwatch.daemon.pipeline.device_state import DeviceStates
from pitwatch.daemon.pipeline.schedule import Schedule
from pitwatch.daemon.publishing.envelope import Envelope, Message, VideoHint
from pitwatch.daemon.publishing.publisher import Publisher
from pitwatch.daemon.requests import Requests
from pitwatch.daemon.service.board_sensors import BoardSensors
from pitwatch.daemon.service.certificates import CertificateWatch
from pitwatch.daemon.service.dependencies import dependencies
from pitwatch.daemon.service.health import EVERY, LagMeter, disk_free_mib, memory_kib
from pitwatch.daemon.service.integrity import Integrity
from pitwatch.daemon.service.last_words import LastRun, LastWords, cause_of_start, was_stopped
from pitwatch.daemon.service.monitors import kept
from pitwatch.daemon.service.sdnotify import Notifier
from pitwatch.daemon.service.status import Status
from pitwatch.daemon.service.told_in_log import LoggedJournal, say_ready
from pitwatch.daemon.service.upgrades import UpgradeReport
from pitwatch.daemon.service.witnessing import Witnessing
from pitwatch.daemon.wiring import Opener, wire_table
from pitwatch.daemon.wiring.channel import Channel
from pitwatch.hal.clock import Clock, Timer
from pitwatch.rules.engine import Engine
from pitwatch.rules.records import Alert

DRAIN = 3.0
"""Seconds given at the end to hand the last records to the broker."""

log = logging.getLogger("pitwatch")


class Numbered(msgspec.Struct):
    """Of a round's record."""

    round: int


class Daemon:
    """`start` returns once the table is watched, `stop` when everything is put away. Neither waits for the broker.

    `opener` is `daemon.wiring.nodes.Hardware` or its simulated twin. Raises StoreError if the journal cannot be used,
    ConfigError if the configuration names no broker, ValueError for a link that cannot be.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        opener: Opener,
        notifier: Notifier | None = None,
        words: LastWords | None = None,
    ):
        self.config = config
        self.boot = os.urandom(6).hex()
        self._clock = clock
        self._notifier = notifier or Notifier({})
        self._words = words
        self._state = "starting"
        self._errors = 0
        self._journal_alert = False
        self._status = Status(config, self.boot)
        self.journal = Journal(config.journal, clock, self.boot, signer_of(config.journal, config.token))
        video = VideoHint(config.video.camera or UNSET, config.video.preroll_s, config.video.postroll_s)
        self.envelope = Envelope(
            config.table.site,
            config.table.id,
            config.topic,
            self.boot,
            config.table.live_cards,
            video,
            monotonicns=config.mqtt is not None and config.mqtt.monotonicns,
        )
        self.publisher = Publisher(config, self.journal, self.envelope)
        self.publisher.on_broker = lambda refused: self._alert("broker", "broker", refused)
        self.publisher.passed.on_told = lambda detail: self.journal.note("records_not_published", detail)
        place = f"{config.table.site}/{config.table.id}"
        known = self.journal.retained.get(INTEGRITY)
        logged = LoggedJournal(self.journal, config.game)
        self.integrity = Integrity(logged, known, config.game, place, config.journal)
        self.checkpoints = Checkpoints(self.journal, clock, place, config.table.house)
        self.held = Held(self.journal, clock)
        self.retention = Retention(self.journal, self.checkpoints, clock, place, config.keep_days, self.held)
        self.checkpoints.on_key = self._signed
        shown = (config.mqtt.ca, config.mqtt.cert) if config.mqtt is not None else ()
        self.certificates = CertificateWatch(shown, self._certificate_ends)
        self.sensors = BoardSensors()
        self._status.key = self.checkpoints.signer.public
        self.schedule = Schedule(clock)
        left = kept(self.journal.retained.values(), self.journal.rounds)
        self.engine = Engine(config.game, table_facts(config), self._last_round(), left)
        self.tape = WireTape(self.journal, clock)
        self._states = DeviceStates(config.devices)
        self.pipeline = Pipeline(
            self.engine,
            KeepingJournal(logged, self.tape),
            self.schedule,
            self._states,
            self._aligned,
            self._failed,
        )
        self.channels = {
            device.id: Channel(device.decoder(), self.pipeline, self.schedule, self._failed)
            for device in config.devices
        }
        taps = {name: Tap(name, self.tape, channel, self.integrity.met) for name, channel in self.channels.items()}
        self._wires = wire_table(config.devices, opener, clock, taps)
        self.witnessing = Witnessing(
            self.journal,
            self.checkpoints,
            clock,
            place,
            config.witnesses,
            lambda late: self._alert("witness", "not cosigned", late),
        )
        verbs = (*config.mqtt.requests, *(WITNESS if config.witnesses else ())) if config.mqtt is not None else ()
        if verbs:
            self.requests = Requests(
                verbs,
                self.journal,
                clock,
                self._answer,
                self._again,
                self._snapshot,
                lambda work: asyncio.get_running_loop().call_soon(work),
                self.witnessing,
                self.held,
            )
            self.publisher.on_request = self.requests.take
        self.upgrades = UpgradeReport(self.journal)
        self._health_timer: Timer | None = None
        self._lag: LagMeter | None = None
        self._publishing: asyncio.Task[None] | None = None
        self._started_ns = clock.now()

    async def start(self) -> None:
        """Watch the table; to be called on the event loop."""
        self._lag = LagMeter()
        self.journal.on_trouble = self._journal_trouble
        self.checkpoints.sign_first()
        self.journal.start()
        self.publisher.set_will(lambda: self._status_payload("lost"))
        self.publisher.begin_with("status", self._status_payload("starting"))
        self._tell_start()
        self.upgrades.look()
        self._publishing = asyncio.create_task(self.publisher.run(), name="publisher")
        self._end_what_is_over()
        self.integrity.compare(self._status.fingerprints, self._status.key, self._clock.now())
        for wire in self._wires:
            wire.start()
        self._aligned(self.engine.aligned)
        self._publish_health()
        self.checkpoints.start()
        self.retention.start()
        self.certificates.start()
        self.sensors.start()
        self._notifier.ready(self._state)
        log.info("watching %s: %s", self.config.topic, self._state)

    async def stop(self) -> None:
        """Stop watching, deliver what can be delivered, close everything."""
        self._notifier.stopping()
        await self.certificates.stop()
        await self.sensors.stop()
        for wire in self._wires:
            wire.stop()
        self.pipeline.finish(self._clock.now())
        self.tape.stop()
        self.publisher.passed.tell()
        self.journal.note("stopped", {})
        self.schedule.stop()
        if self._health_timer is not None:
            self._health_timer.cancel()
        if self._lag is not None:
            self._lag.stop()
        self._publish_status("stopping")
        await self.retention.stop()
        self.witnessing.stop()
        await self.checkpoints.stop()
        if self._publishing is not None:
            if self.publisher.trouble is None:
                await self.publisher.drain(DRAIN)
                await asyncio.sleep(0)
            self._publishing.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await asyncio.wait_for(asyncio.shield(self._publishing), DRAIN)
        await self.journal.close()
        self.upgrades.settle()
        self._notifier.close()
        log.info("stopped at sequence %d, delivered up to %d", self.journal.last, self.journal.delivered)

    def _last_round(self) -> int:
        record = self.journal.last_round
        said = decoded(record, Numbered) if record is not None else None
        return said.round if said is not None else 0

    def _tell_start(self) -> None:
        """Journal that the watch begins, and why it had been broken off."""
        fatal = ""
        if self._words is not None:
            fatal = self._words.take()
            self._words.listen()
        kept = self.journal.kept[-1] if self.journal.kept else None
        last = LastRun(was_stopped(self.journal.kept), self.journal.previous_board) if kept else None
        detail: dict[str, Any] = {"cause": cause_of_start(last, board_boot(), fatal), "version": full_version()}
        detail["dependencies"] = dependencies()
        if fatal:
            detail["fault"] = fatal
        if kept is not None:
            wall, synced = self._clock.wall()
            unwatched = round((wall - kept.wall_ns) / 1e9, 3) if synced and kept.synced else None
            detail |= {"previous_boot": kept.boot, "last_sequence": kept.seq, "unwatched_s": unwatched}
        self.journal.note("started", detail)
        if detail["cause"] in ("watchdog", "crashed"):
            log.error("the run before was killed for a fault: %s", fatal)

    def _end_what_is_over(self) -> None:
        """What an earlier run left retained and this one cannot know to hold: alerts, devices no longer configured."""
        now = self._clock.now()
        for record in list(self.journal.retained.values()):
            if record.boot == self.boot:
                continue
            if record.kind == "alert":
                alert = decoded(record, Alert)
                if alert is not None and alert.raised:
                    over = msgspec.structs.replace(alert, raised=False, detail={"reason": "restarted"})
                    self.journal.append("alert", record.subtopic, now, over, True)
            elif record.kind == "device":
                device = decoded(record, DeviceData)
                if device is not None and device.device not in self.channels and device.state != "removed":
                    gone = msgspec.structs.replace(
                        device, state="removed", since=now / 1_000_000_000, reason="no longer configured"
                    )
                    self.journal.append("device", record.subtopic, now, gone, True)
                    self.integrity.removed(device.device, now)

    def _aligned(self, aligned: bool) -> None:
        if aligned and self._state != "ready":
            say_ready(self.config)
        self._publish_status("ready" if aligned else "aligning")
        self._notifier.say(f"STATUS={self._state}")

    def _failed(self, error: Exception) -> None:
        """A fault in the program: reported, counted, survived."""
        self._errors += 1
        log.error("fault in the program, watching on: %s: %s", type(error).__name__, error, exc_info=error)

    def _alert(self, key: str, condition: str, reason: str | None) -> None:
        """A condition of the board itself that lasts, or with None has ended."""
        now = self._clock.now()
        alert = Alert(
            key=key,
            raised=reason is not None,
            condition=condition,
            device="",
            since=now / 1e9,
            detail={} if reason is None else {"reason": reason},
        )
        self.journal.append("alert", f"alert/{key}", now, alert, True)

    def _certificate_ends(self, told: str | None) -> None:
        log.warning("%s", told or "no certificate ends soon any more")
        self._alert("certificate", "certificate ends", told)

    def _journal_trouble(self, trouble: str | None) -> None:
        if (trouble is None) == self._journal_alert:
            self._journal_alert = trouble is not None
            self._alert("journal", "journal", trouble)
        self._status.journal = trouble or "ok"
        self._publish_status(self._state)
        self._notifier.say(f"STATUS={trouble or self._state}")

    def _signed(self, key: str | None, trouble: str | None) -> None:
        """The journal's head was signed, or could not be."""
        unsigned = f"not signed: {trouble}" if trouble else "ok"
        journal = self._status.journal
        if journal == "ok" or journal.startswith("not signed"):
            journal = unsigned
        if (key, journal) != (self._status.key, self._status.journal):
            self._status.key, self._status.journal = key, journal
            self._publish_status(self._state)

    def _answer(self, verb: str, data: ResponseData) -> None:
        topic = self.envelope.topic(f"response/{verb}")
        answer = Message(topic, self.envelope.state("response", data, self._now()), False)
        if answer.size > self.publisher.largest:
            reason = f"the answer has {answer.size} bytes, and the broker takes {self.publisher.largest}"
            short = ResponseData(request=data.request, ok=False, reason=reason)
            answer = answer._replace(payload=self.envelope.state("response", short, self._now()))
        self.publisher.say(answer)

    def _again(self, record: Record) -> None:
        payload = self.envelope.messages(record)[0].payload
        self.publisher.say(Message(self.envelope.topic("response/replay"), payload, False))

    def _snapshot(self) -> dict[str, Any]:
        standing = self.journal.retained.values()
        return {
            "status": self._status.data(self._state),
            "health": self._health(),
            "devices": [msgspec.Raw(record.body) for record in standing if record.kind == "device"],
            "alerts": [
                msgspec.Raw(self.envelope.body(record))
                for record in standing
                if record.kind == "alert" and b'"raised":true' in record.body
            ],
            "sequence": self.journal.last,
        }

    def _now(self) -> tuple[int, int, bool]:
        wall, synced = self._clock.wall()
        return self._clock.now(), wall, synced

    def _publish_status(self, state: str) -> None:
        self._state = state
        self.publisher.put_state("status", self._status_payload(state))

    def _status_payload(self, state: str) -> bytes:
        return self.envelope.state("status", self._status.data(state), self._now())

    def _publish_health(self) -> None:
        self.publisher.put_state("health", self.envelope.state("health", self._health(), self._now()))
        self._health_timer = self._clock.call_at(self._clock.now() + EVERY, self._look_after)

    def _look_after(self) -> None:
        self.journal.look_at_clock()
        self._publish_status(self._state)  # whatever else was retained there meanwhile, such as a will that came late
        self.publisher.tell_alerts()
        self.witnessing.look()
        self.integrity.look(self._presences(), self._clock.now())
        self.upgrades.look()
        self._publish_health()

    def _presences(self) -> Iterator[DeviceData]:
        """The devices of which it is known whether they are there: off line since the absence began, which a
        connection does not end that nothing is understood of and that does not stand."""
        for wire in self._wires:
            state, presence = self._states.states.get(wire.device.id), wire.presence
            if state is None or presence.told != presence.proved:
                continue
            if presence.away_since is not None:
                state = msgspec.structs.replace(state, state="offline", since=presence.away_since / 1_000_000_000)
            yield state

    def _health(self) -> HealthData:
        dropped = {
            "bytes": sum(channel.lost_bytes for channel in self.channels.values()),
            "edges": sum(channel.lost_edges for channel in self.channels.values()),
            "records": self.journal.dropped,
        }
        return HealthData(
            uptime_s=(self._clock.now() - self._started_ns) / 1_000_000_000,
            sequence=self.journal.last,
            committed=self.journal.committed,
            delivered=self.journal.delivered,
            queue=self.journal.last - self.journal.delivered,
            loop_lag_ms=round((self._lag.take() if self._lag else 0.0) * 1000, 1),
            memory_kib=memory_kib(),
            disk_free_mib=disk_free_mib(self.config.journal.parent),
            clock_synced=self._clock.wall()[1],
            connections=self.publisher.connections,
            dropped={kind: count for kind, count in dropped.items() if count},
            errors=self._errors,
            journal=self._status.journal,
            broker=self.publisher.broker,
            holds=len(self.held.standing),
            held_from=self.held.first,
            certificate_ends=self.certificates.first,
            temperature_c=self.sensors.now.temperature_c,
            throttled=self.sensors.now.throttled,
        )
