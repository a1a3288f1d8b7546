import Foundation

/// A thread of this process, by its number in the kernel. The kernel does not use the number of a thread that has ended
/// again soon; the address of its `pthread_t` is used for the next thread.
public struct SystemThread: Hashable, Sendable {
  /// The directory of the thread below /proc.
  private let directory: String
  /// The name of the thread when this value was made.
  public let name: String?

  /// The thread that calls this.
  public static var present: SystemThread {
    let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
    return SystemThread(directory: place ?? "", name: Thread.current.name)
  }

  /// Whether the thread has not ended.
  public var isRunning: Bool { FileManager.default.fileExists(atPath: "/proc/\(directory)") }
}
