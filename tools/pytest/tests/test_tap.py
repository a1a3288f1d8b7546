"""The plugin with the real program: a card and a terminal at a simulated reader."""

import os
import pathlib

import pytest
from pytest_contactless import Reader, TapError

FIXTURES = pathlib.Path(os.environ.get("CONTACTLESS_FIXTURES", pathlib.Path(__file__).parents[3] / "Fixtures"))
VISA = FIXTURES / "Cards/visa-cvn18.json"


def test_an_armed_card_pays_at_a_simulated_reader(reader, present, accept):
    card = present(reader, card=VISA)
    verdict = accept(reader, amount="12.34", currency="EUR")
    assert verdict.outcome == "approved", verdict.result
    (payment,) = card.wait()
    assert payment["event"] == "transactionCompleted"
    assert payment["cryptogram"] == verdict["cryptogram"]["value"]


def test_a_refused_verification_is_an_error_with_its_code(lab_reader, present):
    with pytest.raises(TapError) as refused:
        present(lab_reader, card=VISA, user="cancel").wait()
    assert refused.value.code and refused.value.message


def test_a_scenario_passes_in_this_process(tap_test):
    verdict = tap_test(Reader("loopback"), FIXTURES / "Scenarios/visa-low-value.yaml")
    assert verdict.passed and verdict.exit_code == 0 and verdict.failures == []


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
    assert verdict["counts"]["passed"] > 5


def test_a_missing_reader_is_an_error_with_its_code(accept):
    with pytest.raises(TapError) as missing:
        accept(Reader("loopback:missing.json"), amount="12.34", currency="EUR")
    assert missing.value.code == "fileNotFound"


def test_wrong_usage_is_an_error(accept):
    with pytest.raises(TapError) as wrong:
        accept(Reader(f"loopback:{VISA}"), amount="x", currency="EUR")
    assert "amount" in wrong.value.message
