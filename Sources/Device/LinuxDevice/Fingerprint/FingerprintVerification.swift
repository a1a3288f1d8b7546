internal import DeviceAuthentication

/// One prompt of a fingerprint reader as a state machine: events of the bus in, the next call out.
///
/// ```
/// finding ─ listing ─ claiming ─ starting ─ verifying ─ stopping ─ releasing ─ ended
///                                   └──── next finger ◄────┘
/// ```
///
/// A sensor that cannot search its prints compares a scan with one finger. It reports which one it has selected, and a
/// scan that does not match is counted only after every enrolled finger had its turn. After a cancel every result of
/// the sensor is ignored: fprintd reports a scan that does not match when a verification is stopped.
struct FingerprintVerification: Sendable {
  typealias Outcome = Result<BiometricResult, DeviceAuthenticationError>

  enum Event: Equatable, Sendable {
    /// The reply to the last call, with the device or the fingers that it returns.
    case device(String)
    case fingers([String])
    case done
    case failed(BusError)
    /// Signals of the sensor.
    case selected(String)
    case status(Fprint.Status, isLast: Bool)
    /// The service or the bus has ended.
    case lost(BusError)
    case cancelled
    /// The time for closing a cancelled prompt is over.
    case graceEnded
  }

  enum Action: Equatable, Sendable {
    case call(Fprint.Call)
    case wait
    /// The result. The caller closes the connection, which releases the sensor in any case.
    case end(Outcome)
  }

  /// The comparison with one finger, or with all.
  struct Attempt: Equatable, Sendable {
    let finger: String
    /// The fingers that come after this one if it does not match.
    var following: [String]
  }

  private enum Next: Equatable, Sendable {
    case start(Attempt)
    case release(Outcome)
  }

  private enum State: Equatable, Sendable {
    case finding
    case listing
    case claiming
    case starting(Attempt)
    case verifying(Attempt)
    case stopping(Next)
    case releasing(Outcome)
    case ended(Outcome)
  }

  private let user: String
  private var device = ""
  private var fingers: [String] = []
  private var state = State.finding
  private var isCancelled = false

  /// Starts with the call `defaultDevice`.
  init(user: String) {
    self.user = user
  }

  /// The first call.
  static let first = Fprint.Call.defaultDevice

  mutating func receive(_ event: Event) -> Action {
    if case .ended(let outcome) = state { return .end(outcome) }
    switch event {
    case .cancelled: return cancel()
    case .graceEnded: return end(.success(.cancelled))
    case .lost(let error): return end(.failure(error.deviceError))
    case .failed(let error): return fail(error)
    case .device(let path): return find(path)
    case .fingers(let fingers): return list(fingers)
    case .done: return goOn()
    case .selected(let finger): return select(finger)
    case .status(let status, let isLast): return judge(status, isLast)
    }
  }

  private mutating func cancel() -> Action {
    isCancelled = true
    switch state {
    case .finding, .listing: return end(.success(.cancelled))
    case .verifying: return stop(then: .release(.success(.cancelled)))
    // The reply is needed first: a call that is under way cannot be taken back.
    case .claiming, .starting, .stopping, .releasing, .ended: return .wait
    }
  }

  private mutating func find(_ path: String) -> Action {
    guard case .finding = state else { return .wait }
    device = path
    state = .listing
    return .call(.enrolledFingers(device: path, user: user))
  }

  private mutating func list(_ fingers: [String]) -> Action {
    guard case .listing = state else { return .wait }
    guard !fingers.isEmpty else {
      return end(.failure(.biometricNotEnrolled("enrol a finger with fprintd-enroll")))
    }
    self.fingers = fingers
    state = .claiming
    return .call(.claim(device: device, user: user))
  }

  /// The last call has succeeded.
  private mutating func goOn() -> Action {
    switch state {
    case .claiming where isCancelled: return release(.success(.cancelled))
    case .claiming: return start(Attempt(finger: Fprint.anyFinger, following: []))
    case .starting where isCancelled: return stop(then: .release(.success(.cancelled)))
    case .starting(let attempt):
      state = .verifying(attempt)
      return .wait
    case .stopping(.start(let attempt)): return isCancelled ? release(.success(.cancelled)) : start(attempt)
    case .stopping(.release(let outcome)): return release(outcome)
    case .releasing(let outcome): return end(outcome)
    case .finding, .listing, .verifying, .ended: return .wait
    }
  }

  private mutating func fail(_ error: BusError) -> Action {
    switch state {
    case .finding, .listing, .claiming: return end(.failure(error.deviceError))
    case .starting, .stopping(.start): return release(.failure(error.deviceError))
    // A sensor that was unplugged can neither be stopped nor released.
    case .stopping(.release(let outcome)): return release(outcome)
    case .releasing(let outcome): return end(outcome)
    case .verifying, .ended: return .wait
    }
  }
}

extension FingerprintVerification {
  /// The sensor has selected a finger for a comparison with all of them: the others come after it.
  private mutating func select(_ finger: String) -> Action {
    switch state {
    case .starting(var attempt) where attempt.finger == Fprint.anyFinger:
      attempt.following = others(than: finger)
      state = .starting(attempt)
    case .verifying(var attempt) where attempt.finger == Fprint.anyFinger:
      attempt.following = others(than: finger)
      state = .verifying(attempt)
    default: break
    }
    return .wait
  }

  private func others(than finger: String) -> [String] {
    finger == Fprint.anyFinger ? [] : fingers.filter { $0 != finger }
  }

  /// Judges a result of the sensor. Results outside a comparison, or after a cancel, are ignored.
  private mutating func judge(_ status: Fprint.Status, _ isLast: Bool) -> Action {
    let attempt: Attempt
    switch state {
    case .starting(let present), .verifying(let present): attempt = present
    case .finding, .listing, .claiming, .stopping, .releasing, .ended: return .wait
    }
    if isCancelled { return .wait }
    switch status {
    case .match: return stop(then: .release(.success(.matched)))
    case .noMatch:
      guard let next = attempt.following.first else { return stop(then: .release(.success(.notMatched))) }
      return stop(then: .start(Attempt(finger: next, following: Array(attempt.following.dropFirst()))))
    case .retry: return isLast ? stop(then: .start(attempt)) : .wait
    case .disconnected:
      return stop(then: .release(.failure(.unavailable(reason: "the fingerprint reader was disconnected"))))
    case .failed:
      guard isLast else { return .wait }
      return stop(then: .release(.failure(.unavailable(reason: "the fingerprint reader reports a failure"))))
    }
  }

  private mutating func start(_ attempt: Attempt) -> Action {
    state = .starting(attempt)
    return .call(.startVerification(device: device, finger: attempt.finger))
  }

  private mutating func stop(then next: Next) -> Action {
    state = .stopping(next)
    return .call(.stopVerification(device: device))
  }

  private mutating func release(_ outcome: Outcome) -> Action {
    state = .releasing(outcome)
    return .call(.release(device: device))
  }

  private mutating func end(_ outcome: Outcome) -> Action {
    let final = isCancelled ? .success(.cancelled) : outcome
    state = .ended(final)
    return .end(final)
  }
}
