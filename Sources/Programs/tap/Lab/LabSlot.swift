import Links
import Synchronization

/// Where the card of the present payment lies; once closed, there is no other.
final class LabSlot<Link: EmulationLink>: Sendable {
  private struct State {
    var link: Link?
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Takes the link of the next card, so that it can be stopped.
  func put(_ link: Link) throws(LinkError) -> Link {
    let isClosed = state.withLock { state in
      if !state.isClosed { state.link = link }
      return state.isClosed
    }
    guard !isClosed else { throw LinkError(.stopped, "the simulated reader was stopped") }
    return link
  }

  var link: Link? { state.withLock { $0.link } }
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Waits for a time, or until there is nothing to wait for, but not after the slot is closed.
  func rest(for time: Duration, while isNeeded: () -> Bool = { true }) async {
    let end = ContinuousClock.now + time
    while isNeeded(), !isClosed, ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(5)) }
  }

  /// Ends the payment that waits.
  func close() {
    let last = state.withLock { state in
      state.isClosed = true
      return state.link
    }
    last?.stop()
  }
}
