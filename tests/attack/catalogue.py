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
HOLDING, KEPT = "tests/daemon/test_holding.py", "tests/daemon/test_kept.py"
OPEN_END = "tests/daemon/test_open_end.py"
ACCESS, LEAVING = "tests/e2e/test_access.py", "tests/e2e/test_leaving.py"
BACK, TROUBLES = "tests/floor/archive/test_rolled_back.py", "tests/floor/archive/test_troubles.py"
WITNESS = "tests/floor/witness"
WATCHED = "tests/floor/watch/test_troubles.py"
LISTEN = "tests/examples/test_forged.py"
AGAINST = "tests/floor/archive/test_verifying.py"
SWALLOWING, ASIDE = "tests/e2e/test_swallowing.py", "tests/floor/archive/test_put_aside.py"
SHOE_NOISE = "tests/sim_hw/test_noise_on_the_shoe.py"
KEY_NOISE = "tests/devices/test_wiegand_noise.py"

HELD = "tests/daemon/test_held.py"

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
        "what a client holds is not removed past keep_days, and a hold cannot stop a table from recording",
        "the hold taken out of the file or altered; a hold while a removal is signed; a thousand holds; no room; "
        "requests by clients without the right or under another's name",
        (
            f"{HELD}::test_a_hold_that_was_taken_out_of_the_file_stands_again_before_anything_is_removed",
            f"{HELD}::test_a_hold_that_comes_while_a_cut_is_signed_is_kept",
            f"{HELD}::test_hostile_requests_are_refused_and_the_record_stays_small",
            f"{HELD}::test_without_room_the_oldest_hold_ends_and_a_younger_one_stays",
            "tests/e2e/test_holds.py::test_a_client_with_the_right_holds_and_releases_over_a_restart_and_nobody_else",
        ),
    ),
    Attack(
        "without the key at most 2,000 records or 20 minutes can be forged",
        "all after an early checkpoint made anew, up to 5,655 records; thousands of forged checkpoints; "
        "a file forged under a running daemon",
        (
            f"{OPEN_END}::test_what_is_forged_after_an_early_checkpoint_is_found_and_not_signed",
            f"{OPEN_END}::test_checkpoints_that_are_forged_by_the_thousand_are_seen_through",
            f"{OPEN_END}::test_one_forged_checkpoint_among_few_records_is_not_signed_over",
            f"{OPEN_END}::test_what_is_forged_under_a_running_daemon_is_not_carried_over",
            f"{OPEN_END}::test_what_was_altered_before_the_last_signature_is_not_carried_over",
            f"{OPEN_END}::test_states_and_numbers_are_those_of_what_is_signed",
            f"{OPEN_END}::test_a_key_that_never_signed_does_not_cover_for_a_journal_without_signatures",
            f"{OPEN_END}::test_what_cannot_be_looked_at_is_neither_moved_nor_signed",
            f"{OPEN_END}::test_a_checkpoint_that_was_left_out_is_missed_by_the_next",
        ),
    ),
    Attack(
        "a kept checkpoint is compared, or `verify` says that it was not",
        "one of another table, of another key, unsigned, of records before the beginning",
        (
            f"{KEPT}::test_every_line_of_a_file_is_compared",
            f"{KEPT}::test_one_before_the_beginning_that_nothing_covers_is_a_fault",
            f"{KEPT}::test_one_that_ends_where_the_journal_begins_is_compared_with_what_is_left_of_it",
            f"{KEPT}::test_one_of_another_table_is_not_compared_and_says_so",
            f"{KEPT}::test_one_of_another_key_or_of_none_is_a_fault_wherever_it_ends",
        ),
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
        "one daemon writes a journal",
        "a second daemon by a symbolic or hard link; the lock file deleted, or held by a stranger",
        (
            f"{HOLDING}::test_another_name_for_the_journal_does_not_open_it_twice",
            f"{HOLDING}::test_a_lock_file_that_was_deleted_lets_nobody_in",
            f"{HOLDING}::test_a_lock_file_that_was_deleted_is_told_and_made_anew",
            f"{HOLDING}::test_a_lock_file_that_somebody_else_holds_is_told_once",
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
        "nobody shows two pasts of a table to a witness",
        "split view, roll-back, clone, truncation, the past signed anew with the stolen key, no proofs",
        (
            f"{WITNESS}/test_attacks.py::test_found_each_time_with_both_heads",
            f"{WITNESS}/test_over_mqtt.py::test_an_older_copy_of_the_state_folder",
            f"{WITNESS}/test_over_mqtt.py::test_another_past_that_the_table_s_own_key_signed",
        ),
    ),
    Attack(
        "",
        "a witness over HTTP: wrong proofs, two heads of one size, two branches at once, killed after each answer",
        (
            f"{WITNESS}/test_server.py::test_every_other_answer_of_the_specification",
            f"{WITNESS}/test_server.py::test_one_of_many_at_once_wins",
            f"{WITNESS}/test_server.py::test_both_heads_of_a_split_view_are_kept",
            f"{WITNESS}/test_server.py::test_the_command_remembers_across_a_kill",
        ),
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
        "a request in another's name or without one, unknown verbs, a flood of junk, a reader that writes",
        (
            f"{ACCESS}::test_surveillance_asks_a_table_and_nobody_else_can",
            f"{ACCESS}::test_nobody_asks_without_his_name_unless_the_lists_grant_it",
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
        "brokers that refuse, throw away or go deaf: the will, retained messages, QoS 1, the size",
        (
            f"{SWALLOWING}::test_doctor_names_what_a_broker_refuses_and_the_option_that_fixes_it",
            f"{SWALLOWING}::test_a_record_that_the_broker_throws_away_is_passed_over_told_and_sent_when_it_takes_it",
            f"{SWALLOWING}::test_a_broker_without_retained_messages_or_qos_1_is_told_and_hears_every_record",
            "tests/cluster/test_size.py::test_a_record_above_its_limit_is_passed_over_and_holds_up_no_other",
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
        "",
        "a box that accepts and hangs up, at once or later, before doctor",
        ("tests/daemon/test_doctor_network.py::test_a_box_that_accepts_and_hangs_up_is_named",),
    ),
    Attack(
        "noise on a wire is no card, and takes none away unseen",
        "noise between the frames of a shoe, also such as looks like a frame; damaged and lost frames",
        (
            f"{SHOE_NOISE}::test_noise_between_the_frames_leaves_every_round_whole",
            f"{SHOE_NOISE}::test_noise_right_before_any_frame_of_a_round",
            f"{SHOE_NOISE}::test_a_frame_lost_in_noise_never_makes_a_whole_round_of_less",
            f"{SHOE_NOISE}::test_a_frame_that_leaves_no_trace_is_missed_by_the_next_number",
        ),
    ),
    Attack(
        "",
        "20,000 bursts of pulses on the lines of a key-card reader, cards between them",
        (
            f"{KEY_NOISE}::test_bursts_of_noise_are_no_cards_and_the_next_card_is_read",
            f"{KEY_NOISE}::test_every_published_timing_is_a_card",
            f"{KEY_NOISE}::test_a_pulse_of_noise_that_stands_for_a_lost_bit_makes_no_card",
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
        "a strict CloudEvents reader accepts every message",
        "numbers of any size: of a board that runs for years, of a table after its two thousand millionth record",
        ("tests/daemon/test_envelope.py::test_a_strict_reader_takes_numbers_of_any_size",),
    ),
    Attack(
        "a large floor is seen whole",
        "a stock mosquitto that drops what its queue does not hold",
        ("tests/floor/test_subscribing.py::test_three_hundred_tables_are_seen_whole",),
    ),
)
"""In the order in which the table is printed; a promise that is "" is the one above."""
