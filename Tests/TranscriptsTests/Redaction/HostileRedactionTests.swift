import EMVData
import ISO7816
import Octets
import TestSupport
import Testing
import Transcripts

/// A tap with a card whose data have one small error in their structure.
private struct HostileTap {
  var generator: SplitMix64
  let pan: String
  /// Packed digits of track 2 after the expiry date and the service code.
  let discretionary: String
  private let hasNumberObject: Bool

  init(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let count = [13, 15, 16, 16, 16, 19].randomElement(using: &generator) ?? 16
    var body = "\(Int.random(in: 2...6, using: &generator))"
    while body.count < count - 1 { body += String(Int.random(in: 0...9, using: &generator)) }
    pan = (0...9).map { body + String($0) }.first { PrimaryAccountNumber(digits: $0)?.hasValidCheckDigit == true } ?? ""
    // As long as the account number leaves room for; 18 digits are not found by chance.
    let rest = 29 - count
    discretionary = (0..<rest).map { _ in String(Int.random(in: 1...9, using: &generator)) }.joined()
    hasNumberObject = Bool.random(using: &generator)
    self.generator = generator
  }

  private var packed: String { pan.count % 2 == 0 ? pan : pan + "F" }
  var track: String { pan + "D2512201" + discretionary + "F" }

  private func object(_ tag: String, _ value: String) -> String {
    let count = value.count / 2
    return tag + (count < 0x80 ? "" : "81") + UInt8(count).hex + value
  }

  private mutating func random(_ count: Int) -> String {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator).hex }.joined()
  }

  private mutating func pairs() -> [(String, String)] {
    let locator = "08010100" + (Bool.random(using: &generator) ? "10010300" : "")
    let account = hasNumberObject ? object("5A", packed) : ""
    let hidden =
      [("50", Array(pan.utf8).hex), ("9F26", packed), ("9F12", Array(pan.utf8).hex), ("57", track)]
      .randomElement(using: &generator) ?? ("", "")
    let label = hidden.0 == "50" || hidden.0 == "9F12" ? object(hidden.0, hidden.1) : object("50", "56495341")
    let cryptogram = hidden.0 == "9F26" && packed.count == 16 ? packed : random(8)
    let further = hidden.0 == "57" ? object("57", hidden.1) : ""
    let application =
      object("84", "A0000000031010")
      + object(
        "A5",
        label + object("9F38", "9F66049F37045F2A02")
          + object("BF0C", object("9F4D", "0B0A") + object("73", object("9F0A", "00010501") + further)))
    let counters = object("9F36", random(2)) + object("9F26", cryptogram) + object("9F27", "80")
    let options = [
      object("82", "2000"), object("94", locator), object("57", track), object("9F10", "06010A03A00000"), counters,
      object("5F34", "01"), object("9F6C", "1600"),
    ].shuffled(using: &generator).joined()
    let record = [
      account, object("5F24", "251231"), object("57", track), object("8C", "9F02069F03069F1A02"),
      object("5F28", "0250"), object("3E", random(4) + "00"), object("9F1F", "303132"),
    ].shuffled(using: &generator).joined()
    return [
      ("00A4040007A0000000031010", object("6F", application)),
      ("80A800000C830A3600400011223344097800", object("77", options)),
      ("00B2010C00", object("70", record)), ("80CA9F3600", object("9F36", random(2))),
    ]
  }

  /// Changes one byte, mostly one of the small values that tags and lengths have.
  private mutating func spoil(_ octets: inout [UInt8]) {
    let small = octets.indices.filter { octets[$0] < 0x40 || octets[$0] & 0x1F == 0x1F || octets[$0] >= 0x80 }
    guard let place = (Bool.random(using: &generator) ? small : Array(octets.indices)).randomElement(using: &generator)
    else { return }
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: octets[place] &+= UInt8.random(in: 1...40, using: &generator)
    case 1: octets[place] &-= UInt8.random(in: 1...8, using: &generator)
    case 2: octets[place] ^= 0x20
    case 3: octets[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
    case 4: octets.insert(UInt8.random(in: 0...0x20, using: &generator), at: place)
    case 5: octets.remove(at: place)
    default: octets[place] = [0x50, 0x94, 0x57, 0x8C, 0x73, 0xB4, 0x3E, 0x9F].randomElement(using: &generator) ?? 0
    }
  }

  mutating func transcript() throws -> Transcript {
    let pairs = pairs()
    let spoilt = Int.random(in: 0..<pairs.count - 1, using: &generator)
    return Transcript(
      exchanges: try pairs.enumerated().map { index, pair in
        var response = try [UInt8](hex: pair.1)
        if index == spoilt { spoil(&response) }
        return Transcript.Exchange(command: try [UInt8](hex: pair.0), response: response + [0x90, 0x00])
      })
  }
}

@Suite("Redaction of malformed cards")
struct HostileRedactionTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func `no account number and no track of a malformed card is left, and redacting again changes nothing`(
    _ seed: UInt64
  ) throws {
    for round in 0..<(Soak.isOn ? 250 : 15) as Range<UInt64> {
      var tap = HostileTap(seed: seed << 32 | round)
      let transcript = try tap.transcript()
      let redacted = transcript.redacted()
      let text = redacted.text
      let isTrackWhole = transcript.text.contains(tap.track)
      for secret in [tap.pan, Array(tap.pan.utf8).hex]
        + (isTrackWhole && tap.discretionary.count >= 13 ? [tap.discretionary] : [])
      {
        #expect(!text.contains(secret), "seed \(seed), round \(round), \(secret):\n\(transcript.text)\n\(text)")
      }
      #expect(redacted.redacted() == redacted, "seed \(seed), round \(round)")
      for (before, after) in zip(transcript.exchanges, redacted.exchanges) {
        #expect(before.command.count == after.command.count && before.response?.count == after.response?.count)
      }
    }
  }

  static let pan = "4761739001010010"
  static let written = Array(pan.utf8).hex
  static let track = "5713" + pan + "D22122011438044000001F"

  private static func zeros(_ count: Int) -> String { String(repeating: "00", count: count) }

  /// Each title with the content of a response template before and after redaction.
  static let structures: [(title: String, content: String, redacted: String)] = [
    ("94 swallows tag 57", "820220009419" + "08010100" + track, "820220009419" + zeros(25)),
    ("an AFL has an invalid entry", "94080801010009010100" + "9F36020001", "9408" + zeros(8) + "9F36020001"),
    ("9F10 of 54 bytes", "9F1036" + track + zeros(33), "9F1036" + zeros(54)),
    ("9F10 of 32 bytes swallows tag 57", "9F1020" + "06010A03A00000" + track + zeros(4), "9F1020" + zeros(32)),
    ("9F4D of 17 bytes", "9F4D11" + "0B0A5A08" + pan + zeros(5), "9F4D11" + zeros(17)),
    ("8C swallows tag 5A", "8C0D" + "9F0206" + "5A08" + pan, "8C0D" + zeros(13)),
    ("a label is an account number", "5010" + written, "5010" + Array(RedactionTests.substitute.utf8).hex),
    ("a cryptogram is an account number", "9F2608" + pan, "9F2608" + RedactionTests.substitute),
    (
      "a URL holds an account number", "5F5013" + "612F" + written + "2F",
      "5F5013612F"
        + Array(RedactionTests.substitute.utf8).hex + "2F"
    ),
    ("9F7C is track 2", "9F7C" + track.dropFirst(2), "9F7C13" + RedactionTests.substitute + "D22122010000000000000F"),
    (
      "a value in B4 is cut off", "B40C" + "9F3602000157" + "13" + pan.prefix(10) + "9F36020001",
      "B40C" + "9F36020001" + zeros(7) + "9F36020001"
    ),
    ("3E holds digits", "3E0A" + "01" + pan + "00" + "9F36020001", "3E0A" + zeros(10) + "9F36020001"),
    (
      "73 is cut off in BF0C", "BF0C0C" + "731457085A08" + pan.prefix(12) + "9F36020001",
      "BF0C0C" + zeros(12) + "9F36020001"
    ),
    (
      "a cryptogram and counters are digits", "9F2608" + "1234567890123456" + "9F36021234",
      "9F2608" + "1234567890123456" + "9F36021234"
    ),
  ]

  @Test(arguments: structures.indices)
  func `bytes of a wrong length and behind a broken place become zeros, others stay`(_ index: Int) throws {
    let (title, content, redacted) = Self.structures[index]
    let answers = try RedactionTests.redacted([
      ("80A8000002830000", "77" + UInt8(content.count / 2).hex + content + "9000")
    ])
    #expect(answers[1] == "77" + UInt8(content.count / 2).hex + redacted + "9000", "\(title)")
  }

  @Test func `a comment that looks like a number beside a substitute is redacted in one step`() throws {
    let redacted = try Transcript(parsing: "# 31 30313030303300 3\n").redacted()
    #expect(redacted.redacted() == redacted)
    #expect(!redacted.text.contains("30313030303300"))
  }

  @Test(arguments: ["\u{6ED}", "\u{301} 5A", "\u{FE0F}"])
  func `a comment that begins with a combining character is read back as it was written`(_ text: String) throws {
    var transcript = Transcript(exchanges: [Transcript.Exchange(command: [0, 0xA4, 4, 0], response: [0x90, 0])])
    transcript.closingNotes = [.comment(text), .comment("next")]
    #expect(try Transcript(parsing: transcript.text) == transcript)
  }
}
