import ContactlessPayment
import ISO7816
import Links
import Octets
import Testing

@Suite("The card that a wallet presents without a payment")
struct UnarmedCardTests {
  /// Returns a card's responses to commands.
  private func answers(_ card: DigitalCard?, _ commands: [String]) async throws -> [String] {
    let loopback = Loopback()
    let thread = DedicatedThread<Void, LinkError>(named: "card") { () throws(LinkError) in
      var unarmed = UnarmedCard(card)
      try loopback.serve(&unarmed)
    }
    let answers = try await Tap.send(commands, over: loopback)
    loopback.stop()
    try await thread.value()
    return answers
  }

  @Test func `the unarmed card has the default card's directory or the wallet's and returns no cryptogram`()
    async throws
  {
    let test = try await TestWallet()
    let own = try await answers(test.wallet.cards()[0], [Tap.directory, Tap.select, Tap.options])
    #expect(own[0].contains("A0000000031010"))
    #expect(own.map { String($0.suffix(4)) } == ["9000", "9000", "6986"])
    let custom = "6F1F840E325041592E5359532E4444463031A50DBF0C0A61084F06A00000000301"
    try await test.wallet.setCustomPPSE([UInt8](hex: custom), of: "card")
    #expect(try await answers(test.wallet.cards()[0], [Tap.directory]) == [custom + "9000"])
    // A damaged directory in the store is replaced by the card's own.
    try test.store.setCustomDirectory([UInt8](repeating: 0x6F, count: 300), of: "card")
    #expect(try await answers(test.wallet.cards()[0], [Tap.directory]) == [own[0]])
  }

  @Test func `SELECT returns 6A82 without a card that is active`() async throws {
    let commands = [Tap.directory, Tap.select, Tap.options, "00"]
    let refusals = ["6A82", "6A82", "6985", "6985"]
    #expect(try await answers(nil, commands) == refusals)
    let test = try await TestWallet()
    for state in DigitalCard.State.allCases where state != .active {
      try await test.wallet.setState(state, of: "card")
      #expect(try await answers(test.wallet.cards()[0], commands) == refusals)
    }
  }
}
