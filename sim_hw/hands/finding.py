"""Which hand belongs to which device of a table."""

from __future__ import annotations

from pitwatch.sim_hw.devices.felt import DEVICE as READING_FELT
from pitwatch.sim_hw.hands.act import Hand
from pitwatch.sim_hw.hands.cards import Deck
from pitwatch.sim_hw.hands.dice import DiceHand
from pitwatch.sim_hw.hands.felt import FeltHand
from pitwatch.sim_hw.hands.key_card import KeyCardHand
from pitwatch.sim_hw.hands.lines import Lines, Panel, Rack
from pitwatch.sim_hw.hands.shoes import BaccaratShoeHand, ShoeHand
from pitwatch.sim_hw.hands.shufflers import ShufflerHand, TalkingShufflerHand
from pitwatch.sim_hw.hands.wheels import HandSpunWheel, MachineWheel
from pitwatch.sim_hw.scene import Scene
from pitwatch.sim_hw.table import KEY_READERS, SimDeviceSpec, SimTable

ALONE: dict[tuple[str, str], type[Hand]] = {
    ("wheel", "slingshot2"): MachineWheel,
    ("wheel", "lines"): HandSpunWheel,
    ("wheel", "mercury360"): HandSpunWheel,
    ("dice", "lines"): DiceHand,
    ("panel", "lines"): Panel,
    ("discard_rack", "lines"): Rack,
    ("shoe", "angel_eye"): BaccaratShoeHand,
    **{("key_reader", protocol): KeyCardHand for protocol in KEY_READERS},
}
WITH_DECK: dict[tuple[str, str], type[ShoeHand | FeltHand | ShufflerHand | TalkingShufflerHand]] = {
    ("shoe", "card_lines"): ShoeHand,
    ("shoe", "ndjson"): ShoeHand,
    READING_FELT: FeltHand,
    ("shuffler", "lines"): ShufflerHand,
    ("shuffler", "ndjson"): TalkingShufflerHand,
}


def hands_of(scene: Scene, table: SimTable) -> dict[str, Hand]:
    """The hand at each device, once the dealer has taken place there; a device that no hand can do anything at has one
    without acts."""
    deck = Deck(scene, table)
    return {spec.id: _hand(scene, table, spec, deck) for spec in table.devices}


def _hand(scene: Scene, table: SimTable, spec: SimDeviceSpec, deck: Deck) -> Hand:
    kind = spec.type, spec.protocol
    first = table.of(*kind)
    if kind in WITH_DECK:
        return WITH_DECK[kind](scene, table, spec, deck)
    if kind in ALONE and (first is spec or ALONE[kind] in (Panel, Rack, KeyCardHand)):
        return ALONE[kind](scene, table, spec)
    return Lines(scene, table, spec) if spec.lines else Hand(scene, table, spec)
