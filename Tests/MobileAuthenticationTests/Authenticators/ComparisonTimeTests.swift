import Octets
import Testing

@testable import MobileAuthentication

/// The time of a comparison does not depend on the entry. Each pair of measurements is made in an order that a coin decides.
/// If the entry makes no difference, either measurement of a pair is the longer one with probability 1/2, whatever else the
/// machine does, and the bounds are exceeded in one of 10⁹ runs at most (Hoeffding's inequality).
@Suite(.timeLimit(.minutes(20))) struct ComparisonTimeTests {
  private static let pairs = 300
  /// 2·exp(-2·t²/300) is 10⁻⁹ for t = 56.7.
  private static let deviation = 57

  /// Counts the pairs in which the first entry takes longer than the second. The same code measures both, since the place of
  /// code in memory alone makes a difference of some nanoseconds.
  private static func wins<Entry>(_ first: Entry, over second: Entry, _ compare: (Entry) -> Void) -> Int {
    let clock = ContinuousClock()
    // Caches and memory are warm before the first pair.
    for _ in 0..<3 { for entry in [first, second] { compare(entry) } }
    var wins = 0
    for _ in 0..<pairs {
      let isFirstFirst = Bool.random()
      let times = (isFirstFirst ? [first, second] : [second, first]).map { entry in clock.measure { compare(entry) } }
      wins += times[0] == times[1] ? Int.random(in: 0...1) : (times[0] > times[1]) == isFirstFirst ? 1 : 0
    }
    return wins
  }

  private static func expectNoDifference(_ wins: Int, location: SourceLocation = #_sourceLocation) {
    let expected = (pairs / 2 - deviation)...(pairs / 2 + deviation)
    #expect(expected.contains(wins), "\(wins) of \(pairs)", sourceLocation: location)
  }

  @Test(arguments: ["000000", "123450", "023456"])
  func `a wrong PIN takes as long as the right one`(_ wrong: String) {
    let hash = SecretHash(of: EnteredSecret("123456"), random: SystemRandomSource(), cost: 4)
    let (right, other) = (EnteredSecret("123456"), EnteredSecret(wrong))
    Self.expectNoDifference(Self.wins(right, over: other) { _ = hash.matches($0) })
  }

  @Test(arguments: [0, 20_000, 39_999])
  func `a difference takes the same time at every place`(_ place: Int) {
    // Long enough that a comparison which ends at the first difference is shorter in every pair. Both bodies read the same two
    // arrays, since the time also depends on where an array lies and on whether the processor still has it in its cache.
    let stored = [UInt8](repeating: 0x5A, count: 40_000)
    var entry = [UInt8](repeating: 0x5A, count: 40_000)
    let wins = Self.wins(0x5A, over: 0x5B) { (byte: UInt8) in
      entry[place] = byte
      _ = constantTimeEqual(stored.span, entry.span)
    }
    Self.expectNoDifference(wins)
  }
}
