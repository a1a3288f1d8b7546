@testable import ContactlessPayment
import DeviceAuthentication
import EMVCard
import Foundation
import ISO7816
import Links
import Octets
import Synchronization
import Testing

/// A terminal behind a link of its own that repeats a tap without end: it sends the commands, then does something to
/// the field, and begins again. Keeps every response.
private final class RepeatingTerminal: EmulationLink {
  private let rounds: Int
  private let event: FieldEvent
  private let commands: @Sendable (Int) -> [String]
  private let received = Mutex<[String]>([])

  init(rounds: Int, _ event: FieldEvent, commands: @escaping @Sendable (Int) -> [String]) {
    self.rounds = rounds
    self.event = event
    self.commands = commands
  }

  var responses: [String] { received.withLock(\.self) }

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    let instant = Instant(nanoseconds: 0)
    var isPowered = false
    for round in 0..<rounds {
      if !isPowered { responder.fieldChanged(.powered, at: instant) }
      for command in commands(round) {
        let octets = (try? [UInt8](hex: command)) ?? []
        var room = [UInt8](repeating: 0, count: shortResponseCapacity)
        let count = room.withMutableOctets { responder.respond(to: octets.span, at: instant, into: &$0) }
        responder.responseSent()
        received.withLock { $0.append(Array(room[..<count]).hex) }
      }
      responder.fieldChanged(event, at: instant)
      isPowered = event == .reset
    }
  }

  func stop() {}
}

@Suite("A terminal that asks for one cryptogram after another")
struct FurtherUseTests {
  static let rounds = 100
  static let taps: [(card: String, commands: [String])] = [
    ("visa-cvn18", [Tap.select, Tap.options]), ("mastercard-cvn16", Tap.mastercard),
  ]

  /// The number of different cryptograms, tag 9F26, among responses; a card that refuses can return one of zeros.
  private static func cryptograms(in responses: [String]) -> Int {
    let values = responses.compactMap { response in
      response.range(of: "9F2608").map { String(response[$0.upperBound...].prefix(16)) }
    }
    return Set(values).subtracting([String(repeating: "0", count: 16)]).count
  }

  /// Runs one session at a terminal that asks `rounds` times.
  ///
  /// - Returns: The number of cryptograms that the terminal received, and the error of the session.
  private func cryptograms(
    of card: String = "visa-cvn18", after event: FieldEvent, limits: SessionLimits = .standard,
    _ commands: @escaping @Sendable (Int) -> [String]
  ) async throws -> (count: Int, error: ContactlessPaymentSession.Error?) {
    let test = try await TestWallet(uses: Self.rounds + 1, card: card)
    let (session, log) = try await test.armedSession(limits: limits)
    let terminal = RepeatingTerminal(rounds: Self.rounds, event, commands: commands)
    try await session.startEmulation(on: terminal)
    #expect(await log.drain().count { $0 == "authenticationCompleted" } == 1)
    await session.finished()
    let count = Self.cryptograms(in: terminal.responses)
    #expect(try await test.paymentsLeft() == Self.rounds + 1 - count)
    return (count, log.lastFailure)
  }

  @Test(arguments: taps.indices, [FieldEvent.reset, .deselected])
  func `a terminal that resets or deselects the card and asks again gets one cryptogram`(
    _ tap: Int, _ event: FieldEvent
  ) async throws {
    let (card, commands) = Self.taps[tap]
    let (count, error) = try await cryptograms(of: card, after: event) { _ in commands }
    #expect(count == 1)
    // A Mastercard payment is complete with its cryptogram; a Visa card still has records to read.
    #expect(error == (tap == 0 ? .furtherUseRefused(.fieldNotLost) : nil))
  }

  @Test(arguments: taps.indices)
  func `a terminal that resets the card over a loopback 100 times gets one cryptogram`(_ tap: Int) async throws {
    let (card, commands) = Self.taps[tap]
    let test = try await TestWallet(uses: Self.rounds + 1, card: card)
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let octets = try commands.map { try [UInt8](hex: $0) }
    let responses = try await DedicatedThread(named: "terminal") { () throws(LinkError) -> [String] in
      var channel = try loopback.connect(timeout: .seconds(600))
      var responses: [String] = []
      do throws(LinkError) {
        for _ in 0..<Self.rounds {
          for command in octets {
            var room = [UInt8](repeating: 0, count: shortResponseCapacity)
            let count = try room.withMutableOctets { (room) throws(LinkError) in
              try channel.transmit(command.span, into: &room)
            }
            responses.append(Array(room[..<count]).hex)
          }
          channel.reset()
        }
      } catch  where error.code == .cardRemoved {}
      return responses
    }.value()
    #expect(Self.cryptograms(in: responses) == 1)
    await session.cancel()
    _ = await log.drain()
    await session.finished()
    #expect(try await test.paymentsLeft() == Self.rounds)
  }

  @Test func `a terminal that switches its field off each time gets two cryptograms`() async throws {
    let (count, error) = try await cryptograms(after: .lost) { _ in [Tap.select, Tap.options] }
    #expect(count == 2)
    #expect(error == .furtherUseRefused(.noneLeft(limit: 1)))
  }

  @Test(arguments: [0, 1, 3, 10])
  func `the retry limit is the number of further uses`(_ limit: Int) async throws {
    let limits = SessionLimits(retries: try RetryPolicy(limit: limit))
    let (count, error) = try await cryptograms(after: .lost, limits: limits) { _ in [Tap.select, Tap.options] }
    #expect(count == limit + 1)
    #expect(error?.code == .transmissionError)
  }

  @Test(arguments: [
    Tap.options(amount: "000000005066"), Tap.options(currency: "0840"), Tap.options(type: "20"),
  ])
  func `a further use for another amount, currency or type is refused and not spent`(_ other: String) async throws {
    let limits = SessionLimits(retries: try RetryPolicy(limit: 10))
    let (count, error) = try await cryptograms(after: .lost, limits: limits) { round in
      [Tap.select, round == 0 ? Tap.options : other]
    }
    #expect(count == 1)
    #expect(error == .furtherUseRefused(.otherTerms))
  }

  @Test func `a further use for another application of the card is refused and not spent`() async throws {
    let mastercard = [
      Tap.mastercard[0], Tap.mastercard[1], Tap.mastercard[2].replacing("260131" + "20", with: "260131" + "00"),
    ]
    // A terminal without EMV mode is refused before that, for a reason that does not end the session.
    let withoutEMVMode = [Tap.select, Tap.options.replacing("32804000", with: "12804000")]
    for before in [[], withoutEMVMode] {
      let (count, error) = try await cryptograms(of: "co-badged", after: .lost) { round in
        round == 0 ? [Tap.select, Tap.options] : before + mastercard
      }
      #expect(count == 1)
      #expect(error == .furtherUseRefused(.otherApplication))
    }
  }

  @Test func `a payment that the card has approved by itself has no further use`() async throws {
    let limits = SessionLimits(retries: try RetryPolicy(limit: 10))
    let options = Tap.options(amount: "000000001234").replacing("32804000", with: "36004000")
    let (count, error) = try await cryptograms(of: "visa-fdda", after: .lost, limits: limits) { _ in
      ["00A4040007F000000001101000", options]
    }
    #expect(count == 1)
    #expect(error == .furtherUseRefused(.approved))
  }

  @Test func `the terms of the first cryptogram hold for all further uses`() async throws {
    let limits = SessionLimits(retries: try RetryPolicy(limit: 10))
    let (count, error) = try await cryptograms(after: .lost, limits: limits) { round in
      [Tap.select, round < 3 ? Tap.options : Tap.options(amount: "000000009999")]
    }
    #expect(count == 3)
    #expect(error == .furtherUseRefused(.otherTerms))
  }

  @Test func `every reservation accesses the key of the device, also that of a further use`() async throws {
    let test = try await TestWallet()
    let before = test.device.keyAccessCount
    let (session, log) = try await test.armedSession()
    // Before and after the prompt, and for the reservation.
    #expect(test.device.keyAccessCount == before + 3)
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    _ = try await Tap.send(Tap.whole, over: loopback)
    #expect(await log.drain().last == "transactionCompleted")
    #expect(test.device.keyAccessCount == before + 4)
    await session.finished()
  }

  @Test func `a further use with a lost lock is refused, and the wallet is wiped`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    // The card of this session is not watched: the reservation alone notices.
    await session.unwatch()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    test.device.disableLockScreen()
    _ = try await Tap.send([Tap.select, Tap.options], over: loopback)
    #expect(await log.drain().last == "errorEncountered(authenticationKeyInvalidated)")
    #expect(log.spent.map(\.transactionCounter) == [1])
    await session.finished()
    #expect(try test.store.cards().isEmpty)
  }

  @Test func `a field that is lost after a reset allows the further use`() async throws {
    let test = try await TestWallet()
    let (session, log) = try await test.armedSession()
    let loopback = Loopback(clock: test.clock)
    try await session.startEmulation(on: loopback)
    let first = try await Tap.send([Tap.select, Tap.options], resets: true, over: loopback)
    let second = try await Tap.send(Tap.whole, over: loopback)
    #expect(Self.cryptograms(in: first + second) == 2)
    #expect(
      await log.drain() == [
        "authenticationRequired", "authenticationCompleted", "posConnected", "posDisconnected", "posConnected",
        "transactionCompleted",
      ])
    await session.finished()
    #expect(try await test.paymentsLeft() == 3)
  }
}

extension ContactlessPaymentSession {
  /// Ends the watch of other processes.
  fileprivate func unwatch() { rights = nil }
}
