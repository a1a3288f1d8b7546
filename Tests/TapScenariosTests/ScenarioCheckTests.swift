import TapScenarios
import Testing

/// Every kind of expectation, met and not met, by a recorded card.
@Suite("Expectations against a tap")
struct ScenarioCheckTests {
  static let visa = "visa-cvn18-terminal"
  static let mastercard = "mastercard-cvn16-terminal"
  static let magStripe = "mastercard-magstripe-terminal"

  /// The recording, an expectation that is met, one that is not, and the failure's sentence.
  static let kinds: [(tap: String, met: String, missed: String, sentence: String)] = [
    (
      visa, "outcome: approved", "outcome: [declined, see phone]",
      "outcome: expected declined or see phone, got approved"
    ),
    (visa, "message: Approved", "message: notAuthorised", "message: expected Not authorised, got Approved"),
    (
      visa, "display: [welcome, Present card, processing, cardRead, authorising, approved]", "display: [approved]",
      "display: expected \"Approved\", got \"Welcome\", \"Present card\", \"Processing\", "
        + "\"Card read OK, please remove card\", \"Authorising, please wait\", \"Approved\""
    ),
    (
      visa, "parameters: {start: none, language: [de, en], data record: yes}", "parameters: {receipt: yes}",
      "parameter receipt: expected yes, got no"
    ),
    (
      visa, "parameters: {hold: none}", "parameters: {fieldOff: 500 ms}",
      "parameter fieldOff: expected 500 ms, got none"
    ),
    (visa, "outcome: approved", "leftOut: kernel 4", "application left out: expected \"kernel 4\", got none"),
    (visa, "cvm: CDCVM", "cvm: online PIN", "cardholder verification: expected online PIN, got CDCVM"),
    (visa, "cryptogram: ARQC", "cryptogram: [TC, none]", "cryptogram: expected TC or none, got ARQC"),
    (magStripe, "cryptogram: CVC3", "cryptogram: ARQC", "cryptogram: expected ARQC, got CVC3"),
    (
      visa, "application: A000000003", "application: [A000000004, A0000000032010]",
      "application: expected A000000004 or A0000000032010, got A0000000031010"
    ),
    (visa, "exchanges: {least: 5}", "exchanges: 4", "exchange 5, READ RECORD: number of exchanges: expected 4, got 5"),
    (
      visa, "status: {GPO: 9000, READ RECORD: 90xx}", "status: {READ RECORD 2: [6A83, 61xx]}",
      "exchange 5, READ RECORD: status word: expected 6A83 or 61xx, got 9000"
    ),
    (
      visa, "status: {exchange 1: 9000}", "status: {GENERATE AC: 9000}",
      "status word of GENERATE AC: expected 9000, got no such exchange"
    ),
    (
      visa, "tags: {9F6C: present, 9F4B: absent}", "tags: {9F6C: absent}",
      "exchange 3, GET PROCESSING OPTIONS: 9F6C Card Transaction Qualifiers (CTQ): expected absent, got 0080"
    ),
    (
      visa, "tags: {CID: 80}", "tags: {9F4B: present}",
      "9F4B Signed Dynamic Application Data: expected present, got absent"
    ),
    (
      visa, "tags: {AIP: 0040}", "tags: {AIP: 0041}",
      "exchange 3, GET PROCESSING OPTIONS: 82 Application Interchange Profile (AIP): expected 0041, got 0040"
    ),
    (
      visa, "tags: {82: {equals: FF40, mask: 00F0}}", "tags: {82: {equals: 0080, mask: 00F0}}",
      "exchange 3, GET PROCESSING OPTIONS: 82 Application Interchange Profile (AIP): "
        + "expected 0080 under the mask 00F0, got 0040"
    ),
    (
      visa, "tags: {9F37: {length: 4}}", "tags: {9F37: {length: 8}}",
      "exchange 3, GET PROCESSING OPTIONS: 9F37 Unpredictable Number, length: expected 8 bytes, got 4 bytes"
    ),
    (
      visa, "tags: {CTQ.cdcvmPerformed: true}", "tags: {9F6C: {bits: {CDCVM performed: false}}}",
      "exchange 3, GET PROCESSING OPTIONS: 9F6C Card Transaction Qualifiers (CTQ), byte 2 bit 8 CDCVM performed: "
        + "expected not set, got set in 0080"
    ),
    (
      visa, "tags: {CTQ.byte 2 bit 8: true}", "tags: {CTQ.byte 3 bit 8: true}",
      "exchange 3, GET PROCESSING OPTIONS: 9F6C Card Transaction Qualifiers (CTQ), byte 3 bit 8: "
        + "expected set, got 2 bytes"
    ),
    (
      mastercard, "tags: {TVR.offlineDataAuthenticationNotPerformed: true}", "tags: {TVR.expiredApplication: true}",
      "95 Terminal Verification Results (TVR), byte 2 bit 7 expired application: expected set, got not set in 8000008001"
    ),
    (
      mastercard, "tags: {TVR.relay resistance protocol: 1}", "tags: {TVR.relay resistance protocol: performed}",
      "95 Terminal Verification Results (TVR), byte 5 bits 2-1 relay resistance protocol (contactless): "
        + "expected 2, got 1 in 8000008001"
    ),
    (
      mastercard, "tags: {IAD: present, 9F26: {length: 8}}", "tags: {ATC: 9999}",
      "exchange 6, GENERATE AC: 9F36 Application Transaction Counter (ATC): expected 9999, got 0001"
    ),
  ]

  @Test(arguments: kinds.indices)
  func `met, and not met with the exchange, the element, expected and got`(_ row: Int) throws {
    let (tap, met, missed, sentence) = Self.kinds[row]
    #expect(try TranscriptReplay.failures(tap, met) == [])
    let failures = try TranscriptReplay.failures(tap, missed)
    #expect(failures.count == 1)
    #expect(failures.first?.hasSuffix(sentence) == true, "\(failures)")
  }

  /// A budget that every command keeps, one that none can keep, and how many break it.
  static let budgets: [(kept: String, broken: String, count: Int)] = [
    ("every command: 600000", "every command: 0.000001", 5), ("GPO: 600000", "GPO: 0.000001", 1),
    ("READ RECORD: 600000", "READ RECORD: 0.000001", 2), ("whole tap: 600000", "whole tap: 0.000001", 1),
    ("every command: 1000.5", "GENERATE AC: 600000", 1),
  ]

  @Test(arguments: budgets.indices)
  func `times are compared by command and for the whole tap`(_ row: Int) throws {
    let (kept, broken, count) = Self.budgets[row]
    #expect(try TranscriptReplay.failures(Self.visa, "milliseconds: {\(kept)}") == [])
    let failures = try TranscriptReplay.failures(Self.visa, "milliseconds: {\(broken)}")
    #expect(failures.count == count, "\(failures)")
    #expect(failures.allSatisfy { $0.contains("expected at most") }, "\(failures)")
  }

  @Test func `a tap that breaks off: the link error and the reason`() throws {
    let expect = "outcome: try again, status: {SELECT AID: 9000}"
    #expect(try TranscriptReplay.failures(Self.visa, expect, exchanges: 2) == [])
    let wrong = try TranscriptReplay.failures(Self.visa, "error: [cardRemoved, busy]", exchanges: 2)
    #expect(wrong == ["exchange 3, GET PROCESSING OPTIONS: link: expected cardRemoved or busy, got recordingDiffers"])
    let none = try TranscriptReplay.failures(Self.visa, "error: cardRemoved")
    #expect(none == ["link: expected cardRemoved, got no link error"])
    #expect(try TranscriptReplay.failures(Self.visa, "reason: LEFT BEFORE", exchanges: 2) == [])
    #expect(try TranscriptReplay.failures(Self.visa, "reason: expired").count == 1)
    let silent = try TranscriptReplay.failures(Self.visa, "status: {exchange 3: 9000}", exchanges: 2)
    #expect(silent == ["exchange 3, GET PROCESSING OPTIONS: status word: expected 9000, got no response"])
  }

  @Test func `cardholder data are masked on both sides`() throws {
    let failures = try TranscriptReplay.failures(
      Self.visa, "tags: {5A: 4000001234562009, 5F20: 00, 57: 4761739001010010D3012201}")
    #expect(failures.count == 3)
    for failure in failures {
      for secret in ["4000001234562009", "4761739001010010", "544553", "TEST"] { #expect(!failure.contains(secret)) }
    }
    #expect(failures.first?.contains("expected 400000******2009, got 476173******0010") == true)
    let near = try TranscriptReplay.failures(Self.visa, "tags: {5A: 4761739999990010}")
    #expect(near.first?.hasSuffix("which differs where it is masked") == true, "\(near)")
  }
}
