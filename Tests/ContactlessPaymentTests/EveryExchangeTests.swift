import ContactlessPayment
import DeviceAuthentication
import EMVCard
import EMVData
import ISO7816
import Links
import Octets
import PaymentSupport
import Synchronization
import Testing

/// A link that reports a reset of its field as a deselection.
private struct DeselectingLink: EmulationLink {
  private struct Deselected<Base: CommandResponder & ~Copyable>: ~Copyable, CommandResponder {
    var base: Base

    consuming func release() -> Base { base }

    mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
      base.fieldChanged(event == .reset ? .deselected : event, at: instant)
    }

    mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
      base.respond(to: command, at: instant, into: &response)
    }

    mutating func responseSent() { base.responseSent() }
  }

  let base: Loopback

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    var card = Deselected(base: consume responder)
    do throws(LinkError) {
      try base.serve(&card)
      responder = card.release()
    } catch {
      responder = card.release()
      throw error
    }
  }

  func stop() { base.stop() }
}

@Suite("One verification and one payment, torn at every exchange", .timeLimit(.minutes(60)))
struct EveryExchangeTests {
  enum Tear: CaseIterable { case fieldLoss, reset, deselection }

  static let uses = 9
  static let rounds = 4

  /// Sends a tap over a loopback again and again, torn after one exchange, and at last whole.
  private static func responses(
    to commands: [String], tornAfter exchange: Int, by tear: Tear, over loopback: Loopback
  ) async throws -> [String] {
    let octets = try commands.map { try [UInt8](hex: $0) }
    return try await DedicatedThread(named: "terminal") { () throws(LinkError) -> [String] in
      var responses: [String] = []
      // The session may end meanwhile, and takes its card away.
      do throws(LinkError) {
        var channel = try loopback.connect(timeout: .seconds(3600))
        for round in 0...rounds {
          if round > 0, tear == .fieldLoss { channel = try loopback.connect(timeout: .seconds(3600)) }
          for command in octets.prefix(round < rounds ? exchange + 1 : octets.count) {
            var room = [UInt8](repeating: 0, count: shortResponseCapacity)
            let count = try room.withMutableOctets { (room) throws(LinkError) in
              try channel.transmit(command.span, into: &room)
            }
            responses.append(Array(room[..<count]).hex)
          }
          if tear == .fieldLoss { channel.close() } else { channel.reset() }
        }
        channel.close()
      } catch  where error.code == .cardRemoved {}
      return responses
    }.value()
  }

  @Test(arguments: CardTap.shipped)
  func `a torn tap gives at most one cryptogram, and after a real field loss one more for the same terms`(
    _ tap: CardTap
  ) async throws {
    for exchange in tap.commands.indices {
      for tear in Tear.allCases {
        let test = try await TestWallet(uses: Self.uses, card: tap.card)
        let (session, log) = try await test.armedSession()
        let loopback = Loopback(responseTimeout: .seconds(3600), clock: test.clock)
        if tear == .deselection {
          try await session.startEmulation(on: DeselectingLink(base: loopback))
        } else {
          try await session.startEmulation(on: loopback)
        }
        let responses = try await Self.responses(
          to: tap.commands, tornAfter: exchange, by: tear, over: loopback)
        await session.cancel()
        _ = await log.drain()
        await session.finished()

        let place = "exchange \(exchange), \(tear)"
        let payment = TornPayment(
          tap, responses: responses, events: log.events, usesSpent: try await Self.uses - test.paymentsLeft(),
          firstCounter: test.firstCounter(of: tap.aid))
        #expect(payment.faults(limit: tear == .fieldLoss ? 2 : 1) == [], "\(place)")
        #expect(test.device.promptCount(.biometric) == 1, "\(place)")
      }
    }
  }

  @Test func `all shipped cards are in the table`() throws {
    #expect(Set(CardTap.shipped.map(\.card)) == Set(try CardTap.cards()))
    #expect(CardTap.shipped.count >= 15)
  }
}
