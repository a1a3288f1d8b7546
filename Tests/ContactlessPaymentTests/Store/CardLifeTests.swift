import ContactlessPayment
import Testing

@Suite("The states of a card")
struct CardLifeTests {
  typealias State = DigitalCard.State

  /// The allowed actions and the states to which they lead.
  static let table: [State: [CardAction: State]] = [
    .inactive: [.activate: .active, .retire: .retired],
    .active: [.suspend: .suspended, .retire: .retired],
    .suspended: [.resume: .active, .retire: .retired],
    .retired: [:],
  ]

  @Test(arguments: State.allCases)
  func `every action in every state leads to the state of the table or is refused`(_ state: State) async throws {
    for action in CardAction.allCases {
      let test = try await TestWallet()
      try await test.wallet.setState(state, of: "card")
      let expected = Self.table[state]?[action]
      #expect(state.after(action) == expected, "\(action) in \(state)")
      let apply = { (wallet: Wallet) async throws(WalletError) in
        switch action {
        case .activate: try await wallet.activate("card")
        case .suspend: try await wallet.suspend("card")
        case .resume: try await wallet.resume("card")
        case .retire: try await wallet.retire("card")
        }
      }
      let refusal = WalletError.cardStateDoesNotAllowRequestedOperation(state, action)
      do throws(WalletError) {
        try await apply(test.wallet)
        #expect(expected != nil, "\(action) in \(state)")
      } catch {
        #expect(error == refusal)
        #expect(error.description.contains(state.rawValue))
        #expect(expected == nil, "\(action) in \(state)")
      }
      #expect(try await test.wallet.cards()[0].state == expected ?? state)
    }
  }

  @Test func `an unknown card is neither suspended nor deleted, and a deleted card is removed`() async throws {
    let test = try await TestWallet()
    await #expect(throws: WalletError.store(.unknownCard("other"))) { try await test.wallet.suspend("other") }
    await #expect(throws: WalletError.store(.unknownCard("other"))) { try await test.wallet.delete("other") }
    try await test.wallet.delete("card")
    #expect(try await test.wallet.cards().isEmpty)
  }
}
