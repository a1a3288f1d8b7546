internal import ISO7816
internal import Links
internal import Octets

/// The states of a card emulation session as a pure machine: each event returns the outputs in the order in which to
/// perform them.
struct EmulationMachine {
  enum State: Equatable {
    /// The card is on no link. Emulation may start at this instant, or at once.
    case ready(from: Instant?)
    /// The card is on a link without a reader.
    case emulating
    /// A reader's field powers the card.
    case detected
    /// The reader is still there and has selected another application.
    case deselected
    /// The session has ended.
    case ended(EmulationError)
  }

  enum Output: Equatable {
    case readerDetected
    case readerDeselected(DeactivationReason)
    /// Take the card off its link and release its thread.
    case removeCard
    /// The last output.
    case invalidated(EmulationError)
  }

  private(set) var state = State.ready(from: nil)
  /// The number of the present emulation: a late event from the thread of an earlier one is ignored.
  private(set) var run = 0
  let coolDown: Duration

  /// `startEmulation`: returns the number of the run that begins.
  mutating func start(at now: Instant) throws(EmulationError) -> Int {
    switch state {
    case .ended(let error): throw error
    case .emulating, .detected, .deselected:
      throw EmulationError(.systemNotAvailable, "the card is on a link already: stop emulation first")
    case .ready(let earliest):
      if let earliest, now < earliest {
        throw EmulationError(
          .systemNotAvailable, "the cool-down after the last emulation is not over: wait \((earliest - now).text)")
      }
      run += 1
      state = .emulating
      return run
    }
  }

  /// `stopEmulation`: the session may emulate again after the cool-down.
  mutating func stop(at now: Instant) -> [Output] {
    guard isOnLink else { return [] }
    let outputs = linkLoss + [.removeCard]
    state = .ready(from: now + coolDown)
    return outputs
  }

  /// A field event of a run.
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
      return linkLoss
    case (.powered, _), (.reset, _), (.deselected, _), (.lost, _): return []
    }
  }

  /// A command arrived, so the reader is there, whatever field events came before. Returns nil when the command belongs
  /// to no present run.
  mutating func received(of run: Int) -> [Output]? {
    guard isOnLink, run == self.run else { return nil }
    defer { state = .detected }
    return state == .detected ? [] : [.readerDetected]
  }

  /// An APDU was released without a response.
  mutating func dropped(of run: Int) -> [Output] {
    let reason = "an APDU was released without a response: answer every APDU; create another session"
    return run == self.run ? end(EmulationError(.emulationStopped, reason)) : []
  }

  /// The link's thread has ended.
  mutating func linkEnded(_ error: LinkError?, of run: Int) -> [Output] {
    run == self.run ? end(EmulationError(error)) : []
  }

  /// A run has reached its time limit.
  mutating func limitReached(of run: Int) -> [Output] {
    let reason = "emulation has reached its time limit: create another session"
    return run == self.run ? end(EmulationError(.maxSessionDurationReached, reason)) : []
  }

  /// Ends the session in any state.
  mutating func invalidate(_ error: EmulationError) -> [Output] {
    if case .ended = state { return [] }
    let outputs = linkLoss + (isOnLink ? [.removeCard] : []) + [.invalidated(error)]
    state = .ended(error)
    return outputs
  }

  /// Ends the session if it is on a link.
  private mutating func end(_ error: EmulationError) -> [Output] { isOnLink ? invalidate(error) : [] }

  private var isOnLink: Bool {
    switch state {
    case .emulating, .detected, .deselected: true
    case .ready, .ended: false
    }
  }

  private var linkLoss: [Output] { state == .detected ? [.readerDeselected(.linkLoss)] : [] }
}
