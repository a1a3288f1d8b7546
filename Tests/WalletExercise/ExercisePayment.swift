import ContactlessPayment
import ISO7816
import Links
import Octets

/// A payment at a terminal in this process.
enum ExercisePayment {
  /// Verifies the cardholder and reads the card once. Returns the last event.
  ///
  /// - Parameter isCancelled: Whether the cardholder cancels before a terminal comes.
  static func pay(_ wallet: Wallet, isCancelled: Bool = false) async throws -> ContactlessPaymentSession.Event? {
    let session = try await wallet.makePaymentSession()
    await session.startPayment()
    var last: ContactlessPaymentSession.Event?
    for await event in session.events {
      last = event
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted where isCancelled: await session.cancel()
      case .authenticationCompleted: try await session.startEmulation(on: terminal())
      case .posConnected, .posDisconnected, .transactionCompleted, .errorEncountered: break
      }
    }
    await session.finished()
    return last
  }

  /// Reads a Visa card once: SELECT, GET PROCESSING OPTIONS for 12.34 EUR, and the two records.
  private static let commands = [
    "00A4040007A000000003101000",
    "80A8000023832132804000000000001234000000000000027600000000000978261120004D2C1B0A00",
    "00B2010C00", "00B2011C00",
  ]

  /// Puts a terminal on a new loopback for one tap, and then takes the card away.
  private static func terminal() throws -> Loopback {
    let octets = try commands.map { try [UInt8](hex: $0) }
    let loopback = Loopback()
    _ = DedicatedThread(named: "terminal") {
      defer { loopback.stop() }
      guard var channel = try? loopback.connect(timeout: .seconds(60)) else { return }
      for command in octets {
        var room = [UInt8](repeating: 0, count: shortResponseCapacity)
        _ = try? room.withMutableOctets { (room) throws(LinkError) in
          try channel.transmit(command.span, into: &room)
        }
      }
      channel.close()
    }
    return loopback
  }
}
