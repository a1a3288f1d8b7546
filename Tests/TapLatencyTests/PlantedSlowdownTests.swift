import EMVCard
import Fixtures
import ISO7816
import Links
import Octets
import TapLatency
import TestSupport
import Testing

/// Slowdowns that are planted in a card and in a link, measured in turns on the clock of this machine and beside its other work.
@Suite("Planted slowdowns", .blocks, .serialized, .timeLimit(.minutes(20)))
struct PlantedSlowdownTests {
  /// The time in which a card selects its directory some times, in nanoseconds.
  static func computation(_ count: Int) throws -> Int64 {
    var card = Card(image: try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json"))))
    let (clock, command) = (SystemClock(), CommandAPDU.select(name: Array("2PAY.SYS.DDF01".utf8)).encoded)
    card.fieldChanged(.powered, at: clock.now)
    var room = [UInt8](repeating: 0, count: 258)
    let begun = clock.now
    for _ in 0..<count {
      let count = room.withMutableOctets { card.respond(to: command.span, at: begun, into: &$0) }
      try #require(count > 2)
    }
    return (clock.now - begun).nanoseconds
  }

  /// The time of an exchange with a card on a thread of its own that responds after some time, in nanoseconds.
  static func exchange(after delay: Duration) async throws -> Int64 {
    let loopback = Loopback()
    let card = DedicatedThread(named: "card") { () throws(LinkError) in
      var responder = ScriptedResponder(otherwise: [0x90, 0x00], pace: .slow(delay))
      try loopback.serve(&responder)
    }
    let time = try await DedicatedThread(named: "terminal") { () throws(LinkError) -> Int64 in
      var channel = try loopback.connect(timeout: .seconds(5))
      defer { channel.close() }
      let (clock, command) = (SystemClock(), [0x00, 0xB2, 0x01, 0x0C, 0x00] as [UInt8])
      var room = [UInt8](repeating: 0, count: 258)
      let begun = clock.now
      try room.withMutableOctets { (room) throws(LinkError) in _ = try channel.transmit(command.span, into: &room) }
      return (clock.now - begun).nanoseconds
    }.value()
    loopback.stop()
    _ = try? await card.value()
    return time
  }

  /// Measures in turns.
  static func compare(
    rounds: Int, tolerance: Double, _ measure: (PairedRounds.Side) async throws -> Int64
  ) async throws -> PairedComparison {
    var found: [PairedRounds.Round] = []
    for round in 0..<rounds {
      var times: (before: Int64, now: Int64) = (0, 0)
      for side in PairedRounds.order(ofRound: round) {
        let time = try await measure(side)
        switch side {
        case .before: times.before = time
        case .now: times.now = time
        }
      }
      found.append(.init(before: times.before, now: times.now))
    }
    return try #require(PairedComparison("planted", PairedRounds(found), tolerance: tolerance))
  }

  @Test func `a doubled computation of a card is found`() async throws {
    let comparison = try await Self.compare(rounds: 30, tolerance: 0.1) { side in
      try Self.computation(side == .now ? 1_000 : 500)
    }
    #expect(comparison.verdict == .slower, "\(comparison.line)")
  }

  @Test(.enabled(if: Soak.isOn)) func `5 % more computation of a card are found`() async throws {
    let comparison = try await Self.compare(rounds: 200, tolerance: 0.01) { side in
      try Self.computation(side == .now ? 10_500 : 10_000)
    }
    #expect(comparison.verdict == .slower, "\(comparison.line)")
  }

  @Test(.enabled(if: Soak.isOn)) func `2 ms more in a link of 20 ms are found`() async throws {
    let comparison = try await Self.compare(rounds: 60, tolerance: 0.02) { side in
      try await Self.exchange(after: .milliseconds(side == .now ? 22 : 20))
    }
    #expect(comparison.verdict == .slower, "\(comparison.line)")
  }

  @Test(.enabled(if: Soak.isOn)) func `of 20 comparisons of a computation with itself at most one is a false alarm`()
    async throws
  {
    var alarms: [String] = []
    for _ in 1...20 {
      let comparison = try await Self.compare(rounds: 30, tolerance: 0) { _ in try Self.computation(5_000) }
      if comparison.verdict != .notToldApart { alarms.append(comparison.line) }
    }
    #expect(alarms.count <= 1, "\(alarms)")
  }
}
