"""What every byte link must do, whatever is behind it. A test module subclasses LinkContract and gives a `rig`.

The rig is the far side of the wire:
    link() -> ByteLink              a new link to this wire, closed
    await write(data)               the device sends it, in as many pieces as the wire likes
    unplug(), await replug()        the wire is pulled, and comes back in the same place
    await wait(seconds)             time passes
    await until(condition, seconds) time passes until condition(); AssertionError if it does not come about
"""

import asyncio
import time

from pitwatch.hal.link import ByteLink


class Listener:
    """Starts a link and writes down what it says."""

    def __init__(self, link: ByteLink) -> None:
        self.link = link
        self.pieces: list[tuple[bytes, int]] = []
        self.states: list[tuple[bool, str]] = []

    def start(self) -> "Listener":
        self.link.start(
            lambda data, t: self.pieces.append((data, t)),
            lambda online, reason: self.states.append((online, reason)),
        )
        return self

    @property
    def data(self) -> bytes:
        return b"".join(data for data, _ in self.pieces)

    @property
    def online(self) -> bool:
        return bool(self.states) and self.states[-1][0]


class LinkContract:
    async def _listen(self, rig) -> Listener:
        listener = Listener(rig.link()).start()
        await rig.until(lambda: listener.online, 15)
        assert listener.states == [(True, "")]
        return listener

    async def test_bytes_come_in_order_with_rising_stamps(self, rig):
        listener = await self._listen(rig)
        lines = [b"*X;3;%03d; 9;0;150;1\r\n" % i for i in range(50)]

        async def came(wanted):
            await rig.until(lambda: len(listener.data) >= len(b"".join(wanted)), 15)

        for number, line in enumerate(lines, 1):
            await rig.write(line)
            await rig.wait(0.001)
            if number <= 12:  # each is read before the next is written
                await came(lines[:number])
        await came(lines)
        assert listener.data == b"".join(lines)
        stamps = [t for _, t in listener.pieces]
        assert stamps == sorted(stamps)
        assert len(set(stamps)) > 10, "stamped when read, not all at once"
        assert all(data for data, _ in listener.pieces)
        assert listener.states == [(True, "")]

    async def test_every_byte_value_passes_unchanged_one_at_a_time(self, rig):
        listener = await self._listen(rig)
        every = bytes(range(256))
        for i in range(256):
            await rig.write(every[i : i + 1])
        await rig.until(lambda: len(listener.data) >= 256, 15)
        assert listener.data == every

    async def test_garbage_passes_unchanged(self, rig):
        listener = await self._listen(rig)
        garbage = bytes([0, 0xFF, 0x03, 0x04, 0x11, 0x13, 0x1A, 0x7F, 0x0D, 0x0A, 0x0A, 0x0D]) * 300
        await rig.write(garbage)
        await rig.until(lambda: len(listener.data) >= len(garbage), 15)
        assert listener.data == garbage

    async def test_a_burst_of_200_kb_is_whole(self, rig):
        listener = await self._listen(rig)
        burst = bytes(i * 7 & 0xFF for i in range(200_000))
        await rig.write(burst)
        await rig.until(lambda: len(listener.data) >= len(burst), 20)
        assert listener.data == burst

    async def test_unplugging_is_reported_once_and_costs_nothing(self, rig):
        listener = await self._listen(rig)
        await rig.write(b"*X;3;00")
        await rig.until(lambda: listener.data == b"*X;3;00", 15)
        rig.unplug()
        await rig.until(lambda: not listener.online, 15)
        busy = time.process_time()
        await rig.wait(0.8)  # a try at opening falls in this time
        assert time.process_time() - busy < 0.2
        assert len(listener.states) == 2
        online, reason = listener.states[1]
        assert not online
        assert reason
        assert "\n" not in reason

    async def test_comes_back_by_itself(self, rig):
        listener = await self._listen(rig)
        rig.unplug()
        await rig.until(lambda: not listener.online, 15)
        await rig.replug()
        await rig.until(lambda: listener.online, 15)
        await rig.write(b"again")
        await rig.until(lambda: listener.data == b"again", 15)
        assert [online for online, _ in listener.states] == [True, False, True]

    async def test_a_link_that_is_not_there_yet_is_found_later(self, rig):
        rig.unplug()
        listener = Listener(rig.link()).start()
        await rig.until(lambda: listener.states, 15)
        assert not listener.online
        assert listener.states[0][1]
        await rig.replug()
        await rig.until(lambda: listener.online, 15)
        await rig.write(b"hello")
        await rig.until(lambda: listener.data == b"hello", 15)
        assert [online for online, _ in listener.states] == [False, True]

    async def test_reopening_never_holds_up_the_loop(self, rig):
        worst = []
        for _ in range(3):  # a busy machine may hold us up once, a blocking call does so each time
            listener = await self._listen(rig)
            longest = 0.0
            beating = True

            async def beat():
                nonlocal longest
                while beating:  # noqa: B023
                    before = time.monotonic()
                    await asyncio.sleep(0.005)
                    longest = max(longest, time.monotonic() - before - 0.005)

            heart = asyncio.create_task(beat())
            rig.unplug()
            await rig.until(lambda: not listener.online, 15)  # noqa: B023
            await rig.replug()
            await rig.until(lambda: listener.online, 15)  # noqa: B023
            listener.link.stop()
            beating = False
            await heart
            worst.append(longest)
        assert min(worst) < 0.15  # the blocking close that this is about takes 0.3 s

    async def test_stopping_twice_is_fine_and_nothing_is_said_after(self, rig):
        listener = await self._listen(rig)
        await rig.write(b"before")
        await rig.until(lambda: listener.data == b"before", 15)
        listener.link.stop()
        listener.link.stop()
        await rig.write(b"after")
        rig.unplug()
        await rig.wait(0.7)
        assert listener.data == b"before"
        assert listener.states == [(True, "")]

    async def test_stopped_while_off_line_it_does_not_come_back(self, rig):
        listener = await self._listen(rig)
        rig.unplug()
        await rig.until(lambda: not listener.online, 15)
        listener.link.stop()
        await rig.replug()
        await rig.wait(0.7)
        assert [online for online, _ in listener.states] == [True, False]

    async def test_stopping_from_a_callback_ends_it_there(self, rig):
        link = rig.link()
        seen: list[bytes] = []

        def on_bytes(data: bytes, t: int) -> None:
            seen.append(data)
            link.stop()

        states: list[bool] = []
        link.start(on_bytes, lambda online, reason: states.append(online))
        await rig.until(lambda: states == [True], 15)
        await rig.write(b"a" * 20_000)
        await rig.until(lambda: seen, 15)
        await rig.write(b"b" * 10)
        await rig.wait(0.1)
        assert len(seen) == 1
        assert states == [True]

    async def test_starts_again_after_a_stop(self, rig):
        listener = await self._listen(rig)
        listener.link.stop()
        listener.start()
        await rig.until(lambda: len(listener.states) == 2, 15)
        await rig.write(b"second life")
        await rig.until(lambda: listener.data == b"second life", 15)
        assert listener.states == [(True, ""), (True, "")]

    async def test_starting_twice_is_refused(self, rig):
        listener = await self._listen(rig)
        try:
            listener.start()
        except RuntimeError:
            pass
        else:
            raise AssertionError("two listeners would share one stream")
        await rig.write(b"still here")
        await rig.until(lambda: listener.data == b"still here", 15)


class ExclusiveLinkContract(LinkContract):
    """For links whose place only one may hold."""

    async def test_a_second_opener_is_refused_until_the_first_lets_go(self, rig):
        first = await self._listen(rig)
        second = Listener(rig.link()).start()
        await rig.until(lambda: second.states, 15)
        assert not second.online
        await rig.write(b"for one only")
        await rig.until(lambda: first.data == b"for one only", 15)
        assert second.data == b""
        assert first.states == [(True, "")]
        first.link.stop()
        await rig.until(lambda: second.online, 15)
        await rig.write(b"mine now")
        await rig.until(lambda: second.data == b"mine now", 15)
