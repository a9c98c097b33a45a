"""One-time codes: how they may be typed; each proof is for one side, one connection and one message."""

from __future__ import annotations

import pytest

from pitwatch.daemon.enrolment.code import LETTERS, CodeError, keys, new_code, read_code
from pitwatch.daemon.enrolment.exchange import Channel, ExchangeError, read, refusal


def test_a_code_may_be_typed_as_people_type():
    code = new_code()
    assert len(code) == 20
    plain = code.replace("-", "")
    assert read_code(code) == read_code(f"  {plain.lower()} \n") == read_code(" ".join(plain)) == plain
    easily_taken = "0OO1-IL1L-0000-0000"
    text = read_code_with_check(easily_taken)
    assert text.startswith("0001111100000000")
    assert {letter for _ in range(50) for letter in new_code()} - {"-"} <= set(LETTERS)
    assert len({new_code() for _ in range(1000)}) == 1000


def read_code_with_check(start):
    for check in LETTERS:
        try:
            return read_code(start + check)
        except CodeError:
            continue
    raise AssertionError("no letter is the check")


def test_a_letter_that_is_wrong_is_noticed_before_anything_is_sent():
    code = new_code().replace("-", "")
    changed = [code[:n] + other + code[n + 1 :] for n in range(len(code)) for other in LETTERS if other != code[n]]
    noticed = 0
    for each in changed:
        try:
            read_code(each)
        except CodeError:
            noticed += 1
    assert noticed / len(changed) > 0.9  # 31 of 32


@pytest.mark.parametrize("typed", ["", "ZZZZ", "U" * 17, "K7QD-9M2X-4TRB-W8HC-3333", "ä" * 17, "\0" * 17])
def test_what_is_no_code_is_refused_without_being_repeated(typed):
    with pytest.raises(CodeError) as refused:
        read_code(typed)
    assert not typed or typed not in str(refused.value)


def test_a_proof_is_for_one_code_one_side_one_connection_and_one_message():
    mine, other, here, elsewhere = keys(new_code()), keys(new_code()), Channel(b"here"), Channel(b"elsewhere")
    line = here.request(mine, b"request")
    assert here.asked(mine, read(line)) == b"request"
    answer = here.answer(mine, b"request", b"answer")
    assert here.granted(mine, b"request", read(answer)) == b"answer"
    for wrong in (
        lambda: here.asked(other, read(line)),
        lambda: elsewhere.asked(mine, read(line)),
        lambda: here.asked(mine, read(answer)),
        lambda: here.granted(other, b"request", read(answer)),
        lambda: elsewhere.granted(mine, b"request", read(answer)),
        lambda: here.granted(mine, b"another request", read(answer)),
        lambda: here.granted(mine, b"request", read(line)),
        lambda: here.granted(mine, b"request", read(refusal("no"))),
    ):
        with pytest.raises(ExchangeError):
            wrong()
