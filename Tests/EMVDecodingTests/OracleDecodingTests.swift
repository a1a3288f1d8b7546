import EMVData
import EMVDecoding
import Fixtures
import Foundation
import ISO7816
import Octets
import Testing

/// Recordings decoded here and by another decoder, compared tag by tag for structure and values.
@Suite("Decoding against another decoder")
struct OracleDecodingTests {
  static let names = ["amex-cda", "contact-visa", "contactless-mastercard", "contactless-msd"]

  static func exchanges(_ name: String) throws -> [(command: [UInt8], response: [UInt8])] {
    let lines = try String(decoding: Fixtures.data("Vectors/emv-bertlv/\(name)-in.txt"), as: UTF8.self)
      .split(whereSeparator: \.isNewline).map { try [UInt8](hex: $0) }
    return stride(from: 0, to: lines.count - 1, by: 2).map { (lines[$0], lines[$0 + 1]) }
  }

  static let titles: [String: String] = [
    "Select": "SELECT", "GPO": "GET PROCESSING OPTIONS", "Read Record": "READ RECORD", "GetData": "GET DATA",
    "Generate AC": "GENERATE AC", "External Authenticate": "EXTERNAL AUTHENTICATE",
    "Compute checksum": "COMPUTE CRYPTOGRAPHIC CHECKSUM",
  ]

  @Test(arguments: names)
  func `every line of the other report has a known form`(_ name: String) throws {
    #expect(try OracleReport(name).strange == [])
  }

  @Test(arguments: names)
  func `commands, data elements, values and bits are the same`(_ name: String) throws {
    let report = try OracleReport(name)
    let exchanges = try Self.exchanges(name)
    #expect(report.exchanges.count == exchanges.count)
    var context = DecodingContext()
    for (theirs, exchange) in zip(report.exchanges, exchanges) {
      let kernelBefore = context.application
      let (command, response) = context.decode(command: exchange.command, response: exchange.response, unmasked: true)
      let title = Self.titles.first { theirs.title.hasPrefix($0.key) }?.value
      #expect(command.label == title, "\(theirs.title)")
      let kernel = (context.application ?? kernelBefore).flatMap(ContactlessKernel.init)
      if !theirs.command.isEmpty {
        let data = try #require(command.children.first { $0.label.hasSuffix(" data") })
        Self.compare(data.children, theirs.command, exchange.command, kernel, theirs.title)
      }
      guard let status = theirs.status else {
        // Without a status word the other decoder stops; this one shows the data.
        #expect(response.fault?.text == "no status word (6xxx or 9xxx) at the end")
        continue
      }
      #expect(response.fault == nil && command.fault == nil, "\(theirs.title)")
      #expect(response.text == status)
      Self.compare(response.children.filter { $0.tag != nil }, theirs.response, exchange.response, kernel, theirs.title)
    }
  }

  static func flattened(_ nodes: [DecodedNode], _ depth: Int = 1) -> [(depth: Int, node: DecodedNode)] {
    nodes.flatMap { [(depth, $0)] + flattened($0.children, depth + 1) }
  }

  static func compare(
    _ nodes: [DecodedNode], _ theirs: [OracleReport.Element], _ octets: [UInt8], _ kernel: ContactlessKernel?,
    _ title: String
  ) {
    let ours = flattened(nodes)
    #expect(
      ours.map { "\($0.depth) \($0.node.tag?.description ?? "")" } == theirs.map { "\($0.depth) \($0.tag)" }, "\(title)"
    )
    for (our, their) in zip(ours, theirs) {
      let value = Array(octets[our.node.content])
      #expect(says(their.text, value, our.node), "\(title): \(their.tag) is \(value.hex), theirs \(their.text)")
      let details = our.node.details
      let bits = Set(details.compactMap { $0.wholeMatch(of: /byte (\d) bit (\d): .*/).map { "\($0.1).\($0.2)" } })
      #expect(bits == their.bits, "\(title): bits of \(their.tag)")
      let entries = details.compactMap {
        $0.wholeMatch(of: /([0-9A-F]{2,6}) .*, (\d+) bytes?/).map { "\($0.1) \($0.2)" }
      }
      #expect(entries == their.entries, "\(title): entries of \(their.tag)")
      if !their.rules.isEmpty {
        let rules = CardholderVerificationMethodList(value)?.rules.map { [$0.method, $0.condition].hex }
        #expect(rules == their.rules, "\(title): rules of \(their.tag)")
        #expect(details.count == their.rules.count + 1)
      }
      if !their.records.isEmpty {
        let records = (try? ApplicationFileLocator(parsing: value))?.records.map { "\($0.sfi).\($0.record)" }
        #expect(records == their.records, "\(title): records of \(their.tag)")
      }
    }
  }

  /// Country and currency codes (ISO 3166-1, ISO 4217) of these recordings.
  static let codes = ["BEL": "0056", "SGP": "0702", "AUS": "0036", "AUD": "0036", "EUR": "0978"]

  /// Whether a text of the other report is a value: as hexadecimal, shortened or not; as characters; as a decimal
  /// number; as a country or currency; as a cryptogram's type.
  static func says(_ text: String, _ value: [UInt8], _ node: DecodedNode) -> Bool {
    if text == value.hex || text == String(decoding: value, as: UTF8.self) { return true }
    if let cut = text.range(of: "...") {
      return value.hex.hasPrefix(text[..<cut.lowerBound]) && value.hex.hasSuffix(text[cut.upperBound...])
    }
    if value.count <= 8, Int(text) == value.reduce(0, { $0 << 8 | Int($1) }) { return true }
    if let code = codes[String(text.prefix(3))] { return code == value.hex }
    return node.tag == .cryptogramInformationData
      && node.details.first == text.split(separator: " ").first.map(String.init)
  }

  @Test func `the comparison covers every kind of line`() throws {
    let count = try Self.names.map {
      try OracleReport($0).exchanges.reduce(0) { $0 + $1.command.count + $1.response.count }
    }
    #expect(count.reduce(0, +) > 180)
  }
}
