"""Runs a test pack of `tap test` against a card or a terminal, and decides whether the pack names a fault.

A finding is a tap that failed, warned, ended with an error or was not judged. Findings that the good card or terminal of
the same scheme has too are left out. A fault is

* named: a new failure or warning uses one of the words of the fault (tag, command, status word) in its message, its
  name, its description or its tag,
* only failed: there are new findings, and none of them uses such a word,
* unnoticed: there is no new finding.
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading

import card
import cards
import crypto
import till
import vpcd

HERE = os.path.dirname(os.path.abspath(__file__))
CARD_LIMIT, TERMINAL_LIMIT = 150, 240
BAD = ("failed", "warning", "error", "not judged", "errored")


def serve(port, subject, ended):
    """Presents a card at a vpcd port again and again until `ended`. Each connection is one time in the field."""
    while not ended.is_set():
        try:
            link = vpcd.connect(port, 2)
        except OSError:
            continue
        with link:
            vpcd.serve_card(link, subject)
        ended.wait(0.2)


def end(process):
    """Ends a process that this program started."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def issuer_key(folder):
    """Writes the issuer's test key for `--issuer-key` and returns the file."""
    path = os.path.join(folder, "issuer.key")
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as file:
        file.write("cryptogram: %s\n" % crypto.ISSUER_MASTER_KEY.hex().upper())
    return path


def judge_card(tap, packs, scheme, fault=None):
    """Runs the card pack over a pcscd of its own and returns its findings."""
    with tempfile.TemporaryDirectory(prefix="foreign") as folder:
        command = [tap, "lab", "pcsc", "--socket", folder + "/s", "--format", "json", "--timeout", str(CARD_LIMIT + 30)]
        lab = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ended = threading.Event()
        try:
            about = json.loads(lab.stdout.readline())
            subject = card.Card(cards.ALL[scheme](), fault, 0x7000 if fault and "counter-down" in fault.flags else None)
            port = int(about["link"].rsplit(":", 1)[1])
            threading.Thread(target=serve, args=(port, subject, ended), daemon=True).start()
            arguments = ["test", packs + "/Fixtures/CardTests", "--reader", "pcsc:" + about["reader"], "--card-stays",
                         "--timeout", "5", "--issuer-key", issuer_key(folder)]
            return run_pack(tap, packs, arguments, {"PCSCLITE_CSOCK_NAME": about["socket"]}, CARD_LIMIT, folder)
        finally:
            ended.set()
            end(lab)


def judge_terminal(tap, packs, flags=()):
    """Runs the terminal pack with a till as the vpcd reader and returns its findings."""
    subject = till.Till(flags)
    observe = "%s -I -S %s/observe" % (os.path.realpath(sys.executable), HERE)
    arguments = ["test", packs + "/Fixtures/TerminalTests", "--link", "vpcd:127.0.0.1:%d" % subject.port,
                 "--observe", observe, "--capabilities", HERE + "/capabilities.json", "--timeout", "5",
                 "-k", 'not "90 seconds"']
    try:
        with tempfile.TemporaryDirectory(prefix="foreign") as folder:
            return run_pack(tap, packs, arguments, {"FOREIGN_TERMINAL": str(subject.ask)}, TERMINAL_LIMIT, folder)
    finally:
        subject.close()


def run_pack(tap, packs, arguments, environment, limit, folder):
    """Runs `tap test` at low priority and returns {"findings", "exit", "seconds_over"}."""
    result = folder + "/result.json"
    command = ["nice", "-n", "5", tap] + arguments + ["--format", "json", "-o", result]
    process = subprocess.Popen(command, cwd=packs, env={**os.environ, **environment}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, errors = process.communicate(timeout=limit)
        late = False
    except subprocess.TimeoutExpired:
        process.send_signal(2)
        _, errors = process.communicate(timeout=20)
        late = True
    if not os.path.exists(result):
        return {"findings": [], "exit": process.returncode, "late": late, "error": errors[-400:]}
    with open(result) as file:
        document = json.load(file)
    return {"findings": list(findings(document)), "exit": process.returncode, "late": late, "counts": document["counts"]}


def findings(document):
    """Returns the findings of a result: check, name, verdict, message, text to search."""
    for scenario in document["scenarios"]:
        for tap in scenario["taps"]:
            if tap["result"] not in BAD:
                continue
            messages = tap["failures"] or [{"message": tap.get("reason") or tap["result"]}]
            for failure in messages:
                yield {"check": scenario.get("id"), "name": scenario["name"], "verdict": tap["result"],
                       "message": failure.get("message", ""), "tag": failure.get("tag"),
                       "about": scenario.get("description", "") + " " + scenario.get("rule", "")}


def mentions(finding, words):
    """Returns whether a finding uses one of the words. Short words must stand alone."""
    text = " ".join(str(finding[key] or "") for key in ("name", "message", "tag", "about"))
    for word in words:
        if re.search(r"(?<![0-9A-Za-z])%s(?![0-9A-Za-z])" % re.escape(word), text, re.I if len(word) > 4 else 0):
            return True
    return False


def key(finding):
    """Returns what makes two findings the same: check, verdict, and the message without bytes that change in each run.

    Status words stay: a good card may be reported for 6700 where a faulty one answers 9000.
    """
    message = finding["message"]
    same = message if "status word" in message else re.sub(r"[0-9A-F]{4,}", "…", message)
    return finding["check"], finding["verdict"], same


def new_findings(result, good):
    """Returns the findings that the good subject of the same scheme does not have."""
    known = {key(finding) for finding in good["findings"]}
    return [finding for finding in result["findings"] if key(finding) not in known]


def verdict(fault, result, good):
    """Returns (verdict, new findings) of a fault: named, failed or unnoticed."""
    new = new_findings(result, good)
    if not new:
        return "unnoticed", new
    judged = [finding for finding in new if finding["verdict"] in ("failed", "warning")]
    return ("named" if any(mentions(finding, fault.mentions) for finding in judged) else "failed"), new
