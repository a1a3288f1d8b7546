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
    /// On the link, no terminal there.
    case emulating
    /// A terminal talks to the card.
    case connected
    /// The terminal event was sent.
    case ended
  }

  enum EmulationResult: Equatable {
    case serve
    case refused(EmulationRefusal)
  }

  private(set) var state = State.idle

  /// `startPayment`: once per session. Whether to go on.
  mutating func start() -> Bool { move(from: [.idle], to: .authenticationRequired) }

  /// `proceed()` on the action. Whether to ask the holder.
  mutating func proceed() -> Bool { move(from: [.authenticationRequired], to: .authenticating) }

  /// The holder was verified. Whether to arm; a session that ended meanwhile must not be.
  mutating func verified() -> Bool { move(from: [.authenticating], to: .armed) }

  /// `startEmulation`.
  mutating func startEmulation() -> EmulationResult {
    switch state {
    case .idle, .authenticationRequired, .authenticating: return .refused(.notAuthenticated)
    case .emulating, .connected: return .refused(.alreadyEmulating)
    case .ended: return .refused(.sessionEnded)
    case .armed:
      state = .emulating
      return .serve
    }
  }

  /// The first command of a tap. Whether to tell.
  mutating func terminalCame() -> Bool { move(from: [.emulating], to: .connected) }

  /// The field went away in the middle of a payment. Whether to tell.
  mutating func terminalLeft() -> Bool { move(from: [.connected], to: .emulating) }

  /// Anything that ends the session. Whether this is the one terminal event.
  mutating func end() -> Bool {
    guard state != .ended else { return false }
    state = .ended
    return true
  }

  private mutating func move(from origins: [State], to next: State) -> Bool {
    guard origins.contains(state) else { return false }
    state = next
    return true
  }
}
