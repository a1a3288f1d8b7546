"""The plugin with the real program: a card and a terminal at a simulated reader."""

import os
import pathlib

import pytest
from pytest_contactless import Reader, TapError

SELECT_PPSE = "00A404000E325041592E5359532E444446303100"

FIXTURES = pathlib.Path(os.environ.get("CONTACTLESS_FIXTURES", pathlib.Path(__file__).parents[3] / "Fixtures"))
VISA = FIXTURES / "Cards/visa-cvn18.json"


def test_an_armed_card_pays_at_a_simulated_reader(reader, present, accept):
    card = present(reader, card=VISA)
    verdict = accept(reader, amount="12.34", currency="EUR")
    assert verdict.outcome == "approved", verdict.result
    (payment,) = card.wait()
    assert payment["event"] == "transactionCompleted"
    assert payment["cryptogram"] == verdict["cryptogram"]["value"]


def test_a_function_is_a_card_at_a_simulated_reader(reader, responder, accept):
    seen, events = [], []

    def answer(apdu):
        seen.append(apdu.hex().upper())
        return bytes.fromhex("6A82")

    card = responder(reader, answer, event=events.append)
    verdict = accept(reader, amount="12.34", currency="EUR")
    assert verdict.outcome == "end application", verdict.result
    (tap,) = card.wait()
    assert tap["event"] == "programAnswered"
    assert seen[0] == SELECT_PPSE
    assert events[0] == "field on" and events[-1] == "field off"


def test_an_exception_of_a_function_is_raised_where_the_test_waits(responder):
    def answer(apdu):
        raise ValueError("no response today")

    with pytest.raises(ValueError, match="no response today"):
        responder("loopback", answer).wait()


def test_a_function_that_returns_no_response_ends_the_tap(responder):
    with pytest.raises(TapError) as malformed:
        responder("loopback", lambda apdu: b"").wait()
    assert malformed.value.code == "responder"


def test_commands_reach_an_armed_card_one_by_one(card_side):
    card = card_side(card=VISA)
    directory = card.send(SELECT_PPSE)
    assert directory[0] == 0x6F and directory.endswith(b"\x90\x00")
    assert card.send(bytes.fromhex("00A4040007A000000003101000"))[-2:] == b"\x90\x00"
    assert card.send("00B2010C00")[-2:] != b"\x90\x00"


def test_a_refused_verification_is_an_error_with_its_code(lab_reader, present):
    with pytest.raises(TapError) as refused:
        present(lab_reader, card=VISA, user="cancel").wait()
    assert refused.value.code and refused.value.message


def test_a_scenario_passes_in_this_process(tap_test):
    verdict = tap_test(Reader("loopback"), FIXTURES / "Scenarios/visa-low-value.yaml")
    assert verdict.passed and verdict.exit_code == 0 and verdict.failures == []


@pytest.mark.parametrize("reader", ["loopback", f"loopback:{VISA}", Reader("loopback")])
def test_a_reader_is_what_the_command_line_takes(tap_test, reader):
    verdict = tap_test(reader, FIXTURES / "Scenarios", k="'Visa, low value'", repeat=2)
    assert verdict.passed, verdict.failures
    assert verdict["counts"]["taps"]["passed"] == 2 and verdict["counts"]["scenarios"]["total"] == 1


def test_a_payment_and_a_card_take_texts_too(accept, present):
    assert accept(f"loopback:{VISA}", amount="12.34", currency="EUR").outcome == "approved"
    (payment,) = present("loopback", card=VISA).wait()
    assert payment["event"] == "transactionCompleted"


def test_a_failure_names_the_data_element(tap_test, tmp_path):
    scenario = tmp_path / "wrong.json"
    scenario.write_text(
        '{"name": "wrong", "amount": "1.00", "currency": "EUR",'
        f' "card": {{"file": "{VISA}"}}, "expect": {{"tags": {{"9F27": "40"}}}}}}'
    )
    verdict = tap_test(Reader("loopback"), scenario)
    assert verdict.exit_code == 2 and not verdict.passed
    assert len(verdict.failures) == 1 and "9F27" in verdict.failures[0]


def test_a_terminal_is_judged_at_a_link(terminal_test):
    verdict = terminal_test(
        FIXTURES / "TerminalTests/Kernel3", capabilities=FIXTURES / "Capabilities/all-kernels.yaml"
    )
    assert verdict.passed and verdict.exit_code == 0, verdict.failures
    assert verdict["counts"]["scenarios"]["passed"] > 5


def test_a_missing_reader_is_an_error_with_its_code(accept):
    with pytest.raises(TapError) as missing:
        accept(Reader("loopback:missing.json"), amount="12.34", currency="EUR")
    assert missing.value.code == "fileNotFound"


def test_wrong_usage_is_an_error(accept):
    with pytest.raises(TapError) as wrong:
        accept(Reader(f"loopback:{VISA}"), amount="x", currency="EUR")
    assert "amount" in wrong.value.message
