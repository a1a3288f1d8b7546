internal import EMVCard
internal import ISO7816
internal import Links

/// The events of a card on its link.
extension SessionMachine {
  /// `startEmulation`.
  ///
  /// - Parameters:
  ///   - holdingCommands: Whether the card may be presented before the cardholder is verified.
  ///   - begin: Puts the card of an order on the link; its second argument says whether commands are held.
  mutating func present(
    holdingCommands: Bool, _ begin: (StartedPayment, Bool) -> Presentation
  ) throws(EmulationRefusal) {
    switch take() {
    case .armed(let payment):
      let presentation = begin(payment.order, false)
      state = .emulating(EmulatedPayment(payment: payment, presentation: presentation))
    case .authenticationRequired(var required):
      let refusal = Self.refusal(of: required.presentation, holdingCommands)
      if refusal == nil { required.presentation = begin(required.order, true) }
      state = .authenticationRequired(required)
      if let refusal { throw refusal }
    case .authenticating(var running):
      let refusal = Self.refusal(of: running.presentation, holdingCommands)
      if refusal == nil { running.presentation = begin(running.order, true) }
      state = .authenticating(running)
      if let refusal { throw refusal }
    case let other:
      let refusal = Self.refusal(in: other)
      state = other
      throw refusal
    }
  }

  private static func refusal(of presentation: Presentation?, _ holdingCommands: Bool) -> EmulationRefusal? {
    if presentation != nil { return .alreadyEmulating }
    return holdingCommands ? nil : .notAuthenticated
  }

  private static func refusal(in state: borrowing SessionState) -> EmulationRefusal {
    switch state {
    case .emulating: .alreadyEmulating
    case .spent: .alreadyEmulating
    case .rearming: .alreadyEmulating
    case .ended: .sessionEnded
    default: .notAuthenticated
    }
  }

  /// The first command of a tap. Returns whether to report it.
  mutating func terminalCame() -> Bool {
    switch take() {
    case .emulating(var emulation):
      let isNew = !emulation.isConnected
      emulation.isConnected = true
      state = .emulating(emulation)
      return isNew
    case let other:
      state = other
      return false
    }
  }

  /// Whether a held command must end the session: its terminal did not lose the field after it got a cryptogram.
  var refusesHeldCommand: Bool {
    switch state {
    case .spent: true
    default: false
    }
  }

  /// The result of a field event.
  enum Departure: Equatable {
    /// The event interrupts no payment.
    case ignored
    /// The payment was interrupted before a cryptogram; the same use goes on. The value counts the interruptions.
    case interrupted(Int)
    /// The payment was interrupted after a cryptogram, and the field was not lost.
    case spent(Settlement)
    /// The field was lost after a cryptogram: a further use is permitted. The settlement is that of the former use, nil
    /// when it was settled before.
    case furtherUse(Settlement?)
    /// The session has ended now.
    case ended(ContactlessPaymentSession.Error, Settlement?)
    /// The session had ended before: the card may leave its link.
    case afterEnd
  }

  /// The card's field was lost, or the card was reset or deselected.
  ///
  /// - Parameters:
  ///   - event: The field event. Only `.lost` allows a further use after a cryptogram.
  ///   - record: The latest cryptogram of the card.
  ///   - foundNothing: Whether the terminal selected registered applications, and the card has none of them.
  mutating func terminalLeft(_ event: FieldEvent, _ record: TransactionRecord?, foundNothing: Bool) -> Departure {
    switch take() {
    case .emulating(let emulation): return interrupt(emulation, event, record, foundNothing)
    case .spent(let payment):
      guard event == .lost else {
        state = .spent(payment)
        return .ignored
      }
      return renew(payment, settling: nil)
    case .ended(let payment):
      state = .ended(payment)
      return .afterEnd
    case let other:
      state = other
      return .ignored
    }
  }

  private mutating func interrupt(
    _ interrupted: consuming EmulatedPayment, _ event: FieldEvent, _ record: TransactionRecord?, _ foundNothing: Bool
  ) -> Departure {
    var emulation = interrupted
    let wasConnected = emulation.isConnected
    emulation.isConnected = false
    if wasConnected { emulation.interruptions += 1 }
    let count = emulation.interruptions
    if wasConnected, foundNothing || isAboveLimit(count) {
      state = .ended(EndedPayment(consume emulation))
      return .ended(foundNothing ? .posNotSupported : .interrupted(count), nil)
    }
    guard let record, emulation.payment.reservation.isSpent(by: record) else {
      state = .emulating(emulation)
      return wasConnected ? .interrupted(count) : .ignored
    }
    let presentation = emulation.presentation
    let payment = emulation.payment
    let settlement = payment.reservation.settled(by: record)
    let spent = SpentPayment(
      order: payment.order, permit: payment.permit, terms: record.terms, presentation: presentation,
      interruptions: count)
    if event == .lost { return renew(spent, settling: settlement) }
    state = .spent(spent)
    return .spent(settlement)
  }

  private func isAboveLimit(_ interruptions: Int) -> Bool { retryLimit.map { interruptions > $0 } ?? false }

  private mutating func renew(_ payment: consuming SpentPayment, settling settlement: Settlement?) -> Departure {
    let (order, presentation, count) = (payment.order, payment.presentation, payment.interruptions)
    let terms = payment.terms
    do throws(FurtherUseRefusal) {
      let permit = try payment.permit.renewed(afterCryptogramFor: terms)
      state = .rearming(
        RenewedPayment(order: order, permit: permit, presentation: presentation, interruptions: count))
      return .furtherUse(settlement)
    } catch {
      state = .ended(EndedPayment(order: order, presentation: presentation))
      return .ended(.furtherUseRefused(error), settlement)
    }
  }

  /// The uses of a permitted further use were reserved.
  mutating func rearmed(_ uses: consuming ReservedUses) -> ArmingResult {
    switch take() {
    case .rearming(let renewed):
      let (order, presentation, count) = (renewed.order, renewed.presentation, renewed.interruptions)
      let armed = renewed.permit.arm(uses, for: order.card.image, walletData: order.walletData)
      let payment = ArmedPayment(order: order, permit: armed.permit, reservation: armed.reservation)
      state = .emulating(EmulatedPayment(payment: payment, presentation: presentation, interruptions: count))
      return .armed(armed.arming)
    case let other:
      state = other
      return .refused(Settlement(id: uses.id, spent: []))
    }
  }

  /// How often a terminal left before the payment was complete; 0 off a link.
  var interruptions: Int {
    switch state {
    case .emulating(let emulation): emulation.interruptions
    case .spent(let payment): payment.interruptions
    case .rearming(let renewed): renewed.interruptions
    default: 0
    }
  }

  /// Whether no terminal has come since an interruption.
  ///
  /// - Parameter interruption: The number of the interruption, from 1.
  func isAwaitingTerminal(since interruption: Int) -> Bool {
    switch state {
    case .emulating(let emulation): !emulation.isConnected && emulation.interruptions == interruption
    default: false
    }
  }
}

extension ContactlessPaymentSession.Error {
  fileprivate static func interrupted(_ count: Int) -> Self {
    .transmissionError(
      LinkError(.terminalLost, "the terminal left \(count) times before the payment was complete: start again"))
  }
}
