public import Links
internal import Octets
internal import Synchronization

/// The card's side of a tap: a wallet that verifies its cardholder, arms a card and answers a terminal.
public struct CardPresentation: Sendable {
  /// The wallet.
  public let wallet: Wallet
  /// The card that pays; nil for the default card.
  public var digitalCard: String?
  /// The terms of the payment session.
  public var terms: SessionTerms

  /// Creates the card's side of a tap.
  public init(wallet: Wallet, digitalCard: String? = nil, terms: SessionTerms = SessionTerms()) {
    self.wallet = wallet
    self.digitalCard = digitalCard
    self.terms = terms
  }

  /// Verifies the cardholder, arms the card and answers on a link until the session ends.
  ///
  /// - Parameters:
  ///   - link: Creates the link. Called once the cardholder is verified, or just before the verification when commands
  ///     are held; nothing is presented earlier.
  ///   - observer: Receives every event but the last.
  /// - Returns: The event that ended the session.
  /// - Throws: The error of `link`, and the wallet's error when there can be no session.
  public func pay(
    on link: @Sendable () throws -> any EmulationLink,
    observer: @Sendable (ContactlessPaymentSession.Event) -> Void = { _ in }
  ) async throws -> ContactlessPaymentSession.Event {
    let session = try await wallet.makePaymentSession(limits: terms.limits)
    await session.startPayment(withDigitalCardID: digitalCard, walletData: terms.walletData)
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action):
        observer(event)
        if terms.holdsCommands { try await emulate(session, link) }
        await action.proceed()
      case .authenticationCompleted:
        observer(event)
        if !terms.holdsCommands { try await emulate(session, link) }
      case .posConnected, .posDisconnected: observer(event)
      case .transactionCompleted, .errorEncountered:
        await session.finished()
        return event
      }
    }
    // The events of a cancelled task end early.
    await session.cancel()
    await session.finished()
    return .errorEncountered(.cancelled)
  }

  /// Pays, and verifies the cardholder again while no terminal has got a cryptogram: a verification is valid for 60 s,
  /// however long a terminal is waited for.
  ///
  /// - Parameters:
  ///   - waiting: How long the card is presented in all; the last verification may end later.
  ///   - link: Creates a link, from the time that is left of `waiting`. Called once for each verification.
  ///   - observer: Receives every event but the last of each session.
  /// - Returns: The event that ended the last session.
  public func pay(
    waiting: Duration, on link: @Sendable (Duration) throws -> any EmulationLink,
    observer: @Sendable (ContactlessPaymentSession.Event) -> Void = { _ in }
  ) async throws -> ContactlessPaymentSession.Event {
    let clock = SystemClock()
    var left = waiting
    while true {
      let begun = Mutex<Instant?>(nil)
      let rest = left
      var round = self
      round.terms.limits.emulation = min(rest, terms.limits.verificationValidity)
      let event = try await round.pay(
        on: {
          begun.withLock { $0 = $0 ?? clock.now }
          return try link(rest)
        }, observer: observer)
      if let begun = begun.withLock(\.self) { left -= clock.now - begun }
      guard event.needsVerification, left > .zero else { return event }
    }
  }

  private func emulate(
    _ session: ContactlessPaymentSession, _ link: @Sendable () throws -> any EmulationLink
  ) async throws {
    do {
      try await session.startEmulation(on: link(), holdingCommands: terms.holdsCommands)
    } catch EmulationRefusal.sessionEnded {
      // The event that ended the session has the reason.
    } catch {
      await session.cancel()
      throw error
    }
  }

  /// Verifies the cardholder and puts the armed card on a link; the caller ends the session.
  ///
  /// - Throws: The session's error when the cardholder is not verified.
  public func present(on link: some EmulationLink) async throws -> ContactlessPaymentSession {
    let session = try await wallet.makePaymentSession(limits: terms.limits)
    await session.startPayment(withDigitalCardID: digitalCard)
    for await event in session.events {
      switch event {
      case .authenticationRequired(let action): await action.proceed()
      case .authenticationCompleted:
        try await session.startEmulation(on: link)
        return session
      case .errorEncountered(let error, _): throw error
      case .posConnected, .posDisconnected, .transactionCompleted: break
      }
    }
    // The events of a cancelled task end early.
    await session.cancel()
    throw ContactlessPaymentSession.Error.cancelled
  }

  /// Presents the card armed, runs the work of a terminal, and ends the session, also after an error.
  ///
  /// - Throws: The errors of `present(on:)` and of the work.
  package func present<Value: Sendable>(
    on link: some EmulationLink, _ work: () async throws -> Value
  ) async throws -> Value {
    let session = try await present(on: link)
    let result: Result<Value, any Error>
    do {
      result = .success(try await work())
    } catch { result = .failure(error) }
    await session.cancel()
    await session.finished()
    return try result.get()
  }
}

extension ContactlessPaymentSession.Event {
  /// Whether a session has ended because its verification was too old, without a cryptogram.
  fileprivate var needsVerification: Bool {
    switch self {
    case .errorEncountered(.maxSessionDurationReached, let spent), .errorEncountered(.authenticationExpired, let spent):
      spent.isEmpty
    default: false
    }
  }
}

/// The terms of a payment session beside its card.
public struct SessionTerms: Sendable {
  /// The session's limits.
  public var limits: SessionLimits
  /// Whether the card is presented while its cardholder is verified; commands then wait, 5 s at most.
  public var holdsCommands: Bool
  /// What the wallet adds to the transaction; nil for nothing.
  public var walletData: WalletTransactionData?

  /// Creates terms.
  public init(
    limits: SessionLimits = .standard, holdsCommands: Bool = false, walletData: WalletTransactionData? = nil
  ) {
    self.limits = limits
    self.holdsCommands = holdsCommands
    self.walletData = walletData
  }
}
