import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Fixtures
import ISO7816
import Links
import Octets
import PaymentSupport
import TestSupport
import Testing
import WalletDatabase

/// Cards that keep their rights, on a machine that has other work.
@Suite("Honest taps", .timeLimit(.minutes(120)))
struct HonestTapTests {
  private static let commands = CardTap.shipped.first { $0.card == "visa-cvn18" }.map(\.commands) ?? []
  /// How many taps one card is used for: its counter has two bytes.
  private static let tapsPerCard = 20_000

  @Test func `no card that keeps its rights is refused beside four busy processes`() async throws {
    let scratch = try Scratch()
    let device = try StoredDevice(path: scratch.path("device"))
    try device.apply([.setPasscode, .enrolBiometric])
    let wallet = Wallet(store: try SQLiteWalletStore(directory: scratch.path("wallet")), device: device.ports)
    try await wallet.configure(.biometricOnly)
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    let commands = try Self.commands.map { try [UInt8](hex: $0) }
    // Each ends by itself when this process is killed: the limit is in seconds of the processor.
    let busy = try (0..<4).map { _ in
      try ProgramRun("sh", ["-c", "ulimit -t \(Soak.isOn ? 7200 : 600); while :; do :; done"])
    }
    let taps = Soak.isOn ? 100_000 : 1_000
    for tap in 0..<taps {
      let card = "card-\(tap / Self.tapsPerCard)"
      if tap % Self.tapsPerCard == 0 {
        try await wallet.add(card, image, keys: TestCard.keys(for: image, uses: Self.tapsPerCard))
      }
      let loopback = Loopback()
      let responses = try await CardPresentation(wallet: wallet, digitalCard: card).present(on: loopback) {
        try await DedicatedThread(named: "terminal") { () throws(LinkError) in try Self.send(commands, over: loopback) }
          .value()
      }
      try #require(CardTap.cryptograms(in: responses).count == 1, "tap \(tap): \(responses)")
    }
    withExtendedLifetime(busy) {}
  }

  private static func send(_ commands: [[UInt8]], over loopback: Loopback) throws(LinkError) -> [String] {
    var channel = try loopback.connect(timeout: .seconds(60))
    var responses: [String] = []
    for command in commands {
      var room = [UInt8](repeating: 0, count: shortResponseCapacity)
      let count = try room.withMutableOctets { (room) throws(LinkError) in
        try channel.transmit(command.span, into: &room)
      }
      responses.append(Array(room[..<count]).hex)
    }
    return responses
  }
}
