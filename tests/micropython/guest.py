"""Runs the devices' test vectors on whichever Python runs this file: MicroPython in the suite, and CPython beside it.

Prints one JSON line a check: [name, null] if it holds, [name, what was seen instead] if not.
"""

import json


def wheel_wire():
    from pitwatch.devices.protocols import slingshot2
    from tests.devices import vectors_slingshot2 as vectors

    def check(stream, messages, discarded):
        framer = slingshot2.Framer()
        got = [m for i in range(len(stream)) for m in framer.feed(stream[i : i + 1])]
        got = [vectors.plain(m) for m in got]
        lost = framer.take_discarded()
        return None if got == messages and lost == discarded else [got, lost]

    for case in vectors.PARSED:
        yield repr(case[0]), bound(check, *case)


def wheel():
    from pitwatch.devices.slingshot_wheel import SlingshotWheel
    from tests.devices import vectors_slingshot_wheel as vectors

    for case in vectors.CASES:
        yield case[0], bound(vectors.mismatch, SlingshotWheel, case)


def mercury_wire():
    from pitwatch.devices.protocols import mercury360
    from tests.devices import vectors_mercury360 as vectors

    def check(stream, messages, discarded):
        framer = mercury360.Framer()
        got = [vectors.plain(m) for i in range(len(stream)) for m in framer.feed(stream[i : i + 1])]
        lost = framer.take_discarded()
        return None if got == messages and lost == discarded else [got, lost]

    for case in vectors.PARSED:
        yield repr(case[0]), bound(check, *case)


def mercury_wheel():
    from pitwatch.devices.mercury_wheel import MercuryWheel
    from tests.devices import vectors_mercury360 as vectors
    from tests.devices.vectors_slingshot_wheel import mismatch

    for case in vectors.CASES:
        yield case[0], bound(mismatch, MercuryWheel, case)


def angel_eye():
    from pitwatch.devices.angel_eye_shoe import AngelEyeShoe
    from tests.devices import vectors_angel_eye as vectors

    for text, command, events in vectors.GOLDEN:
        yield "golden " + command, bound(vectors.mismatch, AngelEyeShoe, [(0, vectors.unhex(text))], events)
    for name, pieces, want in vectors.CASES:
        yield name, bound(vectors.mismatch, AngelEyeShoe, pieces, want)


def readers():
    from pitwatch.devices.card_line_readers import CardLinePositions, CardLineShoe
    from pitwatch.devices.reporting import reporting_class
    from pitwatch.devices.wiegand_reader import WiegandReader
    from tests.devices import vectors_readers as vectors

    def check_swipe(facility, card, bits):
        reader = WiegandReader("keys")
        seen, end = vectors.swipe(reader, bits, 0)
        seen += vectors.settle(reader, end + 25 * vectors.MS)
        said = [o.data["credential"] for o in seen if o.event == "credential_presented"]
        return None if said == ["%d:%d" % (facility, card)] and len(seen) == 1 else seen

    for device_class, cases in ((CardLineShoe, vectors.SHOE), (CardLinePositions, vectors.POSITIONS)):
        for name, settings, pieces, want in cases:
            yield device_class.__name__ + " " + name, bound(vectors.mismatch, device_class("x", settings), pieces, want)
    for name, device_type, pieces, want in vectors.REPORTING:
        yield "ndjson " + name, bound(vectors.mismatch, reporting_class(device_type)("x"), pieces, want)
    for case in vectors.SWIPES:
        yield "wiegand " + case[2], bound(check_swipe, *case)


def key_reader():
    from pitwatch.devices.osdp_reader import OsdpReader
    from pitwatch.devices.protocols import osdp, wiegand
    from pitwatch.devices.protocols.crc import crc16
    from tests.devices import vectors_osdp as vectors

    def check_crc(text, check):
        got = crc16(vectors.unhex(text), 0x1D0F)
        return None if got == check else got

    def check_packet(text, address, reply, sequence, code, block, data):
        packets = osdp.Framer().feed(vectors.unhex(text))
        got = [(p.address, p.reply, p.sequence, p.code, p.block, p.data) for p in packets]
        return None if got == [(address, reply, sequence, code, block, vectors.unhex(data))] else got

    def check_card(facility, card, length):
        sent = osdp.encode(osdp.REPLY, 1, osdp.RAW, osdp.raw_data(wiegand.bits(facility, card, length)))
        seen = [o.data["credential"] for o in OsdpReader("keys").feed(sent, 0)]
        return None if seen == ["%d:%d" % (facility, card)] else seen

    for case in vectors.CRCS:
        yield "CRC " + case[0], bound(check_crc, *case)
    for case in vectors.PACKETS:
        yield "packet " + case[0], bound(check_packet, *case)
    for case in ((12, 34567, 26), (4660, 22136, 34), (1, 400000, 37)):
        yield "card %d:%d" % case[:2], bound(check_card, *case)


def badges():
    from pitwatch.devices.em4100_reader import Em4100Reader
    from pitwatch.devices.ibutton_reader import IButtonReader
    from pitwatch.devices.magstripe_reader import MagstripeReader
    from pitwatch.devices.protocols import em4100
    from tests.devices import vectors_badges as vectors

    for case in vectors.EM4100:
        yield "frames " + repr(case[0]), bound(vectors.split_mismatch, em4100.Framer, *case)
    for case in vectors.BADGES:
        yield case[0], bound(vectors.mismatch, Em4100Reader, case)
    for case in vectors.STRIPES:
        yield case[0], bound(vectors.mismatch, MagstripeReader, case)
    for case in vectors.BUTTONS:
        yield case[0], bound(vectors.mismatch, IButtonReader, case)


def shapes():
    from pitwatch.devices.port_check import PortCheck
    from pitwatch.devices.protocols import angel_eye, card_lines, slingshot2
    from pitwatch.devices.registry import find

    streams = {
        "slingshot2": slingshot2.status_line(2, 7, "9", 0, 150, 1),
        "angel_eye": angel_eye.frame("1", angel_eye.card_data(0, 1, "8S")),
        "card_lines": card_lines.line("TD"),
        "ndjson": b'{"event": "dice_counted", "data": {"dice": 2}}\r\n',
    }

    def check(expected, speaks):
        device_type = {"slingshot2": "wheel", "ndjson": "dice"}.get(expected, "shoe")
        device = PortCheck(find(device_type, expected)("it"), expected)
        seen = [o for i in range(8) for o in device.feed(streams[speaks], i)]
        told = [o.data["looks_like"] for o in seen if o.data.get("reason") == "wrong_device_on_port"]
        return None if told == ([] if expected == speaks else [speaks]) else told

    for expected in sorted(streams):
        for speaks in sorted(streams):
            yield speaks + " where " + expected + " should be", bound(check, expected, speaks)


def lines():
    from pitwatch.devices.registry import find
    from tests.devices import vectors_lines as vectors

    for case in vectors.CASES:
        yield case[1] + " " + case[0], bound(vectors.mismatch, find, case)


def raw_wheel():
    from pitwatch.devices.registry import find
    from tests.devices import vectors_lines, vectors_raw_wheel

    for case in vectors_raw_wheel.CASES:
        yield case[0], bound(vectors_lines.mismatch, find, case)


def registry():
    from pitwatch.devices.registry import classes, find

    for device_type, protocol in classes():
        yield device_type + " " + protocol, bound(same, device_type, find, protocol)


def node_wire():
    from pitwatch.devices.protocols import cobs, crc, node_bodies, node_link
    from tests.devices import vectors_node_link as vectors

    for name, wrong in vectors.broken((crc, cobs, node_link, node_bodies)):
        yield name, bound(same_or, wrong)


def node_clock():
    from pitwatch.devices.node_clock import NodeClock

    def follows(ppm, held):
        clock, t = NodeClock(), 200000000000
        for number in range(10):
            there, back = 300000 + number * 7919 % 400000, 300000 + number * 104729 % 900000
            came = node_us(t + there, ppm)
            clock.exchange(t, came, came + held, t + there + held * 1000 + back)
            t += 1000000000
            off = abs(clock.board(node_us(t, ppm)) - t)
            if off > clock.error + 1000:
                return [number, off, clock.error]
        good = clock.error < 2000000 and abs(clock.drift_ppb - ppm * 1000) < 100000
        return None if good else [clock.error, clock.drift_ppb]

    for ppm, held in ((-80, 0), (0, 0), (40, 1500)):
        yield "%d ppm, %d us" % (ppm, held), bound(follows, ppm, held)


def node_us(board_ns, ppm):
    return (board_ns - board_ns * ppm // 1000000) // 1000 + 7000000


def simulated_hardware():
    from pitwatch.hal.line import LineSpec
    from pitwatch.hal.sim import SimClock, SimFactory

    def timers():
        clock, rung = SimClock(), []
        for t in (30, 10, 20):
            clock.call_at(t, bound(rung.append, t))
        clock.call_at(15, bound(rung.append, 15)).cancel()
        clock.advance_to(25)
        return None if (rung, clock.now()) == ([10, 20], 25) else [rung, clock.now()]

    def link():
        clock, heard = SimClock(), []
        factory = SimFactory(clock)
        factory.link("sim:", "wheel").start(
            lambda data, t: heard.append((t, data)), lambda online, reason: heard.append(online)
        )
        sim = factory.links["wheel"]
        clock.advance_to(5)
        sim.inject(b"31\r\n")
        sim.unplug()
        sim.inject(b"lost")
        clock.advance_to(60000000000)
        sim.replug()
        clock.advance_to(120000000000)
        return None if heard == [True, (5, b"31\r\n"), False, True] else heard

    def debounced_line():
        clock, edges = SimClock(), []
        factory = SimFactory(clock)
        spec = LineSpec("lid", "chip", 4, active_low=True, bias="pull-up", debounce_us=1000)
        factory.lines("sim:", [spec], "box").start(
            lambda name, level, t: edges.append((name, level)), lambda count, t: None, lambda online, reason: None
        )
        bank = factory.banks["box"]
        clock.advance_to(1000000)
        bank.glitch("lid", 100000)
        clock.advance_to(10000000)
        bank.drive("lid", 0)
        clock.advance_to(20000000)
        return None if (edges, bank.levels()) == ([("lid", 1)], {"lid": 1}) else [edges, bank.levels()]

    for check in (timers, link, debounced_line):
        yield check.__name__, check


def same_or(wrong):
    return wrong


def same(device_type, find, protocol):
    return None if device_type == find(device_type, protocol).TYPE else "another type"


GROUPS = {
    "wheel_wire": wheel_wire,
    "wheel": wheel,
    "mercury_wire": mercury_wire,
    "mercury_wheel": mercury_wheel,
    "angel_eye": angel_eye,
    "readers": readers,
    "key_reader": key_reader,
    "badges": badges,
    "shapes": shapes,
    "lines": lines,
    "raw_wheel": raw_wheel,
    "registry": registry,
    "node_wire": node_wire,
    "node_clock": node_clock,
    "simulated_hardware": simulated_hardware,
}


def bound(function, *args):
    return lambda: function(*args)


def run_group(name, first, last):
    """The checks of one group from `first` up to and without `last`."""
    for number, (check_name, check) in enumerate(GROUPS[name]()):
        if first <= number < last:
            tell(name + ": " + check_name, attempt(check))


def import_all(modules):
    for module in modules:
        tell("import " + module, attempt(bound(imported, module)))


def imported(module):
    __import__(module)


def tell(name, problem):
    print(json.dumps([name, problem]))


def attempt(check):
    try:
        wrong = check()
        return None if wrong is None else repr(wrong)
    except Exception as problem:  # every kind is a failure of the check, and the rest must still run
        return type(problem).__name__ + ": " + str(problem)
