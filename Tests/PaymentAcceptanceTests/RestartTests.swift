import EMVData
import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import Testing

/// A field to which cards come as a script says.
struct ScriptedField: CardField {
  enum Tap {
    /// A card that responses, and how long it was waited for.
    case card([ScriptedChannel.Answer], wait: Duration = .seconds(1))
    case noCard(LinkError.Code)
  }

  var taps: [Tap]
  let clock: ManualClock
  private(set) var holds: [Duration] = []
  private(set) var timeouts: [Duration] = []
  private(set) var commands: [[[UInt8]]] = []

  init(_ taps: [Tap], clock: ManualClock) {
    self.taps = taps
    self.clock = clock
  }

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    holds.append(hold)
    timeouts.append(timeout)
    clock.advance(by: hold)
    visitor.fieldIsOn()
    switch taps.isEmpty ? .noCard(.timedOut) : taps.removeFirst() {
    case .noCard(let code): throw LinkError(code, "the script says so")
    case .card(let answers, let wait):
      clock.advance(by: wait)
      var channel = ScriptedChannel(answers, clock: clock)
      visitor.visit(&channel)
      commands.append(channel.commands)
    }
  }
}

@Suite struct RestartTests {
  let clock = ManualClock()
  let host = FixedHost()

  static let locked = [Script.directory, Script.application, Script.status(0x6986)].map { octets in
    ScriptedChannel.Answer.octets(octets)
  }
  static let torn: [ScriptedChannel.Answer] = [
    .octets(Script.directory), .octets(Script.application), .failure(.cardRemoved),
  ]
  static let whole = Script.whole.map { ScriptedChannel.Answer.octets($0) }

  func accept(
    _ taps: [ScriptedField.Tap], _ limits: RestartLimits = RestartLimits()
  ) throws(AcceptanceFailure) -> (PaymentReceipt, ScriptedField) {
    guard let configuration = try? Script.configuration(), let request = try? Script.request(configuration) else {
      preconditionFailure("the fixtures are there")
    }
    let terminal = PaymentAcceptance(
      configuration: configuration, host: host, clock: clock, random: SeededRandomSource(seed: 1), restarts: limits)
    var field = ScriptedField(taps, clock: clock)
    return (try terminal.accept(request, at: &field), field)
  }

  @Test func `a payment that is approved at the first tap does not restart`() throws {
    let (receipt, field) = try accept([.card(Self.whole)])
    #expect(receipt.outcome.kind == .approved)
    #expect(receipt.restarts.isEmpty)
    #expect(field.holds == [.zero])
    #expect(host.asked.count == 1)
  }

  @Test func `a locked phone and a torn card are tried again, each with a number of its own`() throws {
    let (receipt, field) = try accept([.card(Self.locked), .card(Self.torn), .card(Self.whole)])
    #expect(receipt.outcome.kind == .approved)
    #expect(receipt.restarts.map(\.kind) == [.seePhone, .tryAgain])
    #expect(receipt.restarts.map(\.start) == [.directory, .directory])
    #expect(receipt.restarts.map(\.message) == [.seePhone, .presentAgain])
    #expect(receipt.restarts.map(\.exchangeCount) == [3, 6])
    #expect(field.holds == [.zero, .milliseconds(1300), .zero])
    #expect(receipt.exchanges.map(\.tap) == [1, 1, 1, 2, 2, 2, 3, 3, 3, 3])
    #expect(receipt.exchanges.map(\.number) == Array(1...10))
    #expect(receipt.failures.map(\.code) == [.status(.commandNotAllowed), .linkLost])
    // The number is the last of the data; the amount is the same.
    let sent = field.commands.map { $0[2] }
    #expect(Set(sent.map { $0.suffix(5) }).count == 3)
    #expect(Set(sent.map { $0.prefix(20) }).count == 1)
    #expect(host.asked.count == 1)
  }

  @Test(arguments: 1...3)
  func `a payment without restarts left ends the application with the limit as its reason`(limit: Int) throws {
    let taps = Array(repeating: ScriptedField.Tap.card(Self.locked), count: 10)
    let (receipt, field) = try accept(taps, RestartLimits(count: limit))
    #expect(receipt.outcome.kind == .endApplication)
    #expect(receipt.outcome.restart == nil)
    #expect(receipt.outcome.failure == StepFailure(.restart, .restartLimit(.count(limit))))
    #expect(receipt.restarts.count == limit)
    #expect(field.commands.count == limit + 1)
    #expect(host.asked.isEmpty)
  }

  @Test func `without restarts the outcome is that of the first tap`() throws {
    let (receipt, _) = try accept([.card(Self.locked), .card(Self.whole)], RestartLimits(count: 0))
    #expect(receipt.outcome.kind == .seePhone)
    #expect(receipt.outcome.restart == .directory)
  }

  @Test(arguments: [(19, 3), (20, 2), (30, 2)])
  func `the time limit holds for all taps together`(seconds: Int, taps: Int) throws {
    let script = Array(repeating: ScriptedField.Tap.card(Self.locked, wait: .seconds(seconds)), count: 10)
    let (receipt, field) = try accept(script, RestartLimits(count: 20, duration: .seconds(40)))
    #expect(receipt.outcome.failure?.code == .restartLimit(.time(.seconds(40))))
    #expect(field.commands.count == taps)
    #expect(field.timeouts.first == .seconds(40))
    #expect(field.timeouts.allSatisfy { $0 > .zero })
  }

  @Test func `a card that does not come back in time ends the application`() throws {
    let (receipt, _) = try accept([.card(Self.locked), .noCard(.timedOut)])
    #expect(receipt.outcome.failure?.code == .restartLimit(.time(.seconds(60))))
    #expect(receipt.outcome.kind == .endApplication)
  }

  @Test(arguments: [LinkError.Code.readerUnavailable, .serviceUnavailable, .stopped, .protocolViolation])
  func `a link that fails for good gives an error with the restarts`(code: LinkError.Code) throws {
    do throws(AcceptanceFailure) {
      _ = try accept([.card(Self.locked), .card([.octets(Script.directory), .failure(code)])])
      Issue.record("the payment went on")
    } catch {
      #expect(error.linkError?.code == code)
      #expect(error.restarts.count == 1)
      #expect(error.exchanges.count == 5)
    }
  }

  @Test func `a payment without any card fails with the link's error`() throws {
    do throws(AcceptanceFailure) {
      _ = try accept([.noCard(.timedOut)])
      Issue.record("the payment went on")
    } catch { #expect(error.linkError?.code == .timedOut) }
  }

  static let silent: [ScriptedChannel.Answer] = [.failure(.cardRemoved)]

  @Test(arguments: [0, 3])
  func `a card that leaves before its first response is not part of the payment`(restarts: Int) throws {
    let limits = RestartLimits(count: restarts)
    let (receipt, field) = try accept([.card(Self.silent), .card(Self.silent), .card(Self.whole)], limits)
    #expect(receipt.outcome.kind == .approved)
    #expect(receipt.restarts.isEmpty)
    #expect(receipt.failures.isEmpty)
    #expect(receipt.exchanges.map(\.tap) == [1, 1, 1, 1])
    #expect(receipt.record.cards.count == 1)
    #expect(receipt.record.random == SeededRandomSource(seed: 1).octets(12).suffix(4))
    #expect(field.holds == [.zero, .zero, .zero])
  }

  @Test func `a card that stays and fails at once ends the payment after one attempt`() throws {
    let failing = ScriptedField.Tap.card([.failure(.protocolViolation)])
    do throws(AcceptanceFailure) {
      _ = try accept([failing, .card(Self.whole)], RestartLimits(count: 0))
      Issue.record("the payment continued")
    } catch {
      #expect(error.linkError?.code == .protocolViolation)
      #expect(error.exchanges.count == 1)
    }
  }

  @Test func `cards that leave at once are awaited no longer than the time limit`() throws {
    let taps = Array(repeating: ScriptedField.Tap.card(Self.silent, wait: .seconds(30)), count: 4)
    do throws(AcceptanceFailure) {
      _ = try accept(taps, RestartLimits(count: 0))
      Issue.record("the payment continued")
    } catch {
      #expect(error.linkError?.code == .cardRemoved)
      #expect(error.exchanges.count == 1)
    }
  }

  @Test func `a response of 0 bytes is a torn tap, which is tried again, and one of 1 byte is not`() throws {
    let begun = Self.torn.dropLast()
    let (receipt, _) = try accept([.card(begun + [.octets([])]), .card(Self.whole)])
    #expect(receipt.outcome.kind == .approved && receipt.restarts.map(\.kind) == [.tryAgain])
    #expect(receipt.exchanges.map(\.failure).contains(.transmissionFailed))
    let failure = #expect(throws: AcceptanceFailure.self) {
      _ = try accept([.card(begun + [.octets([0x90])]), .card(Self.whole)])
    }
    #expect(failure?.linkError?.code == .protocolViolation)
  }

  @Test func `a card that is torn when no restart is left gives the link's error`() throws {
    do throws(AcceptanceFailure) {
      _ = try accept([.card(Self.locked), .card(Self.torn)], RestartLimits(count: 1))
      Issue.record("the payment went on")
    } catch {
      #expect(error.linkError?.code == .cardRemoved)
      #expect(error.outcome?.kind == .tryAgain)
    }
  }
}
