import ContactlessPayment
import EMVCard
import Links

/// The card's side of a tap in this process: a provisioned wallet that verifies its holder and pays.
struct CardSide: Sendable {
  let wallet: Wallet
  /// The card that pays; nil for the default card.
  var digitalCard: String?
  var terms = SessionTerms()

  /// Verifies the holder, arms the card and answers on a link until the session ends.
  ///
  /// - Parameters:
  ///   - link: Made once the holder is verified, or just before that when commands are held; before that nothing is
  ///     presented.
  ///   - tell: Hears of every event but the last.
  /// - Returns: The one terminal event.
  func pay(
    on link: @Sendable () throws -> any EmulationLink,
    tell: @Sendable (ContactlessPaymentSession.Event) -> Void = { _ in }
  ) async throws -> ContactlessPaymentSession.Event {
    let session = try await wallet.makePaymentSession(limits: terms.limits)
    await session.startPayment(withDigitalCardID: digitalCard, walletData: terms.walletData)
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action):
        tell(event)
        if terms.holdsCommands { try await emulate(session, link) }
        await action.proceed()
      case .authenticationCompleted:
        tell(event)
        if !terms.holdsCommands { try await emulate(session, link) }
      case .posConnected, .posDisconnected: tell(event)
      case .transactionCompleted, .errorEncountered:
        await session.finished()
        return event
      }
    }
    preconditionFailure("a session ends with a terminal event")
  }

  private func emulate(
    _ session: ContactlessPaymentSession, _ link: @Sendable () throws -> any EmulationLink
  ) async throws {
    do {
      try await session.startEmulation(on: link(), holdingCommands: terms.holdsCommands)
    } catch EmulationRefusal.sessionEnded {
      // Its terminal event says why.
    } catch {
      await session.cancel()
      throw error
    }
  }

  /// Verifies the holder and puts the armed card on a link; the caller ends the session.
  ///
  /// - Throws: The session's error when the holder is not verified.
  func present(on link: some EmulationLink) async throws -> ContactlessPaymentSession {
    let session = try await wallet.makePaymentSession()
    await session.startPayment(withDigitalCardID: digitalCard)
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted:
        try await session.startEmulation(on: link)
        return session
      case .errorEncountered(let error): throw error
      case .posConnected, .posDisconnected, .transactionCompleted: break
      }
    }
    preconditionFailure("a session tells how its verification went")
  }
}
