/// The order of a payment session as a pure machine: event in, small result out.
struct SessionMachine {
  enum State: Equatable, CaseIterable {
    /// Made, not started.
    case idle
    /// The app was asked to let the holder verify.
    case authenticationRequired
    /// The holder is verifying.
    case authenticating
    /// Verified and armed; nothing is on the link.
    case armed
    /// On the link before its time, commands held; the app was asked to let the holder verify.
    case waiting
    /// On the link before its time, commands held; the holder is verifying.
    case holding
    /// On the link, no terminal there.
    case emulating
    /// A terminal talks to the card.
    case connected
    /// The terminal event was sent.
    case ended
  }

  enum EmulationResult: Equatable {
    /// Present the armed card.
    case serve
    /// Present the card and hold the terminal's commands.
    case hold
    case refused(EmulationRefusal)
  }

  enum Departure: Equatable {
    /// Not in the middle of a payment.
    case ignored
    /// In the middle of a payment, for the so-manieth time.
    case interrupted(Int)
    /// Once more than the retry limit allows.
    case limitPassed(Int)
  }

  private(set) var state = State.idle
  /// How often a terminal left in the middle of the payment.
  private(set) var interruptions = 0
  private let retryLimit: Int?

  init(retryLimit: Int? = nil) {
    self.retryLimit = retryLimit
  }

  /// `startPayment`: once per session. Whether to go on.
  mutating func start() -> Bool { move([.idle: .authenticationRequired]) }

  /// `proceed()` on the action. Whether to ask the holder.
  mutating func proceed() -> Bool { move([.authenticationRequired: .authenticating, .waiting: .holding]) }

  /// The holder was verified. Whether to arm; a session that ended meanwhile must not be.
  mutating func verified() -> Bool { move([.authenticating: .armed, .holding: .emulating]) }

  /// `startEmulation`, holding commands until the holder is verified or not.
  mutating func startEmulation(holdingCommands: Bool = false) -> EmulationResult {
    switch state {
    case .idle: return .refused(.notAuthenticated)
    case .authenticationRequired, .authenticating:
      guard holdingCommands else { return .refused(.notAuthenticated) }
      state = state == .authenticating ? .holding : .waiting
      return .hold
    case .waiting, .holding, .emulating, .connected: return .refused(.alreadyEmulating)
    case .ended: return .refused(.sessionEnded)
    case .armed:
      state = .emulating
      return .serve
    }
  }

  /// The first command of a tap. Whether to tell.
  mutating func terminalCame() -> Bool { move([.emulating: .connected]) }

  /// The field went away.
  mutating func terminalLeft() -> Departure {
    guard move([.connected: .emulating]) else { return .ignored }
    interruptions += 1
    if let retryLimit, interruptions > retryLimit { return .limitPassed(interruptions) }
    return .interrupted(interruptions)
  }

  /// Anything that ends the session. Whether this is the one terminal event.
  mutating func end() -> Bool {
    guard state != .ended else { return false }
    state = .ended
    return true
  }

  private mutating func move(_ ways: [State: State]) -> Bool {
    guard let next = ways[state] else { return false }
    state = next
    return true
  }
}
