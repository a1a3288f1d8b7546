internal import Foundation
internal import Links
internal import Octets
internal import POSIX

/// Sends messages of udev to all programs that listen, in order, on a thread of its own: a send blocks while the queue of
/// a program is full, and that program may be waiting for the bus.
final class UEventQueue: Sendable {
  private struct State {
    var events: [UEvent] = []
    var isClosed = false
  }

  private let state = WaitableState(State())

  /// - Parameter root: The directory in which umockdev makes a socket for each program that listens.
  init(root: String) {
    let state = state
    _ = DedicatedThread(named: "uevents") {
      while let events = Self.next(of: state) {
        for event in events { Self.send(event, in: root) }
      }
    }
  }

  func append(_ events: [UEvent]) { state.update { $0.events += events } }

  /// Ends the thread after the messages that were appended before.
  func close() { state.update { $0.isClosed = true } }

  private static func next(of state: WaitableState<State>) -> [UEvent]? {
    let events = state.wait { state -> [UEvent]? in
      if state.events.isEmpty { return state.isClosed ? [] : nil }
      return exchange(&state.events, with: [])
    }
    return events.flatMap { $0.isEmpty ? nil : $0 }
  }

  private static func send(_ event: UEvent, in root: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    for name in names where name.hasPrefix("event") {
      // A program that does not listen any more has left its socket behind.
      try? UnixSocketAddress("\(root)/\(name)")?.send(event.octets)
    }
  }
}
