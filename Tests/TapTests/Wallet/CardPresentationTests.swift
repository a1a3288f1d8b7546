import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVTerminal
import Fixtures
import Links
import Octets
import PaymentAcceptance
import PaymentSimulation
import Synchronization
import TestSupport
import Testing

/// A card that waits for a terminal for longer than a verification is valid.
@Suite("A card that waits for a terminal", .timeLimit(.minutes(20)))
struct CardPresentationTests {
  private let verifications = Verifications()

  private func presentation() async throws -> CardPresentation {
    let image = try CardImage(json: [UInt8](Fixtures.data("Cards/visa-cvn18.json")))
    var side = CardPresentation(wallet: try await ProvisionedWallet(card: image, leastUses: 9).wallet)
    side.terms.limits.verificationValidity = .milliseconds(100)
    return side
  }

  private func count(_ event: ContactlessPaymentSession.Event) {
    if case .authenticationRequired = event { verifications.add() }
  }

  @Test func `the cardholder is verified again until the time is over`() async throws {
    let rests = Mutex([Duration]())
    let event = try await presentation().pay(
      waiting: .seconds(3),
      on: { rest in
        rests.withLock { $0.append(rest) }
        return Loopback()
      }, observer: { count($0) })
    #expect(verifications.count > 3)
    // Each round is given the time that is left.
    let given = rests.withLock(\.self)
    #expect(given.first == .seconds(3) && given.last.map { $0 > .zero } == true)
    #expect(zip(given, given.dropFirst()).allSatisfy { $0 > $1 })
    if case .errorEncountered(.maxSessionDurationReached, let spent) = event {
      #expect(spent.isEmpty)
    } else {
      Issue.record("\(event)")
    }
  }

  @Test func `a session is not repeated after a cryptogram`() async throws {
    let links = Mutex(0)
    let event = try await presentation().pay(
      waiting: .seconds(600),
      on: { _ in
        let loopback = Loopback()
        let number = links.withLock { links in
          links += 1
          return links
        }
        // From the third on, a card meets a terminal that asks for a cryptogram and leaves the field on. On a busy machine
        // its verification may be over before that.
        if number >= 3 { Self.takeCryptogram(over: loopback) }
        return loopback
      }, observer: { count($0) })
    #expect(verifications.count >= 3 && verifications.count == links.withLock(\.self))
    if case .errorEncountered(_, let spent) = event {
      #expect(spent.map(\.transactionCounter) == [1])
    } else {
      Issue.record("\(event)")
    }
  }

  private static func takeCryptogram(over loopback: Loopback) {
    _ = DedicatedThread(named: "terminal") { () throws(LinkError) in
      var channel = try loopback.connect(timeout: .seconds(600))
      for command in [
        "00A4040007A000000003101000",
        "80A8000023832132804000000000005065000000000000027600000000000978260131" + "0052BF458500",
      ] {
        guard let octets = try? [UInt8](hex: command) else { return }
        var room = [UInt8](repeating: 0, count: 256 + 2)
        _ = try room.withMutableOctets { (room) throws(LinkError) in try channel.transmit(octets.span, into: &room) }
      }
      // Until the card has left.
      var room = [UInt8](repeating: 0, count: 256 + 2)
      let record: [UInt8] = [0x00, 0xB2, 0x01, 0xFC, 0x00]
      while true {
        _ = try room.withMutableOctets { (room) throws(LinkError) in try channel.transmit(record.span, into: &room) }
      }
    }
  }
}

/// Counts the verifications of a cardholder.
private final class Verifications: Sendable {
  private let number = Mutex(0)

  var count: Int { number.withLock(\.self) }
  func add() { number.withLock { $0 += 1 } }
}
