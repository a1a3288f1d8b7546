internal import ISO7816
internal import Octets

/// The order of a card emulation session as a pure machine: event in, outputs in the order to act on them.
struct EmulationMachine {
  enum State: Equatable {
    /// Nothing is on a link. Emulation may start at this instant, or at once.
    case ready(from: Instant?)
    /// On a link, no reader there.
    case emulating
    /// A reader's field powers the card.
    case detected
    /// The reader is still there, and has chosen something else.
    case deselected
    /// The last event was told.
    case ended(EmulationError)
  }

  enum Output: Equatable {
    case readerDetected
    case readerDeselected(DeactivationReason)
    /// Take the card off its link and release its thread.
    case leaveLink
    /// The last one; nothing follows.
    case invalidated(EmulationError)
  }

  private(set) var state = State.ready(from: nil)
  /// Which emulation it is, so that a late word from an earlier one's thread is not taken for this one's.
  private(set) var run = 0
  let coolDown: Duration

  init(coolDown: Duration) { self.coolDown = coolDown }

  /// `startEmulation`: gives the number of the run that begins.
  mutating func start(at now: Instant) throws(EmulationError) -> Int {
    switch state {
    case .ended(let error): throw error
    case .emulating, .detected, .deselected:
      throw EmulationError(.systemNotAvailable, "the card is on a link already: stop emulation first")
    case .ready(let earliest):
      if let earliest, now < earliest {
        throw EmulationError(.systemNotAvailable, "emulation stopped a moment ago: wait \(earliest - now)")
      }
      run += 1
      state = .emulating
      return run
    }
  }

  /// `stopEmulation`: the session may emulate again after the cool-down.
  mutating func stop(at now: Instant) -> [Output] {
    guard isOnLink else { return [] }
    let outputs = goodbye + [.leaveLink]
    state = .ready(from: now + coolDown)
    return outputs
  }

  /// The field of a run, as its link tells it.
  mutating func field(_ event: FieldEvent, of run: Int) -> [Output] {
    guard isOnLink, run == self.run else { return [] }
    switch (event, state) {
    case (.powered, .emulating):
      state = .detected
      return [.readerDetected]
    case (.reset, .detected): return [.readerDeselected(.linkLoss), .readerDetected]
    case (.deselected, .detected):
      state = .deselected
      return [.readerDeselected(.deselected)]
    case (.reset, .deselected):
      state = .detected
      return [.readerDetected]
    case (.lost, .detected), (.lost, .deselected):
      defer { state = .emulating }
      return goodbye
    case (.powered, _), (.reset, _), (.deselected, _), (.lost, _): return []
    }
  }

  /// A command came: the reader is there, or is back at this card, whatever was heard of its field. Nil when the
  /// session does not listen any more.
  mutating func received(of run: Int) -> [Output]? {
    guard isOnLink, run == self.run else { return nil }
    defer { state = .detected }
    return state == .detected ? [] : [.readerDetected]
  }

  /// An APDU was let go without an answer.
  mutating func dropped(of run: Int) -> [Output] {
    let reason = "an APDU was let go unanswered: answer each one; begin another session"
    return run == self.run ? end(EmulationError(.emulationStopped, reason)) : []
  }

  /// The link's thread has ended.
  mutating func linkEnded(_ error: LinkError?, of run: Int) -> [Output] {
    run == self.run ? end(EmulationError(error)) : []
  }

  /// The emulation limit of a run has come.
  mutating func limitReached(of run: Int) -> [Output] {
    let reason = "emulation has reached its time limit: begin another session"
    return run == self.run ? end(EmulationError(.maxSessionDurationReached, reason)) : []
  }

  /// Ends the session whether or not it emulates.
  mutating func invalidate(_ error: EmulationError) -> [Output] {
    if case .ended = state { return [] }
    let outputs = goodbye + (isOnLink ? [.leaveLink] : []) + [.invalidated(error)]
    state = .ended(error)
    return outputs
  }

  /// Ends the session because of something that only means anything on a link.
  private mutating func end(_ error: EmulationError) -> [Output] { isOnLink ? invalidate(error) : [] }

  private var isOnLink: Bool {
    switch state {
    case .emulating, .detected, .deselected: true
    case .ready, .ended: false
    }
  }

  private var goodbye: [Output] { state == .detected ? [.readerDeselected(.linkLoss)] : [] }
}
