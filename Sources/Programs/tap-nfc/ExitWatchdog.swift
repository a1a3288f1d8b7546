import Foundation
import Glibc
import Links

/// Makes sure that this process ends with the field off, also when a call of libnfc never returns.
///
/// After the request queue is closed, the thread that calls libnfc has `releaseLimit` to switch the field off and to
/// return from `main`. If it does not, this process replaces itself by a new `tap-nfc` that opens the device again,
/// switches the field off and exits.
enum ExitWatchdog {
  /// How long the blocked call and the release of the device may take. They take milliseconds, on a loaded machine
  /// seconds.
  private static let releaseLimit = Duration.seconds(6)
  /// How many seconds the replacement may take before the kernel ends it.
  private static let replacementLimit: UInt32 = 6
  /// The first argument of the replacement; the second one is the connection string.
  static let releaseArgument = "--release-field"

  /// Watches a queue on a thread of its own.
  ///
  /// - Parameter device: The connection string of the open device, or nil.
  static func watch(_ queue: RequestQueue, device: WaitableState<String?>) {
    Thread.detachNewThread {
      queue.waitUntilClosed()
      pause(for: releaseLimit)
      guard let connstring = device.read({ $0 }) else { exit(0) }
      replaceProcess(toRelease: connstring)
    }
  }

  private static func replaceProcess(toRelease connstring: String) -> Never {
    alarm(replacementLimit)
    // The strings stay allocated: the call returns only when it fails.
    let arguments = unsafe [strdup("tap-nfc"), strdup(releaseArgument), strdup(connstring), nil]
    unsafe execv("/proc/self/exe", arguments)
    exit(1)
  }
}
