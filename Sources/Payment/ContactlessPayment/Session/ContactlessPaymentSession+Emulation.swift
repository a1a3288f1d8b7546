internal import EMVCard
internal import EMVData
internal import ISO7816
public import Links

extension ContactlessPaymentSession {
  /// Presents the card on a link and answers terminals until the payment ends.
  ///
  /// - Parameters:
  ///   - link: The link on which the card is presented.
  ///   - holdingCommands: Whether the card may be presented before `authenticationCompleted`. The first command of a
  ///     tap then waits until the verification has ended, for `SessionLimits.hold` at most; after that the card is
  ///     unarmed and can only refuse.
  /// - Throws: `EmulationRefusal` before `startPayment` and, without holding, before `authenticationCompleted`; on a
  ///   second call; and after the end. Nothing is presented then.
  public func startEmulation(
    on link: some EmulationLink, holdingCommands: Bool = false
  ) throws(EmulationRefusal) {
    try machine.present(holdingCommands: holdingCommands) { order, holds in
      if holds { exchange.hold() }
      return present(order.card, on: link)
    }
    after(limits.emulation) { $0.fail(.maxSessionDurationReached) }
  }

  private func present(_ card: DigitalCard, on link: some EmulationLink) -> Presentation {
    let (exchange, image, directory, random) = (exchange, card.image, card.customDirectory, random)
    let listener = Task { for await notice in exchange.notices { self.receive(notice) } }
    let thread = DedicatedThread(named: "card") {
      var served = ServedCard(image: image, directory: directory, random: random, exchange: exchange)
      var failure: LinkError?
      do throws(LinkError) {
        try link.serve(&served)
      } catch {
        failure = error
      }
      exchange.send(.linkEnded(failure, served.record))
      exchange.finish()
    }
    return Presentation(link: link, thread: thread, listener: listener)
  }

  private func receive(_ notice: CardNotice) {
    switch notice {
    case .held(let number): hold(number)
    case .terminalCame: if machine.terminalCame() { continuation.yield(.posConnected) }
    case .terminalLeft(let event, let record, let foundNothing): terminalLeft(event, record, foundNothing)
    case .refused(.verificationExpired): fail(.authenticationExpired, lingers: true)
    case .refused(.differentTerms): fail(.furtherUseRefused(.otherTerms), lingers: true)
    case .completed(let record): complete(record)
    case .linkEnded(let error, let record): linkEnded(error, record)
    }
  }

  private func hold(_ number: Int) {
    if machine.refusesHeldCommand {
      fail(.furtherUseRefused(.fieldNotLost), lingers: true)
    } else {
      after(limits.hold) { $0.exchange.release(number) }
    }
  }

  /// Before a cryptogram the same use goes on. After one, the card gets a further use only when the field was lost.
  private func terminalLeft(_ event: FieldEvent, _ record: TransactionRecord?, _ foundNothing: Bool) {
    // A card that has handed out a cryptogram holds its commands until it is armed again or the session has ended. Each
    // case releases them once: a second release could undo the hold of the next tap.
    switch machine.terminalLeft(event, record, foundNothing: foundNothing) {
    case .ignored: releaseCommands(of: record)
    case .interrupted:
      releaseCommands(of: record)
      reportInterruption()
    case .spent(let settlement): settle(settlement)
    case .furtherUse(let settlement):
      settle(settlement)
      if rearm() { reportInterruption() }
    case .ended(let error, let settlement):
      settle(settlement)
      finish(.errorEncountered(error))
      machine.presentation?.link.stop()
    case .afterEnd:
      exchange.releaseForGood()
      machine.presentation?.link.stop()
    }
  }

  /// Releases the commands of a card that holds them although its use is not spent.
  private func releaseCommands(of record: TransactionRecord?) {
    if record != nil, !machine.refusesHeldCommand { exchange.releaseForGood() }
  }

  private func reportInterruption() {
    let count = machine.interruptions
    // A tap that was refused while the cardholder verified is no interruption.
    guard count > 0 else { return }
    continuation.yield(.posDisconnected(interruptions: count))
    guard let timeout = limits.retries?.timeout else { return }
    after(timeout) { session in
      guard session.machine.isAwaitingTerminal(since: count) else { return }
      let reason = "the terminal left before the payment was complete and did not return within \(timeout): start again"
      session.fail(.transmissionError(LinkError(.timedOut, reason)))
    }
  }

  private func complete(_ record: TransactionRecord) {
    guard let completion = machine.complete(record) else { return }
    settle(completion.settlement)
    if record.kind == .applicationCryptogram(.aac) {
      finish(.errorEncountered(.apduFailure("the terminal declined the payment without asking the issuer")))
    } else {
      let card = completion.card
      finish(.transactionCompleted(TransactionContext(record, of: card.image, digitalCardID: card.id)))
    }
    linger()
  }

  private func linkEnded(_ error: LinkError?, _ record: TransactionRecord?) {
    for timer in timers { timer.cancel() }
    let ending = machine.end()
    settle(machine.linkEnded(record))
    guard let ending else { return }
    ending.verification?.cancel()
    finish(.errorEncountered(Error(error ?? LinkError(.stopped, "the card was taken off the link"))))
  }
}
