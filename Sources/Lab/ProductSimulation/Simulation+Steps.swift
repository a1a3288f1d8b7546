internal import ContactlessPayment
internal import Foundation
internal import Octets
internal import SimulationRules

// What a step does.
extension Simulation {
  /// Performs a step.
  ///
  /// - Returns: How it ended, in words.
  func perform(_ step: SimulationStep, _ number: Int) async -> String {
    network.begin(plan(of: step, number))
    let phone = phones[step.phone]
    do {
      switch step.kind {
      case .repeatRequest: return repeatRequest(of: step.till)
      case .restart:
        try await start(phone, step.process, step)
        return "started"
      case .copyFolder:
        try phone.copyFolder()
        return "copied"
      case .putCopyBack: return try phone.putCopyBack() ? "put back" : "no copy"
      case .replaceLock:
        phone.replaceLock()
        facts.add(.lockRemoved(phone: phone.number))
        return "replaced"
      case .stopCard, .deactivate: return await operate(step, phone)
      case .restartServer, .backUp, .restoreBackup, .rotateKeys, .reload: return try await maintain(step)
      case .passTime(let seconds):
        pass(seconds: Int64(seconds))
        return "\(clock.now.seconds)"
      case .setDate(let seconds):
        phone.clock.setDate(offBy: Int64(seconds))
        return "\(phone.clock.now.seconds)"
      case .deliverLate: return "\(await network.deliverLate()) messages"
      default: return try await perform(step, with: phone)
      }
    } catch let error as CocoaError {
      // Its text has the values of a dictionary in any order.
      return "\((error as NSError).domain) \((error as NSError).code)"
    } catch { return "\(error)" }
  }

  /// Performs a step for which the process of the wallet runs.
  private func perform(_ step: SimulationStep, with phone: SimulatedPhone) async throws -> String {
    if phone.process(at: step.process) == nil { try await start(phone, step.process, step) }
    guard let process = phone.process(at: step.process) else { return "not running" }
    if case .phone(let fault, let writes) = step.disturbance {
      process.life.plan(Mortality.Plan(writes: writes, event: fault.event))
    }
    defer { process.life.plan(nil) }
    switch step.kind {
    case .pay, .payTorn, .payRefused, .payLate, .payWithdrawn: return try await pay(step, phone, process)
    case .suspend(let isSuspended): return try await suspend(isSuspended, step, phone, process)
    default: return try await contact(step, phone, process)
    }
  }

  /// Lets time pass everywhere.
  func pass(seconds: Int64) {
    clock.pass(seconds: seconds)
    for phone in phones { phone.clock.pass(seconds: seconds) }
    facts.add(.passed(seconds: Int(seconds)))
  }

  /// Performs a step of the administration of a server.
  private func maintain(_ step: SimulationStep) async throws -> String {
    let server = servers[step.server]
    switch step.kind {
    case .backUp: return try await server.backUp()
    case .restoreBackup:
      guard try await server.restoreBackup() else { return "no copy" }
      facts.add(.restored(server: step.server))
      return "restored"
    case .rotateKeys(let seconds):
      return "generation \(try await server.rotateKeys(acceptedFor: seconds, step.process))"
    case .reload: return try await server.reload(uses: 1 + Int(step.amount % 8), step.process)
    default:
      await server.end()
      return "ended"
    }
  }

  /// Starts a process of a phone.
  func start(_ phone: SimulatedPhone, _ place: Int, _ step: SimulationStep) async throws {
    guard try await phone.start(place, draw: step.draw) else { return }
    facts.add(.added(card: phone.number, phone: phone.number, server: nil))
  }

  private func plan(of step: SimulationStep, _ number: Int) -> SimulatedNetwork.Plan {
    var plan = SimulatedNetwork.Plan(step: number, process: step.process)
    switch step.disturbance {
    case .message(let fault, let count): (plan.fault, plan.messages) = (fault, count)
    case .server(let fault, let writes): plan.server = Mortality.Plan(writes: writes, event: fault.event)
    case .phone, nil: break
    }
    return plan
  }

  /// The card of a step; nil for a wallet without cards.
  func card(of step: SimulationStep, _ process: PhoneProcess) async throws -> DigitalCard? {
    let cards = try await process.wallet.cards()
    return cards.isEmpty ? nil : cards[cards.count - 1 - step.card % cards.count]
  }

  /// The number of a card.
  func number(of card: DigitalCard, _ phone: SimulatedPhone) -> Int {
    card.issuer == nil ? phone.number : register.number(of: card.id)
  }

  private func suspend(
    _ isSuspended: Bool, _ step: SimulationStep, _ phone: SimulatedPhone, _ process: PhoneProcess
  ) async throws -> String {
    guard let card = try await card(of: step, process) else { return "no card" }
    if isSuspended {
      try await process.wallet.suspend(card.id)
    } else {
      try await process.wallet.resume(card.id)
    }
    let number = number(of: card, phone)
    facts.add(.suspended(card: number, isSuspended: isSuspended))
    return "card \(number)"
  }
}

extension SimulationStep.ProcessFault {
  /// What happens to the process.
  var event: Mortality.Event {
    switch self {
    case .killedBefore: .killedBefore
    case .killedAfter: .killedAfter
    case .full: .full
    }
  }
}
