internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

/// The times of the relay resistance protocol, and EXCHANGE RELAY RESISTANCE DATA (in kernel 8 the same command and
/// answer: EMV Contactless Book C-8).
struct RelayTimes {
  /// In units of 100 microseconds: the least and the most processing time, and the transmission time of the response.
  private let times: [UInt16]

  /// Reads `relayResistance` of an application; nil when it is absent.
  init?(_ application: inout ObjectReader) {
    let times = application.object(Self.key) { reader -> [Int] in
      let before = reader.problems.count
      let minimum = reader.integer("minimum", in: 0...0xFFFF)
      let maximum = reader.integer("maximum", in: 0...0xFFFF)
      if minimum > maximum, reader.problems.count == before {
        reader.note("minimum", "\(minimum): it is above the maximum, \(maximum)")
      }
      return [minimum, maximum, reader.integer("transmission", in: 0...0xFFFF)]
    }
    guard let times else { return nil }
    self.times = times.map { UInt16($0) }
  }

  /// `relayResistance` of a profile.
  static let key = ProfileKey(
    "relayResistance",
    .object([
      ProfileKey("minimum", .integer, isRequired: true, range: 0...0xFFFF, help: "The least processing time."),
      ProfileKey("maximum", .integer, isRequired: true, range: 0...0xFFFF, help: "The most processing time."),
      ProfileKey(
        "transmission", .integer, isRequired: true, range: 0...0xFFFF, help: "The transmission time of the response."),
    ]),
    help:
      "The times of the relay resistance protocol in units of 100 microseconds; tag 82 byte 2 bit 1 is 1 with them.",
    source: "EMV Contactless Book C-8")

  /// The command and its answer: 4 bytes of entropy, then the times.
  var program: CommandProgram {
    let entropy = [UInt8](repeating: 0, count: RelayEntropy.count)
    let data = TLVNode(.responseFormat1, entropy + times.flatMap(\.bigEndianOctets)).encoded
    return CommandProgram(
      0x80EA, .exchangeRelayData, in: .initiated, next: .initiated,
      values: DataObjectList(entries: [.init(tag: .unpredictableNumber, count: RelayEntropy.count)]),
      answer: .init(data, [.entropy(at: 2)]))
  }
}
