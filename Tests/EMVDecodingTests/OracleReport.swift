import Fixtures
import Foundation

/// The report of another decoder (emv-bertlv) on a recording, read line by line.
struct OracleReport {
  /// A data element with its reported values.
  struct Element {
    let depth: Int
    let tag: String
    let text: String
    /// Bits reported as set, as `2.7`: byte 2, bit 7.
    var bits: Set<String> = []
    /// Entries of a list: tag and length.
    var entries: [String] = []
    /// Rules of a CVM list, as hexadecimal.
    var rules: [String] = []
    /// Records of an AFL, as `3.1`.
    var records: [String] = []
  }

  /// A command and its response.
  struct Exchange {
    let title: String
    var status: String?
    var command: [Element] = []
    var response: [Element] = []
  }

  var exchanges: [Exchange] = []
  /// Lines of an unknown form.
  var strange: [String] = []

  init(_ name: String) throws {
    for line in String(decoding: try Fixtures.data("Vectors/emv-bertlv/\(name)-out.txt"), as: UTF8.self)
      .split(whereSeparator: \.isNewline)
    {
      read(String(line))
    }
  }

  private mutating func read(_ line: String) {
    if line.hasPrefix("C-APDU: ") { return exchanges.append(Exchange(title: String(line.dropFirst(8)))) }
    if line.hasPrefix("R-APDU: ") { return exchanges[exchanges.count - 1].status = String(line.dropFirst(8).prefix(4)) }
    let depth = (line.count - line.drop { $0 == " " }.count) / 2
    let body = line.drop { $0 == " " }
    if depth > 0, let element = Self.element(body, depth) { return append(element) }
    if !readDetail(body) { strange.append(line) }
  }

  private mutating func append(_ element: Element) {
    let last = exchanges.count - 1
    if exchanges[last].status == nil {
      exchanges[last].command.append(element)
    } else {
      exchanges[last].response.append(element)
    }
  }

  /// `9F02 (amount authorized): 000000010001`
  private static func element(_ body: Substring, _ depth: Int) -> Element? {
    guard let match = body.wholeMatch(of: /([0-9A-F]{2,6}) \(([^)]*)\):(.*)/), !match.2.hasPrefix("Byte ") else {
      return nil
    }
    return Element(depth: depth, tag: String(match.1), text: match.3.hasPrefix(" ") ? String(match.3.dropFirst()) : "")
  }

  private mutating func readDetail(_ body: Substring) -> Bool {
    if let match = body.wholeMatch(of: /([0-9A-F]+) \(Byte (\d) Bit (\d)\): .*/) {
      // A line of zeros reports a bit that is not set: "Magstripe Mode Only Supported".
      if match.1.contains(where: { $0 != "0" }) { change { $0.bits.insert("\(match.2).\(match.3)") } }
      return true
    }
    if let match = body.wholeMatch(of: /Byte (\d) Bit (\d) = 1: .*/) {
      change { $0.bits.insert("\(match.1).\(match.2)") }
      return true
    }
    if let match = body.wholeMatch(of: /([0-9A-F]{2,6}) \(.*\) (\d+) bytes/) {
      change { $0.entries.append("\(match.1) \(match.2)") }
      return true
    }
    if let match = body.wholeMatch(of: /([0-9A-F]{4}): .*/) {
      change { $0.rules.append(String(match.1)) }
      return true
    }
    if let match = body.wholeMatch(of: /SFI (\d+) records? (\d+)(?:-(\d+))?/) {
      let first = Int(match.2) ?? 0
      let last = match.3.flatMap { Int($0) } ?? first
      change { element in element.records += (first...last).map { "\(match.1).\($0)" } }
      return true
    }
    return Self.known.contains { body.hasPrefix($0) }
  }

  private mutating func change(_ body: (inout Element) -> Void) {
    let last = exchanges.count - 1
    if exchanges[last].status == nil {
      let index = exchanges[last].command.count - 1
      if index >= 0 { body(&exchanges[last].command[index]) }
    } else {
      let index = exchanges[last].response.count - 1
      if index >= 0 { body(&exchanges[last].response[index]) }
    }
  }

  /// Lines that are not compared, with the reason.
  static let known = [
    // The content of certificates and signatures needs a CA key; this decoder does not open them.
    "Recovered using", "Header:", "Format:", "Identifier (PAN prefix):", "Expiry Date (MMYY):", "Serial number:",
    "Hash", "Public key", "Trailer:", "PAN:", "Dynamic data length:", "ICC dynamic number",
    "Cryptogram information data:",
    "Cryptogram:", "Transaction data hash code:", "Data Auth Code:",
    // Parts of issuer application data: the bits are compared, the numbers have tests of their own.
    "Key Derivation index:", "Derivation key index:", "Cryptogram version number:", "Card verification results:",
    "DAC/ICC Dynamic Number", "Plaintext/Encrypted Counters:", "Issuer discretionary data:", "Byte 1 Bit 8 =",
    "Byte 1 Bit 6 =", "Byte 2 Bit 8 =", "Byte 2 Bit 6 =", "Byte 3 Bits", "Byte 4 Bits",
    // CVM results are three lines there and one here.
    "5E: Signature", "03: If terminal supports CVM", "00: Unknown",
    // The data of EXTERNAL AUTHENTICATE: here they are decoded as tag 91.
    "ARPC:", "Issuer Specific:",
    // A response without a status word: the other decoder stops, this one shows it with a remark.
    "00000000: Failed to decode",
  ]
}
