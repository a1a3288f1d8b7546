import Foundation
import Octets
import POSIX

/// Reports the state of the server to the service manager that started it, by the protocol of sd_notify(3): one datagram
/// to the socket that `NOTIFY_SOCKET` names. A unit of systemd needs it with `Type=notify-reload` or `Type=notify`.
struct ServiceNotification: Sendable {
  /// What the server does now.
  enum State: Sendable {
    /// It listens, or a reload has ended.
    case ready
    /// It reads its files again.
    case reloading
    /// It ends.
    case stopping
  }

  private let path: String?

  /// Creates a notification for the service manager of this process. Without one every report is ignored.
  init() { path = ProcessInfo.processInfo.environment["NOTIFY_SOCKET"] }

  /// Sends a state. A failure is ignored: a service manager that misses a report has a time limit of its own.
  func report(_ state: State) {
    guard let path, let address = UnixSocketAddress(path) else { return }
    try? address.send(Array(Self.text(state).utf8))
  }

  private static func text(_ state: State) -> String {
    switch state {
    case .ready: "READY=1"
    case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(systemMonotonicMicroseconds())"
    case .stopping: "STOPPING=1"
    }
  }
}
