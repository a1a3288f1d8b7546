internal import EMVCard
internal import EMVData
internal import ContactlessPayment
internal import DeviceAuthentication
internal import EMVTerminal
internal import Links
internal import Octets
internal import PaymentAcceptance
internal import Transcripts
internal import SimulationRules

extension Simulation {
  /// A payment of a simulation.
  struct Payment {
    let step: SimulationStep
    let request: PaymentRequest
    let till: Int
    let phone: SimulatedPhone
    let process: PhoneProcess
    /// The identifier of the card.
    let card: String
    /// The number of the card, and its issuer.
    let number: Int
    let host: any AuthorizationHost
    /// The exchanges before the card leaves the field.
    var exchanges = Int.max
    /// Whether the holder refuses the prompt.
    var isRefused = false
    /// The seconds between verification and tap.
    var delay: Int64 = 0
    /// Whether another process suspends the card between verification and tap.
    var isWithdrawn = false
  }

  /// Presents a card of a phone at a till.
  ///
  /// - Returns: How it ended, in words.
  func pay(_ step: SimulationStep, _ phone: SimulatedPhone, _ process: PhoneProcess) async throws -> String {
    guard var payment = try await payment(step, phone, process) else { return "no card" }
    switch step.kind {
    case .payTorn(let exchanges): payment.exchanges = exchanges
    case .payRefused: payment.isRefused = true
    case .payLate(let seconds): payment.delay = Int64(seconds)
    case .payWithdrawn: payment.isWithdrawn = true
    default: break
    }
    phone.device.user = payment.isRefused ? .cancel : .approve
    let session = try await process.wallet.makePaymentSession()
    let prompts = phone.device.promptCount(.biometric)
    await session.startPayment(withDigitalCardID: payment.card)
    let ending: Result<String, any Error>
    do {
      ending = .success(try await follow(session, payment, promptsBefore: prompts))
    } catch { ending = .failure(error) }
    await session.cancel()
    await session.finished()
    return "card \(payment.number): \(try ending.get())"
  }

  private func payment(
    _ step: SimulationStep, _ phone: SimulatedPhone, _ process: PhoneProcess
  ) async throws -> Payment? {
    guard let card = try await payingCard(of: step, process) else { return nil }
    let server = servers.first { $0.origin == card.issuer }
    let digits = String(step.amount)
    let padded = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
    let order = PaymentOrder(
      amount: "\(padded.dropLast(2)).\(padded.suffix(2))", currency: world.currency,
      moment: TransactionMoment(CalendarTime(utc: clock.now)))
    return Payment(
      step: step, request: try order.request(at: world.tills[till(of: step, card)]), till: till(of: step, card),
      phone: phone, process: process,
      card: card.id, number: number(of: card, phone),
      host: server.map { SimulatedIssuerHost($0, over: network) } ?? host)
  }

  /// A card that may pay, most of the time.
  private func payingCard(of step: SimulationStep, _ process: PhoneProcess) async throws -> DigitalCard? {
    let active = try await process.wallet.cards().filter { $0.state == .active }
    if active.isEmpty || step.amount % 5 == 0 { return try await card(of: step, process) }
    return active[active.count - 1 - step.card % active.count]
  }

  /// The till of a payment. Only the last one has the keys of the authority of cards that make signatures, and it takes no other
  /// ones.
  private func till(of step: SimulationStep, _ card: DigitalCard) -> Int {
    let (last, isSigning) = (world.tills.count - 1, card.image.applications.contains { $0.signingKey != nil })
    return isSigning ? last : step.till % max(1, last)
  }

  private func follow(
    _ session: ContactlessPaymentSession, _ payment: Payment, promptsBefore: Int
  ) async throws -> String {
    let phone = payment.phone
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted:
        // What the device has seen counts, not what the wallet says of it.
        let isVerified = !payment.isRefused && phone.device.promptCount(.biometric) > promptsBefore
        let verification = isVerified ? verified(phone) : nil
        if payment.delay > 0 { pass(seconds: payment.delay) }
        if payment.delay > Self.validity, let ending = await Self.ending(of: session) { return ending }
        if payment.isWithdrawn { try await withdraw(payment) }
        return try await tap(session, payment, verification: verification)
      case .errorEncountered(let error, _): return error.name
      case .posConnected, .posDisconnected, .transactionCompleted: break
      }
    }
    return "no event"
  }

  /// The seconds for which a verification is valid.
  private static let validity: Int64 = 60

  /// Waits for the end of a session whose verification is too old: it ends on another thread.
  ///
  /// - Returns: The name of its error; nil for a session that does not end. Twenty seconds of the machine decide that, which no
  ///   right session needs.
  private static func ending(of session: ContactlessPaymentSession) async -> String? {
    await withTaskGroup(of: String?.self) { group in
      group.addTask {
        for await event in session.events {
          if case .errorEncountered(let error, _) = event { return error.name }
        }
        return nil
      }
      group.addTask {
        try? await SystemClock().sleep(until: SystemClock().now + .seconds(20))
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  /// Suspends the card of a payment in another process.
  private func withdraw(_ payment: Payment) async throws {
    let place = 1 - payment.step.process
    if payment.phone.process(at: place) == nil { try await start(payment.phone, place, payment.step) }
    try await payment.phone.process(at: place)?.wallet.suspend(payment.card)
    facts.add(.suspended(card: payment.number, isSuspended: true))
  }

  private func verified(_ phone: SimulatedPhone) -> Int {
    verifications += 1
    facts.add(.verified(phone: phone.number, verification: verifications))
    return verifications
  }

  /// Sends the last request of a till again.
  ///
  /// - Returns: The decision, in words.
  func repeatRequest(of till: Int) -> String {
    guard let (request, host) = requests[till].value else { return "no request" }
    let response = host.authorize(request)
    return switch response.decision {
    case .approved: "approved"
    case .declined(let reason): "declined, \(reason)"
    case .unknownCard(let reason): "unknown card, \(reason)"
    }
  }

  private func tap(
    _ session: ContactlessPaymentSession, _ payment: Payment, verification: Int?
  ) async throws -> String {
    let (till, card) = (payment.till, payment.number)
    let observed = ObservedHost(host: payment.host, card: card, facts: facts, last: requests[till])
    let terminal = PaymentAcceptance(
      configuration: world.tills[till], host: observed, clock: ManualClock(),
      random: SeededRandomSource(seed: payment.step.draw))
    let link = DirectVisit(
      ObservedVisit(
        request: payment.request, terminal: terminal, card: card, phone: payment.phone.number,
        verification: verification, till: till, facts: facts, exchanges: payment.exchanges,
        life: payment.process.life))
    try await session.startEmulation(on: link)
    guard let result = await link.ended?.result else { return "no tap" }
    guard let receipt = try? result.get() else { return "torn" }
    if receipt.outcome.kind == .approved, let request = receipt.outcome.authorizationRequest {
      facts.add(
        .accepted(
          till: till, card: card, counter: UInt16(request.transactionCounter),
          amount: payment.request.amount.minorUnits, isOnline: receipt.answer != nil))
    }
    return receipt.outcome.kind.rawValue
  }
}
