import EMVData
import Fixtures
import Foundation
import Links
import Octets
import TestSupport
import Testing

@testable import Transcripts

/// Exchanges that are shown while they come.
@Suite("Exchanges shown one by one")
struct ExchangeDisclosureTests {
  static let testCards: Set<PrimaryAccountNumber> = Set(
    ["4761739001010010"].compactMap { PrimaryAccountNumber(digits: $0) })

  static func exchange(_ command: String, _ response: String) throws -> Transcript.Exchange {
    Transcript.Exchange(command: try [UInt8](hex: command), response: try [UInt8](hex: response))
  }

  static func record(of number: String) throws -> Transcript.Exchange {
    try exchange("00B2010C00", "700A5A08\(number)9000")
  }

  static func shown(
    _ exchanges: [Transcript.Exchange], _ disclosure: inout ExchangeDisclosure
  ) -> [Transcript.Exchange] {
    exchanges.map { disclosure.shown($0) }
  }

  private func disclosure(showsAll: Bool = false) -> ExchangeDisclosure {
    ExchangeDisclosure(Disclosure(showsAll: showsAll, testCards: Self.testCards))
  }

  @Test func `the decodings of an exchange do not depend on the number of exchanges before it`() throws {
    // A card of no test and a response in two parts, again and again.
    let visit = [
      try Self.exchange("00A4040007A000000003101000", "6F098407A00000000310109000"),
      try Self.record(of: "4999999999999996"), try Self.exchange("00B2020C00", "6104"),
      try Self.exchange("00C0000004", "700200009000"),
    ]
    var counts: [Int] = []
    var shown = disclosure()
    for _ in 0..<64 {
      _ = Self.shown(visit, &shown)
      counts.append(shown.decodedCount)
    }
    let steps = zip(counts.dropFirst(), counts).map { $0 - $1 }
    #expect(Set(steps).count == 1, "\(counts)")
    #expect(steps[0] <= visit.count * 2 * 3)
  }

  @Test(arguments: (try? Fixtures.names(in: "Transcripts", ending: ".txt")) ?? [])
  func `each exchange is shown as the last one of all exchanges before it`(_ file: String) throws {
    let text = String(decoding: try Fixtures.data("Transcripts/\(file)"), as: UTF8.self)
    let transcript = try Transcript(parsing: text)
    let whole = Disclosure(showsAll: false, testCards: Self.testCards)
    var shown = ExchangeDisclosure(whole)
    for count in 1...transcript.exchanges.count {
      var part = Transcript(exchanges: Array(transcript.exchanges.prefix(count)))
      part = whole.shown(part)
      #expect(shown.shown(transcript.exchanges[count - 1]) == part.exchanges.last, "\(file), exchange \(count)")
    }
  }

  @Test func `the number of a test card is shown until another number comes, and from then on both are replaced`()
    throws
  {
    var shown = disclosure()
    let own = try Self.record(of: "4761739001010010")
    #expect(shown.shown(own) == own)
    let other = try Self.record(of: "4999999999999996")
    #expect(shown.shown(other).response != other.response)
    #expect(shown.shown(other).response == shown.shown(other).response)
    var all = disclosure(showsAll: true)
    #expect(all.shown(other) == other)
  }

  @Test func `a number in two parts of a response is hidden in the second part`() throws {
    var shown = disclosure()
    _ = shown.shown(try Self.exchange("00B2010C00", "700A5A08499999996106"))
    let rest = shown.shown(try Self.exchange("00C0000006", "999999969000"))
    #expect(rest.response?.hex != "999999969000")
  }

  @Test func `parts without an end are forgotten after the most parts of a response`() throws {
    var shown = disclosure()
    _ = shown.shown(try Self.exchange("00B2010C00", "706101"))
    var counts: [Int] = []
    for _ in 0..<1024 {
      _ = shown.shown(try Self.exchange("00C0000001", "006101"))
      counts.append(shown.decodedCount)
    }
    let steps = zip(counts.dropFirst(), counts).map { $0 - $1 }
    // At most 256 commands and the response of which they fetch parts, a few times each.
    #expect((steps.max() ?? 0) <= 258 * 3)
  }
}
