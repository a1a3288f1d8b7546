import EMVTerminal
import ISO7816
import JSON
import Octets
import TestSupport
import Testing

@Suite("Mutated responses of cards of kernels 4 and 5") struct ChipMutationTests {
  /// 100,000 for each kernel and terminal with CONTACTLESS_SOAK; 2,500 without.
  static let answers = Soak.isOn ? 100_000 : 2_500

  static let cards: [@Sendable () throws -> ChipDouble] = [
    { try ChipDouble.americanExpress().signing() }, { try ChipDouble.jcb().signing() },
  ]

  /// Runs mutated payments and returns their outcomes.
  private static func run(
    _ fresh: ChipDouble, _ configuration: TerminalConfiguration, seed: UInt64, _ check: (PaymentOutcome) -> Void
  ) throws {
    var generator = SplitMix64(seed: seed)
    let request = try Terminals.request("12.34", "EUR", configuration)
    var count = 0
    while count < answers {
      var transaction = try TerminalTransaction(request, configuration: configuration, random: Numbers())
      var card = fresh
      var step = transaction.start()
      let honest = Int.random(in: 0..<7, using: &generator)
      while case .transmit(let command, _) = step {
        let answer = card.answer(command)
        let mutates = card.commands.count > honest
        count += mutates ? 1 : 0
        step = transaction.receive(mutates ? MutationTests.mutate(answer, &generator) : answer)
      }
      try #require(transaction.commandCount <= configuration.maximumCommandCount)
      if case .outcome(let outcome) = step { check(outcome) }
    }
  }

  @Test(arguments: cards.indices)
  func `a terminal that asks its host never approves`(_ index: Int) throws {
    var kinds: Set<PaymentOutcome.Kind> = []
    try Self.run(
      Self.cards[index](), Terminals.allKernels([("terminalType", "21")]), seed: UInt64(index + 1)
    ) { kinds.insert($0.kind) }
    #expect(!kinds.contains(.approved))
    #expect(kinds.isSuperset(of: [.onlineRequest, .endApplication]), "\(kinds)")
  }

  @Test(arguments: cards.indices)
  func `a terminal that approves offline approves the cryptogram of a right signature only`(_ index: Int) throws {
    try Self.run(Self.cards[index](), Terminals.allKernels(), seed: UInt64(index + 11)) { outcome in
      guard outcome.kind == .approved else { return }
      #expect(outcome.dataAuthentication == .passed)
      #expect(outcome.authorizationRequest?.cryptogram == octets("1122334455667788"))
    }
  }
}
