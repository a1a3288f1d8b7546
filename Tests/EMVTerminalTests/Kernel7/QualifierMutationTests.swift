import EMVData
import EMVTerminal
import ISO7816
import JSON
import Octets
import TestSupport
import Testing

@Suite("Mutated responses of cards of kernels 6 and 7") struct QualifierMutationTests {
  /// 100,000 for each kernel and terminal with CONTACTLESS_SOAK; 2,500 without.
  static let answers = Soak.isOn ? 100_000 : 2_500

  typealias Responder = (CommandAPDU) -> ResponseAPDU

  /// Returns a fresh card for each payment.
  static let cards: [@Sendable () throws -> () -> Responder] = [
    {
      let fresh = try ChipDouble.discover().signing()
      return {
        var card = fresh
        return { card.answer($0) }
      }
    },
    { try responder(UnionPayDouble.card()) }, { try responder(UnionPayDouble.card(related: nil)) },
  ]

  private static func responder(_ fresh: CardDouble) -> () -> Responder {
    {
      var card = fresh
      return { card.answer($0) }
    }
  }

  /// Runs mutated payments and returns their outcomes.
  private static func run(
    _ fresh: () -> Responder, _ configuration: TerminalConfiguration, seed: UInt64, _ check: (PaymentOutcome) -> Void
  ) throws {
    var generator = SplitMix64(seed: seed)
    let request = try Terminals.request("12.34", "EUR", configuration)
    var count = 0
    while count < answers {
      var transaction = try TerminalTransaction(request, configuration: configuration, random: Numbers())
      let answer = fresh()
      var step = transaction.start()
      // The responses up to this number are not mutated.
      var honest = Int.random(in: 0..<7, using: &generator)
      while case .transmit(let command, _) = step {
        let response = answer(command)
        count += honest > 0 ? 0 : 1
        step = transaction.receive(honest > 0 ? response : MutationTests.mutate(response, &generator))
        honest -= 1
      }
      try #require(transaction.commandCount <= configuration.maximumCommandCount)
      if case .outcome(let outcome) = step { check(outcome) }
    }
  }

  /// The terminals of the cards: without an authority no signature is right.
  private static func terminal(_ index: Int, hasAuthority: Bool) throws -> TerminalConfiguration {
    let none: [(String, JSONValue)] = hasAuthority ? [] : [("certificationAuthorities", [])]
    if index == 0 { return try Terminals.discover(none) }
    guard hasAuthority else { return try UnionPayDouble.terminal("36004000", hasAuthority: false) }
    return try UnionPayDouble.terminal("36004000")
  }

  @Test(arguments: cards.indices) func `a terminal without the key of the authority never approves`(
    _ index: Int
  ) throws {
    var kinds: Set<PaymentOutcome.Kind> = []
    try Self.run(Self.cards[index](), Self.terminal(index, hasAuthority: false), seed: UInt64(index + 1)) {
      kinds.insert($0.kind)
    }
    #expect(!kinds.contains(.approved) && kinds.contains(.endApplication), "\(kinds)")
    #expect(kinds.contains(index == 0 ? .onlineRequest : .declined), "\(kinds)")
  }

  @Test(arguments: cards.indices) func `a terminal with the key approves after a right signature only`(
    _ index: Int
  ) throws {
    var kinds: Set<PaymentOutcome.Kind> = []
    try Self.run(Self.cards[index](), Self.terminal(index, hasAuthority: true), seed: UInt64(index + 11)) { outcome in
      kinds.insert(outcome.kind)
      #expect(outcome.kind != .approved || outcome.dataAuthentication == .passed)
      #expect(outcome.kind != .approved || outcome.cryptogram == .tc)
    }
    #expect(kinds.contains(.endApplication), "\(kinds)")
  }
}
