import ContactlessPayment
import EMVCard
import ISO7816
import Links
import PaymentSimulation
import ProgramSupport
import ReaderSimulator

/// The armed card of a simulated reader. Its cardholder verifies again after each payment, and before a verification
/// expires, while the card stays on the reader.
struct LabCard: Sendable {
  /// The number of payments for which its keys are good: those of a card that stays suffice for ten runs of
  /// `Fixtures/CardTests`.
  private var uses: Int { stays ? 10_000 : 1_000 }

  let image: CardImage
  let format: OutputFormat
  /// How long a verification of the cardholder is valid.
  let validity: Duration
  /// Whether the card stays after a payment and is armed with each reset.
  let stays: Bool
  /// What is shown and recorded of the commands at the card; nil for nothing.
  let traffic: LabTraffic?

  /// Arms the card again and again until the slot is closed. Closes the slot on an error.
  func run(in slot: LabSlot) async throws {
    defer { slot.close() }
    var side = CardPresentation(wallet: try await ProvisionedWallet(card: image, leastUses: uses).wallet)
    side.terms.limits.verificationValidity = validity
    // The renewal ends a session earlier, except in the middle of a payment.
    side.terms.limits.emulation = .seconds(3600)
    var payments = 0
    while !slot.isClosed {
      guard let event = try await pay(side, in: slot) else { continue }
      if case .transactionCompleted = event {} else if slot.isClosed { return }
      payments += 1
      if let line = PaymentLine(payments, event) { try show(line) }
      if !stays { slot.paymentEnded() }
      if try await isBlocked(side.wallet) { return try await presentBlocked(in: slot) }
    }
  }

  /// Whether the issuer has blocked the card.
  private func isBlocked(_ wallet: Wallet) async throws -> Bool {
    try await wallet.cards().allSatisfy { $0.state == .retired }
  }

  /// Presents the blocked card until the slot is closed.
  private func presentBlocked(in slot: LabSlot) async throws {
    Console.note("The issuer has blocked the card: from now on it answers 6A81 to every command.")
    while !slot.isClosed {
      guard let link = try? slot.put(Loopback()) else { return }
      try await DedicatedThread(named: "card") { () throws(LinkError) in
        var card = IssuerBlockedCard()
        try link.serve(&card)
      }.value()
    }
  }

  private func show(_ line: PaymentLine) throws {
    guard let traffic, traffic.isShown else { return try line.print(as: format) }
    traffic.show(line)
  }

  /// Arms the card until a payment ends.
  ///
  /// - Returns: The event that ended the payment; nil when the slot was closed before, or when the cardholder has to
  ///   verify again.
  private func pay(_ side: CardPresentation, in slot: LabSlot) async throws -> ContactlessPaymentSession.Event? {
    let last = slot.last
    let renewal = Task {
      try await Task.sleep(for: validity * 3 / 4)
      while !slot.renew() { try await Task.sleep(for: .milliseconds(50)) }
    }
    defer { renewal.cancel() }
    do {
      let event = try await side.pay(on: {
        let link = try slot.put(Loopback())
        return stays ? StayingLink(base: link, slot: slot) : link
      })
      guard case .errorEncountered(let error, let spent) = event else { return event }
      if slot.last === last { throw error }
      // A use that was spent is reported, whatever ended its session.
      return slot.isRenewed && spent.isEmpty ? nil : event
    } catch {
      if slot.isClosed { return nil }
      throw error
    }
  }
}

/// Simulated chips with an armed card in their field.
struct LabChips {
  /// The time without a card after a payment: longer than a reader needs to notice.
  private static let absence = Duration.milliseconds(500)

  let simulator: ReaderSimulator

  /// Runs until the simulator is stopped. Stops it on an error of the card.
  func serve(_ card: LabCard) async throws {
    let (slot, simulator) = (LabSlot(stays: card.stays), simulator)
    let chips = DedicatedThread(named: "chips") { () throws(LinkError) in
      defer { slot.close() }
      var card = SlottedCard(slot: slot)
      try simulator.serve(&card)
    }
    let departures = Task {
      for await _ in slot.departures {
        simulator.setCoupled(false)
        await slot.rest(for: Self.absence)
        simulator.setCoupled(true)
      }
    }
    defer {
      departures.cancel()
      simulator.stop()
    }
    try await card.run(in: slot)
    try await chips.value()
  }
}

/// The link of a card that stays in a laboratory: the end of its session takes it off only when no terminal is at it.
struct StayingLink: EmulationLink {
  let base: Loopback
  let slot: LabSlot

  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError) {
    try base.serve(&responder)
  }

  func stop() { slot.sessionEnded(on: base) }
}
