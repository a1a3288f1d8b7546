import ContactlessPayment
import EMVCard
import EMVTerminal
import Links
import Octets

/// A tap with card and terminal in this process, each on its own thread.
struct LoopbackTap: Sendable {
  let image: CardImage

  /// Verifies the holder, presents the card, takes the payment and ends the session.
  func run(_ request: PaymentRequest, at terminal: TerminalSide) async throws -> TerminalSide.Result {
    let side = CardSide(wallet: try await ProvisionedWallet(card: image).wallet)
    let loopback = Loopback()
    let session = try await side.present(on: loopback)
    let result = try await DedicatedThread(named: "terminal") { () throws(LinkError) -> TerminalSide.Result in
      terminal.accept(request, over: try loopback.connect(timeout: .seconds(5)))
    }.value()
    await session.cancel()
    await session.finished()
    return result
  }
}
