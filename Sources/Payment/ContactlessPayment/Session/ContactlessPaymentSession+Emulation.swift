internal import EMVCard
internal import EMVData
internal import ISO7816
public import Links
internal import Octets

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
    let end = clock.now + limits.emulation
    try machine.present(holdingCommands: holdingCommands) { order, holds in
      if holds { exchange.hold() }
      return present(order.card, on: link, until: end, holding: holds)
    }
    emulationEnd = end
    expiry?.cancel()
    timers.append(call(at: end) { $0.fail(.maxSessionDurationReached) })
  }

  private func present(
    _ digitalCard: DigitalCard, on link: some EmulationLink, until end: Instant, holding: Bool
  ) -> Presentation {
    let (exchange, random, clock, wallet) = (exchange, wallet.random, clock, wallet)
    let serve: @Sendable () -> Void = {
      let card = Card(
        image: digitalCard.image, directory: digitalCard.customDirectory, state: digitalCard.cardState, random: random)
      var served = ServedCard(card, exchange: exchange, clock: clock, until: end) { change in
        wallet.keep(change, inCard: digitalCard.number)
      }
      var failure: LinkError?
      do throws(LinkError) {
        try link.serve(&served)
      } catch {
        failure = error
      }
      served.responseSent()
      exchange.send(.linkEnded(failure, served.record))
      exchange.notices.finish()
    }
    // Before the listener, which then finds all notices of a direct link and does not wait for them. A card that holds
    // commands blocks until its session releases them.
    if let executor = wallet.taskExecutor, link is any DirectLink, !holding {
      Task(executorPreference: executor) { serve() }
    } else {
      _ = DedicatedThread(named: "card", serve)
    }
    let listener = Task(executorPreference: wallet.taskExecutor) {
      while let notices = await exchange.notices.next() {
        if await !self.receiveAtOnce(notices) { await self.receive(notices) }
      }
    }
    return Presentation(link: link, listener: listener)
  }

  /// Receives notices that need no waiting; a task keeps the memory of an asynchronous call, 2 KiB, as long as it lives. Not
  /// inlined, for the reason below.
  ///
  /// - Returns: Whether that was possible. Otherwise nothing was done.
  @inline(never)
  private func receiveAtOnce(_ notices: [CardThreadEvent]) -> Bool {
    guard wiping == nil else { return false }
    for case .terminalLeft in notices { return false }
    for notice in notices { receive(notice) }
    return true
  }

  /// Not inlined: the frame of the listener lives as long as the session and would have room for all that follows a notice,
  /// 15 KiB.
  @inline(never)
  private func receive(_ notices: [CardThreadEvent]) async {
    await wiping?.value
    for notice in notices {
      if case .terminalLeft(let event, let record, let foundNothing) = notice {
        await terminalLeft(event, record, foundNothing)
      } else {
        receive(notice)
      }
    }
  }

  private func receive(_ notice: CardThreadEvent) {
    switch notice {
    case .held(let number): hold(number)
    case .terminalCame:
      wallet.environment.tapChanged(isRunning: true)
      if machine.terminalCame() { continuation.yield(.posConnected) }
    // The only notice that is waited for.
    case .terminalLeft: break
    case .refused(.verificationExpired): fail(.authenticationExpired, lingers: true)
    // The terminal can go on with another application of the card. If it does not, its departure ends the session.
    case .refused(.missingTerminalCapability): break
    case .refused(.differentTerms): fail(.furtherUseRefused(.otherTerms), lingers: true)
    case .refused(.differentApplication): fail(.furtherUseRefused(.otherApplication), lingers: true)
    case .presented(let record): presented = record
    case .completed(let record): complete(record)
    case .stopped(let record): sendPendingError(record)
    case .linkEnded(let error, let record):
      wallet.environment.tapChanged(isRunning: false)
      linkEnded(error, record)
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
  private func terminalLeft(_ event: FieldEvent, _ record: TransactionRecord?, _ foundNothing: Bool) async {
    wallet.environment.tapChanged(isRunning: false)
    if let presented, let order = machine.order {
      // The terminal may come back with the issuer's response, until the session's limit.
      guard !order.card.image.applications[presented.application].startsAgain else { return exchange.releaseForGood() }
      complete(record ?? presented)
      return machine.presentation?.link.stop() ?? ()
    }
    // A card that has handed out a cryptogram holds its commands until it is armed again or the session has ended. Each
    // case releases them once: a second release could undo the hold of the next tap.
    let canRecover = record.flatMap { machine.order?.card.image.applications[$0.application].canRecover } ?? false
    switch machine.terminalLeft(
      event, record, foundNothing: foundNothing, retryLimit: limits.retries?.limit, canRecover: canRecover)
    {
    case .ignored: releaseCommands(of: record)
    case .interrupted:
      releaseCommands(of: record)
      reportInterruption()
    case .spent(let settlement): settle(settlement, for: record)
    case .furtherUse(let settlement):
      settle(settlement, for: record)
      if await rearm() { reportInterruption() }
    case .recoverable(let settlement):
      settle(settlement, for: record)
      exchange.releaseForGood()
      reportInterruption()
    case .ended(let error, let settlement):
      settle(settlement, for: record)
      close(Ending(), with: error)
      // A card with a cryptogram computes no more: it holds its commands.
      if let record { sendPendingError(record) }
      machine.presentation?.link.stop()
    case .afterEnd:
      if let record { sendPendingError(record) }
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
    if let timeout = limits.retries?.timeout {
      after(timeout) { session in
        guard session.machine.isAwaitingTerminal(since: count) else { return }
        let reason =
          "the terminal left before the payment was complete and did not return within \(timeout): start again"
        session.fail(.transmissionError(LinkError(.timedOut, reason)))
      }
    }
    // Last, so that the limit is running when the interruption is reported.
    continuation.yield(.posDisconnected(interruptions: count))
  }

  func complete(_ record: TransactionRecord) {
    guard let completion = machine.complete(record) else { return }
    presented = nil
    settle(completion.settlement)
    // A response that was recovered belongs to a payment that was interrupted.
    spent.removeAll {
      $0.transactionCounter == record.transactionCounter && $0.isSameApplication(as: record, completion.card)
    }
    let context = TransactionContext(
      record, of: completion.card.image, digitalCardID: completion.card.id, interruptedPayments: spent)
    spent.append(context)
    if record.kind == .applicationCryptogram(.aac) {
      let reason =
        record.isBlockedByIssuer
        ? "\(WalletStoreError.blockedByIssuer)" : "the terminal declined the payment without asking the issuer"
      finish(.errorEncountered(.apduFailure(reason), spent: spent))
    } else {
      finish(.transactionCompleted(context))
    }
    linger()
  }

  private func linkEnded(_ error: LinkError?, _ record: TransactionRecord?) {
    for timer in timers { timer.cancel() }
    if let presented { complete(record ?? presented) }
    if let ending = machine.end() {
      close(ending, with: Error(error ?? LinkError(.stopped, "the card was taken off the link")))
    }
    sendPendingError(record)
    settle(machine.linkEnded(record))
  }
}
