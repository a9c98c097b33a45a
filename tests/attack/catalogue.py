"""What is promised, how it was attacked, and which tests do it. For tests only.

An attack is one or more tests, named as pytest names them; one name stands for all cases of a test. A case is a
try, and may hold hundreds of changes.
"""

from __future__ import annotations

from typing import NamedTuple


class Attack(NamedTuple):
    promise: str
    attack: str
    tests: tuple[str, ...]


EVIDENCE, LAYOUT = "tests/daemon/test_evidence.py", "tests/daemon/test_layout.py"
ACCESS, LEAVING = "tests/e2e/test_access.py", "tests/e2e/test_leaving.py"
BACK, TROUBLES = "tests/floor/archive/test_rolled_back.py", "tests/floor/archive/test_troubles.py"
WATCHED = "tests/floor/watch/test_troubles.py"
LISTEN = "tests/examples/test_forged.py"
AGAINST = "tests/floor/archive/test_verifying.py"
SWALLOWING, ASIDE = "tests/e2e/test_swallowing.py", "tests/floor/archive/test_put_aside.py"

ATTACKS = (
    Attack(
        "no record is changed, left out or put in unseen",
        "a field of a record of each kind changed, removed, inserted, moved; a bit anywhere in the file",
        (
            f"{EVIDENCE}::test_each_of_a_thousand_changes_is_found_at_the_first_bad_record",
            f"{EVIDENCE}::test_a_byte_changed_anywhere_in_the_file_is_found_or_changes_no_record",
        ),
    ),
    Attack(
        "",
        "the chain made anew behind the change, without the key",
        (
            f"{EVIDENCE}::test_a_chain_that_was_made_anew_does_not_pass_the_signature",
            f"{EVIDENCE}::test_a_journal_made_anew_without_a_signature_is_not_taken_for_a_signed_one",
            f"{EVIDENCE}::test_a_journal_signed_by_somebody_else_is_not_taken_for_ours",
        ),
    ),
    Attack(
        "",
        "the newest records cut off, the whole past signed anew with the stolen key",
        (
            f"{EVIDENCE}::test_a_tail_cut_off_is_found_by_the_mark_or_by_a_checkpoint_that_somebody_kept",
            f"{EVIDENCE}::test_whoever_has_the_key_can_write_any_past_but_not_that_of_a_published_checkpoint",
        ),
    ),
    Attack(
        "",
        "records taken from the front",
        ("tests/daemon/test_retention.py::test_each_of_two_hundred_thefts_from_the_front_is_found_and_named",),
    ),
    Attack(
        "the journal's file acts as it was made",
        "hidden triggers, guards removed or altered, tables replaced by views that never end, foreign indexes",
        (
            f"{LAYOUT}::test_verify_names_what_is_foreign_or_missing",
            f"{LAYOUT}::test_a_start_sets_such_a_file_aside_and_says_what_it_found",
        ),
    ),
    Attack(
        "a start ends",
        "a sequence number of any size forged into record, mark or lock",
        ("tests/daemon/test_rescue.py::test_a_start_ends_whatever_number_is_forged",),
    ),
    Attack(
        "no message stops the archive or holds up another table's",
        "what a database refuses, in every column; arbitrary envelopes and bytes",
        (
            f"{ASIDE}::test_what_cannot_be_stored_is_put_aside",
            f"{ASIDE}::test_what_only_the_database_refuses_is_found_among_many",
            f"{ASIDE}::test_nothing_that_a_client_can_send_stops_the_archive",
        ),
    ),
    Attack(
        "no record is crowded out by a forged one",
        "another record under a known id",
        (
            f"{ASIDE}::test_another_record_under_a_known_id_is_kept_beside_it_and_critical",
            f"{WATCHED}::test_another_record_under_a_known_id",
            f"{LISTEN}::test_another_record_under_a_known_id_is_printed_and_told",
        ),
    ),
    Attack(
        "",
        "a forged number far ahead, of any size; a flood of them; at a subscriber that keeps where it was",
        (
            f"{LISTEN}::test_a_forged_later_number_hides_no_record",
            f"{LISTEN}::test_a_forged_number_heard_first_hides_no_record",
            f"{LISTEN}::test_a_message_nested_without_end_and_a_flood_of_numbers",
        ),
    ),
    Attack(
        "a table that is no longer what it was is found",
        "a state folder put back, emptied, or cloned onto a second board; a new board under the old name",
        (
            f"{BACK}::test_a_state_folder_that_was_put_back",
            f"{BACK}::test_a_state_folder_that_was_emptied",
            f"{BACK}::test_a_clone_beside_its_board",
            f"{BACK}::test_a_new_board_announced_by_its_key",
            f"{WATCHED}::test_state_put_back_and_emptied",
            f"{TROUBLES}::test_a_journal_put_back_stands_in_gaps_until_somebody_has_looked",
        ),
    ),
    Attack(
        "",
        "a checkpoint with another key, with a signature that is not genuine, or with another hash",
        (
            f"{TROUBLES}::test_a_forged_checkpoint_and_a_rewritten_one",
            f"{TROUBLES}::test_a_new_board_that_the_house_announces",
            f"{WATCHED}::test_a_forged_checkpoint_is_found_beside_the_event_loop",
        ),
    ),
    Attack(
        "",
        "a journal whose records were changed, taken away or put back, with its chain made anew",
        (
            f"{AGAINST}::test_each_record_that_was_changed_or_taken_away_is_named",
            f"{AGAINST}::test_a_state_that_was_put_back_is_named_from_where_it_differs",
            f"{AGAINST}::test_an_export_that_was_altered",
        ),
    ),
    Attack(
        "",
        "another rule book, configuration, program or key than the house has approved",
        (f"{TROUBLES}::test_what_the_house_has_not_approved",),
    ),
    Attack(
        "a client is who its certificate says, and says what it may",
        "no certificate, a self-made one, one of another house; another's topics; another's client id",
        (
            f"{ACCESS}::test_an_intruder_is_not_connected",
            f"{ACCESS}::test_no_table_can_publish_or_read_as_another_and_an_intruder_can_nothing",
            f"{ACCESS}::test_a_table_cannot_put_another_out_by_taking_his_client_id",
        ),
    ),
    Attack(
        "",
        "a request in another's name, unknown verbs, a flood of junk, a reader that writes",
        (
            f"{ACCESS}::test_surveillance_asks_a_table_and_nobody_else_can",
            f"{ACCESS}::test_a_reader_reads_what_surveillance_reads_and_writes_nothing",
        ),
    ),
    Attack("", "retained messages of any size", (f"{ACCESS}::test_no_message_is_kept_that_is_larger_than_any_record",)),
    Attack(
        "a lost key opens nothing",
        "a revoked certificate",
        (f"{LEAVING}::test_a_lost_key_opens_nothing_and_its_successor_does",),
    ),
    Attack(
        "what nobody heard does not count as heard",
        "brokers that refuse or throw away: the will, retained messages, QoS 1, the size",
        (
            f"{SWALLOWING}::test_doctor_names_what_a_broker_refuses_and_the_option_that_mends_it",
            f"{SWALLOWING}::test_a_record_that_the_broker_throws_away_is_passed_over_told_and_sent_when_it_takes_it",
            f"{SWALLOWING}::test_a_broker_without_retained_messages_or_qos_1_is_told_and_hears_every_record",
        ),
    ),
    Attack(
        "a device that is gone is reported as gone",
        "a box that accepts and hangs up, with noise or without, for an hour; an adapter that comes and goes",
        (
            "tests/daemon/test_presence.py::test_a_box_that_hangs_up_again_and_again_is_one_absence",
            "tests/daemon/test_presence.py::test_an_adapter_that_comes_and_goes_is_one_absence",
        ),
    ),
    Attack(
        "a line of a recipe is one message",
        "line breaks, terminal escapes and forged alarms inside a message",
        (
            "tests/examples/test_one_line.py::test_irregularities_sh",
            "tests/examples/test_one_line.py::test_syslog_sh",
            "tests/examples/test_one_line.py::test_now_sh",
            "tests/examples/test_one_line.py::test_ask_sh",
        ),
    ),
    Attack(
        "a large floor is seen whole",
        "a stock mosquitto that drops what its queue does not hold",
        ("tests/floor/test_subscribing.py::test_three_hundred_tables_are_seen_whole",),
    ),
)
"""In the order in which the table is printed; a promise that is "" is the one above."""
