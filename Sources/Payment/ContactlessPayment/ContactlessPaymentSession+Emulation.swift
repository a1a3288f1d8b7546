internal import EMVCard
internal import EMVData
public import Links

extension ContactlessPaymentSession {
  /// Presents the card on a link and answers terminals until the payment ends.
  ///
  /// - Parameters:
  ///   - link: Where the card is presented.
  ///   - holdingCommands: Whether the card may be presented before `authenticationCompleted`. The first command of a
  ///     tap then waits until the verification has ended, for `SessionLimits.hold` at most; after that the card is as
  ///     one that is not armed and can only refuse.
  /// - Throws: `EmulationRefusal` before `startPayment` and, without holding, before `authenticationCompleted`; on a
  ///   second call; and after the end. Nothing is presented then.
  public func startEmulation(
    on link: some EmulationLink, holdingCommands: Bool = false
  ) throws(EmulationRefusal) {
    switch machine.startEmulation(holdingCommands: holdingCommands) {
    case .refused(let reason): throw reason
    case .hold: exchange.hold()
    case .serve: break
    }
    guard let card else { preconditionFailure("a session that was started has a card") }
    self.link = link
    let (exchange, image, directory, random) = (exchange, card.image, card.customDirectory, random)
    listener = Task { for await notice in exchange.notices { self.take(notice) } }
    thread = DedicatedThread(named: "card") {
      var served = ServedCard(image: image, directory: directory, random: random, exchange: exchange)
      var failure: LinkError?
      do throws(LinkError) {
        try link.serve(&served)
      } catch {
        failure = error
      }
      exchange.tell(.linkEnded(failure, served.record))
      exchange.finish()
    }
    after(limits.emulation) { $0.fail(.maxSessionDurationReached) }
  }

  private func take(_ notice: CardNotice) {
    switch notice {
    case .held(let number): after(limits.hold) { $0.exchange.release(number) }
    case .terminalCame: if machine.terminalCame() { continuation.yield(.posConnected) }
    case .terminalLeft(let record, let foundNothing): terminalLeft(record, foundNothing)
    case .refusedExpired: fail(.authenticationExpired, lingers: true)
    case .completed(let record): complete(record)
    case .linkEnded(let error, let record):
      for timer in timers { timer.cancel() }
      settle(record)
      fail(Error(error ?? LinkError(.stopped, "the card was taken off the link")))
    }
  }

  /// Before a cryptogram the same use goes on; after one, the next tap needs another.
  private func terminalLeft(_ record: TransactionRecord?, _ foundNothing: Bool) {
    // A card that has computed anything holds the next tap until it is armed again or never will be.
    defer { if record != nil { exchange.releaseForGood() } }
    guard machine.state != .ended else {
      link?.stop()
      return
    }
    let departure = machine.terminalLeft()
    if foundNothing, departure != .ignored {
      fail(.posNotSupported)
      return
    }
    if case .limitPassed(let count) = departure {
      fail(.transmissionError(LinkError(.terminalLost, "the terminal left \(count) times in the middle: start again")))
      return
    }
    if touches(record) {
      settle(record)
      guard arm() else { return }
    }
    guard case .interrupted(let count) = departure else { return }
    continuation.yield(.posDisconnected(interruptions: count))
    awaitReturn(count)
  }

  private func awaitReturn(_ count: Int) {
    guard let timeout = limits.retries?.timeout else { return }
    after(timeout) { session in
      guard session.machine.state == .emulating, session.machine.interruptions == count else { return }
      let reason = "the terminal left in the middle and did not come back within \(timeout): start again"
      session.fail(.transmissionError(LinkError(.timedOut, reason)))
    }
  }

  private func complete(_ record: TransactionRecord) {
    guard let card else { preconditionFailure("a session that pays has a card") }
    settle(record)
    if record.kind == .applicationCryptogram(.aac) {
      fail(.apduFailure("the terminal declined the payment without asking the issuer"), lingers: true)
      return
    }
    let context = TransactionContext(record, of: card.image, digitalCardID: card.id)
    if end(.transactionCompleted(context)) { linger() }
  }
}
