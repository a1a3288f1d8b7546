import DeviceAuthentication
import Fixtures
import EMVCard
import Foundation
import ISO7816
import Links
import Octets
import Synchronization
import Testing

@testable import ContactlessPayment

@Suite("The rights of an armed card", .timeLimit(.minutes(20)))
struct ArmedRightsTests {
  private let clock = ManualClock()
  private let monitor = GatedMonitor()
  private let page = WithdrawalPage()
  private let exchange = CardExchange()
  private let findings = Findings()
  private let rights: ArmedRights
  private let image: CardImage

  init() async throws {
    let test = try await TestWallet()
    image = test.image
    let subject = PaymentSubject(
      store: test.store, device: monitor, card: try await test.wallet.cards()[0].number,
      key: try test.store.binding()?.key.identifier, needsEnrolment: true, page: page)
    rights = try ArmedRights(subject, on: clock) { [exchange, findings] finding in
      exchange.revoke()
      findings.note(finding)
    }
    await rights.watch.settled()
  }

  /// An armed card whose application a terminal has selected.
  private func selected() throws -> ServedCard {
    var card = ServedCard(Card(image: image), exchange: exchange, clock: clock, until: Instant(nanoseconds: .max))
    exchange.put(TestArming.arming(for: image, counters: [7], deadline: Instant(nanoseconds: .max)), rights)
    card.fieldChanged(.powered, at: clock.now)
    #expect(try Self.answer(Tap.select, &card, clock) == "9000")
    return card
  }

  private static func answer(_ command: String, _ card: inout ServedCard, _ clock: ManualClock) throws -> String {
    let octets = try [UInt8](hex: command)
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    let count = room.withMutableOctets { card.respond(to: octets.span, at: clock.now, into: &$0) }
    card.responseSent()
    return Array(room[(count - 2)..<count]).hex
  }

  /// Moves the clock while readings wait, so that the last one keeps its age.
  private func age(by duration: Duration) {
    monitor.set(isOpen: false)
    clock.advance(by: duration)
  }

  @Test func `a command needs no reading when the last one is 100 ms old`() throws {
    var card = try selected()
    age(by: .milliseconds(100))
    #expect(try Self.answer(Tap.options, &card, clock) == "9000")
    monitor.set(isOpen: true)
  }

  @Test func `a command waits for a reading when the last one is older than 100 ms, and is answered after it`()
    async throws
  {
    var card = try selected()
    let begun = monitor.begun
    age(by: .milliseconds(101))
    let opening = DedicatedThread<Void, Never>(named: "opening") { [monitor] in
      while monitor.begun == begun { usleep(500) }
      monitor.set(isOpen: true)
    }
    #expect(try Self.answer(Tap.options, &card, clock) == "9000")
    #expect(monitor.begun > begun)
    await opening.value()
    #expect(findings.texts == [])
  }

  @Test(arguments: [DeviceCondition.keyLost, .nothingEnrolled])
  func `a reading that finds a loss takes the keys before the command`(_ status: DeviceCondition) throws {
    var card = try selected()
    age(by: .milliseconds(101))
    monitor.set(isOpen: true, .success(status))
    #expect(try Self.answer(Tap.options, &card, clock) == "6986")
    #expect(findings.texts == ["\(status)"])
  }

  @Test func `a command is refused when no reading ends within 1 s`() throws {
    var card = try selected()
    age(by: .milliseconds(101))
    #expect(try Self.answer(Tap.options, &card, clock) == "6986")
    #expect(findings.texts.first?.hasPrefix("unavailable") == true)
    monitor.set(isOpen: true)
  }

  @Test func `a command is refused when the device cannot be read for 1 s`() throws {
    var card = try selected()
    age(by: .milliseconds(101))
    monitor.set(isOpen: true, .failure(.busy("in use")))
    #expect(try Self.answer(Tap.options, &card, clock) == "6986")
    #expect(findings.texts.first?.hasPrefix("unavailable") == true)
  }

  @Test(arguments: [1, nil, 2] as [Int64?])
  func `a withdrawal between two commands takes the keys, and one from another card does not`(_ number: Int64?) throws {
    var card = try selected()
    let own = Int64(number == 2 ? 2 : 1)
    page.raise(forCard: number)
    #expect(try Self.answer(Tap.options, &card, clock) == (own == 2 ? "9000" : "6986"))
    #expect(exchange.isRevoked == (own != 2))
  }

  @Test func `a card is announced from its command until its response has left`() throws {
    var card = try selected()
    #expect(page.processesStillAnswering() == [])
    let octets = try [UInt8](hex: Tap.options)
    var room = [UInt8](repeating: 0, count: shortResponseCapacity)
    _ = room.withMutableOctets { card.respond(to: octets.span, at: clock.now, into: &$0) }
    #expect(page.processesStillAnswering() == [getpid()])
    card.responseSent()
    #expect(page.processesStillAnswering() == [])
    _ = room.withMutableOctets { card.respond(to: octets.span, at: clock.now, into: &$0) }
    card.fieldChanged(.lost, at: clock.now)
    #expect(page.processesStillAnswering() == [])
  }
}

/// What a watch has found.
private final class Findings: Sendable {
  private let found = Mutex<[String]>([])

  var texts: [String] { found.withLock { $0 } }

  func note(_ finding: PaymentFinding) { found.withLock { $0.append("\(finding)") } }
}

/// A monitor whose readings wait until a test lets them go on.
private final class GatedMonitor: DeviceMonitor {
  private struct State {
    var isOpen = true
    var answer = Result<DeviceCondition, DeviceAuthenticationError>.success(.usable)
    var begun = 0
  }

  private let state = Mutex(State())

  var mayBlock: Bool { true }
  /// How many readings have begun.
  var begun: Int { state.withLock(\.begun) }

  func set(isOpen: Bool, _ answer: Result<DeviceCondition, DeviceAuthenticationError> = .success(.usable)) {
    state.withLock { ($0.isOpen, $0.answer) = (isOpen, answer) }
  }

  func status(of key: KeyIdentifier, needsEnrolment: Bool) throws(DeviceAuthenticationError) -> DeviceCondition {
    state.withLock { $0.begun += 1 }
    while !state.withLock(\.isOpen) { usleep(500) }
    return try state.withLock(\.answer).get()
  }
}
