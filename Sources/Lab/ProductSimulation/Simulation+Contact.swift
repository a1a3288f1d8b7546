internal import AccessMessages
internal import AccessServer
internal import CardProvisioning
internal import ContactlessPayment
internal import MobileAuthentication
internal import SimulationRules
internal import WalletAccess

// Steps in which a phone has contact with a server.
extension Simulation {
  /// Performs a step with contact, and observes which cards it changes.
  func contact(_ step: SimulationStep, _ phone: SimulatedPhone, _ process: PhoneProcess) async throws -> String {
    let server = try await server(of: step, process)
    let before = phone.hasLostLock ? [] : try await process.wallet.cards()
    let outcome: Result<String, any Error>
    do {
      outcome = .success(try await performContact(step, phone, process))
    } catch { outcome = .failure(error) }
    if let server, let after = try? await process.wallet.cards() {
      for card in before where !after.contains(where: { $0.id == card.id && $0.state == card.state }) {
        let owner = servers.first { $0.origin == card.issuer }?.number
        facts.add(.changed(card: number(of: card, phone), of: owner, by: server))
      }
    }
    return try outcome.get()
  }

  /// The server of a step; nil for the test issuer.
  private func server(of step: SimulationStep, _ process: PhoneProcess) async throws -> Int? {
    guard step.kind == .replenish else { return step.server }
    let issuer = try await card(of: step, process)?.issuer
    return servers.first { $0.origin == issuer }?.number
  }

  private func performContact(
    _ step: SimulationStep, _ phone: SimulatedPhone, _ process: PhoneProcess
  ) async throws -> String {
    let link = process.links[step.server]
    let coordinator = AuthenticationCoordinator(link.access)
    switch step.kind {
    case .logIn: return try await phone.logIn(process, at: step.server) ?? "was logged in"
    case .enterWrongPIN:
      _ = try await coordinator.logOutIfInactive()
      if try await DeviceCoordinator(link.access).isLoggedIn() { _ = try await coordinator.logout() }
      _ = try await coordinator.login(pin: EnteredSecret("9999"))
      return "accepted"
    case .logOut: return "server informed: \(try await coordinator.logout().serverInformed)"
    case .unlink:
      let status = try await DeviceCoordinator(link.access).removeDevice()
      facts.add(.unlinked(phone: phone.number, server: step.server))
      return "registered: \(status.map { "\($0.isRegistered)" } ?? "unknown")"
    case .follow: return try await follow(step, phone, link, process)
    case .addCard: return try await addCard(step, phone, link, process)
    case .replenish: return try await replenish(step, phone, link, process)
    default: return "no step with contact"
    }
  }

  private func follow(
    _ step: SimulationStep, _ phone: SimulatedPhone, _ link: ServerLink, _ process: PhoneProcess
  ) async throws -> String {
    do {
      _ = try await phone.logIn(process, at: step.server)
    } catch WalletAccessError.inactive {
      try await link.service.suspendAll(in: process.wallet)
      facts.add(.followed(phone: phone.number, server: step.server))
      throw WalletAccessError.inactive
    }
    do throws(ProvisioningError) {
      let list = try await link.service.follow(process.wallet)
      facts.add(.followed(phone: phone.number, server: step.server))
      return "\(list.cards.count) cards"
    } catch {
      switch error {
      case .deviceInactive: facts.add(.followed(phone: phone.number, server: step.server))
      case .deviceUnlinked: facts.add(.unlinked(phone: phone.number, server: step.server))
      default: break
      }
      throw error
    }
  }

  private func addCard(
    _ step: SimulationStep, _ phone: SimulatedPhone, _ link: ServerLink, _ process: PhoneProcess
  ) async throws -> String {
    let opened = try await phone.logIn(process, at: step.server) ?? "was logged in"
    let template = world.templates[Int(step.amount) % world.templates.count]
    let entry = try await link.service.addCard(profile: template.name, to: process.wallet)
    let card = register.number(of: entry.id)
    phone.issued[step.server, default: []].append(entry.id)
    facts.add(.added(card: card, phone: phone.number, server: step.server))
    return "\(opened), card \(card)"
  }

  private func replenish(
    _ step: SimulationStep, _ phone: SimulatedPhone, _ link: ServerLink, _ process: PhoneProcess
  ) async throws -> String {
    guard let card = try await card(of: step, process) else { return "no card" }
    if let server = try await server(of: step, process) {
      _ = try await phone.logIn(process, at: server)
    }
    let outcome = try await process.wallet.replenish(digitalCardID: card.id, isForced: step.amount % 2 == 0)
    if case .replenished = outcome, let own = process.links.first(where: { $0.access.server == card.issuer }) {
      try await own.service.finishReplenishment(ofCard: card.id)
    }
    return "card \(number(of: card, phone)): \(outcome)"
  }

  /// Performs a step of an operator.
  func operate(_ step: SimulationStep, _ phone: SimulatedPhone) async -> String {
    let issuer = SimulatedOperator(server: servers[step.server], network: network)
    switch step.kind {
    case .stopCard(let isStopped): return await stop(isStopped, step, phone, issuer)
    case .deactivate(let isDeactivated):
      guard let user = phone.users[step.server],
        let device = await issuer.devices(of: user, linked: isDeactivated).first
      else {
        return "no device"
      }
      let body = DeviceStateChange(isActive: !isDeactivated, userName: user)
      let status = await issuer.change(OperatorPath.walletDevice(device), body.json)
      if status == 204 {
        facts.add(.deactivated(phone: phone.number, server: step.server, isDeactivated: isDeactivated))
      }
      return "\(status.map { "\($0)" } ?? "no answer")"
    default: return "no step of an operator"
    }
  }

  private func stop(
    _ isStopped: Bool, _ step: SimulationStep, _ phone: SimulatedPhone, _ issuer: SimulatedOperator
  ) async -> String {
    // The latest two: older ones are often lost.
    let cards = (phone.issued[step.server] ?? []).suffix(2)
    guard !cards.isEmpty else { return "no card" }
    let card = cards[cards.endIndex - 1 - step.card % cards.count]
    let status = await issuer.change(
      OperatorPath.card(card), CardSuspension(isStopped ? .suspended : .active).json)
    let number = register.number(of: card)
    if status == 204 { facts.add(.stopped(card: number, isStopped: isStopped)) }
    return "card \(number): \(status.map { "\($0)" } ?? "no answer")"
  }
}
