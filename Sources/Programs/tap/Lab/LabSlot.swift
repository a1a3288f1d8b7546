import Links
import Octets
import Synchronization

/// The slot of the card that pays. A closed slot takes no further card.
final class LabSlot<Link: EmulationLink>: Sendable {
  private struct State {
    var link: Link?
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Keeps the link of the next card, so that `close()` can stop it.
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

  /// Waits for a time, as long as the wait is needed and the slot is open.
  func rest(for time: Duration, while isNeeded: () -> Bool = { true }) async {
    let end = SystemClock().now + time
    while isNeeded(), !isClosed, SystemClock().now < end { try? await Task.sleep(for: .milliseconds(5)) }
  }

  /// Closes the slot and stops the link of its card.
  func close() {
    let last = state.withLock { state in
      state.isClosed = true
      return state.link
    }
    last?.stop()
  }
}
