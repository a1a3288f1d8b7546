import CardExploration
import ContactlessPayment
import EMVIssuer
import Links
import PaymentAcceptance
import PaymentSimulation
import ProgramSupport
import ReaderKinds
import Synchronization
import Transcripts

extension PlaceKind {
  /// A card in this process.
  static let loopback = PlaceKind(
    prefix: "loopback", placeholder: "CARDFILE", hasOwnCard: true,
    open: { file, options in
      let image = try CardFiles.card(file, faults: options.faults != nil)
      let faults: LoopbackPayment.Faults? = try options.faults.map { format in
        let plan = try CardFiles.faultPlan(file)
        return { FaultyLink($0, plan: plan) { Console.note($0, as: format) } }
      }
      return try await LoopbackPlace(
        image: image, payments: options.payments, isVerified: options.isVerified, faults: faults,
        known: try ShippedCards.all(), keys: options.keys ?? .publicTest)
    }, card: { try await loopbackCard($0) })

  /// An armed card of a file, for commands without a payment. It leaves when a payment with it is complete.
  private static func loopbackCard(_ file: String) async throws -> CardPlace {
    let image = try CardFiles.card(file)
    var side = CardPresentation(wallet: try await ProvisionedWallet(card: image, leastUses: 1).wallet)
    // A person types the commands.
    side.terms.limits.emulation = .seconds(3600)
    let loopback = Loopback()
    let session = try await side.present(on: loopback)
    return CardPlace(
      PoweredReader(name: "loopback") { (timeout) throws(LinkError) in try loopback.connect(timeout: timeout) },
      close: {
        await session.cancel()
        await session.finished()
      })
  }
}

extension LinkKind {
  /// The terminal in this process: the shipped one for every card, which asks for 12.34 EUR.
  static let loopback = LinkKind(
    prefix: "loopback", placeholder: nil,
    open: { _, _ in LoopbackTerminal().device })
}

/// The terminal of `--link loopback`. It keeps the result of its last payment.
final class LoopbackTerminal: Sendable {
  private let latest = Mutex<PaymentResult?>(nil)

  /// The place where a card is presented to it. The result is kept before the link of the card ends.
  var device: LinkDevice {
    .ready {
      let configuration = try ShippedTerminal.forEveryCard()
      let request = try PaymentOrder(amount: "12.34", currency: "978").request(at: configuration)
      self.latest.withLock { $0 = nil }
      return PaymentAcceptance(configuration: configuration, host: NoHost()).loopback(for: request) { result in
        self.latest.withLock { $0 = result }
      }
    }
  }

  /// The result of the last payment; nil when the terminal saw no card.
  var result: PaymentResult? { latest.withLock(\.self) }
}

extension PlaceKind {
  /// A recorded card; for a scenario also a directory of recorded cards.
  static let replay = PlaceKind(
    prefix: "replay", placeholder: "FILE", isRecorded: true, takesReaderCommands: true,
    open: { file, options in try ReplayedCard(file: file, keys: options.keys) },
    card: { file in
      let transcript = try RecordingFile.transcript(at: file)
      let reader = PoweredReader(name: file) { (_) throws(LinkError) in ReplayChannel(transcript) }
      return CardPlace(reader, hasNextCard: false)
    })
}

extension ReplayedCard {
  /// The recording of a file. Its host decides as recorded, unless an issuer's keys are given.
  init(file: String, keys: IssuerKeys?) throws {
    let transcript = try RecordingFile.transcript(at: file)
    self.init(transcript) {
      guard keys == nil, let recorded = transcript[.host] else { return ShippedCards.host(keys) }
      return RecordedHost(recorded)
    }
  }
}
