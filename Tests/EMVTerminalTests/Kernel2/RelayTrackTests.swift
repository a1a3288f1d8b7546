import ISO7816
import JSON
import Octets
import Testing

@testable import EMVTerminal

@Suite("Track 2 with a distance measurement") struct RelayTrackTests {
  private static let short = "5413330089600044D1412201"
  private static let long = "5413330089600044123D1412201"

  /// The track without discretionary data, tag 8F, repetitions, the card's number, the time, and the discretionary data.
  @Test(
    arguments: [
      (short, 0x05, 1, "FFFF0A00", 123, "5165535010012"), (short, 0x0A, 0, "0001FF00", 99_999, "0000001255999"),
      (short, nil, 2, "01020304", 9, "0200258003000"), (long, 0x01, 0, "01020304", 10, "1000258001"),
    ] as [(String, UInt8?, Int, String, Int, String)])
  func `the discretionary data hold index, repetitions, number and time`(
    _ track: String, _ index: UInt8?, _ tries: Int, _ entropy: String, _ time: Int, _ digits: String
  ) throws {
    let measurement = RelayMeasurement(furtherTries: tries, entropy: octets(entropy), time: time)
    let whole = track.count.isMultiple(of: 2) ? "\(track)01" : "\(track)0"
    let rewritten = try #require(measurement.rewritten(octets(whole), authorityIndex: index))
    #expect(rewritten.hex == "\(track)\(digits)F")
  }

  @Test func `a track without a separator is left as it is`() {
    let measurement = RelayMeasurement(furtherTries: 0, entropy: [1, 2, 3, 4], time: 1)
    #expect(measurement.rewritten(octets("5413330089600044"), authorityIndex: 1) == nil)
  }

  @Test func `the host gets the measurement of a payment without CDA`() throws {
    var card = MastercardDouble()
    card.profile = octets("1B81")
    let configuration = try Terminals.configuration(setting: ["applications[1].kernel2.configuration": "B0"])
    let outcome = try Terminals.tap(&card, "12.34", "EUR", configuration).outcome
    #expect(outcome.kind == .onlineRequest)
    let track = try #require(outcome.authorizationRequest?.value(0x57)?.hex)
    let discretionaryData = ["00", "00258", "003", "000"].joined()
    #expect(track.hasPrefix("5413330089600044D1412201\(discretionaryData)"))
  }
}
