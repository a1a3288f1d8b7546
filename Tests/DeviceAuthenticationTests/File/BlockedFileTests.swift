import DeviceAuthentication
import Foundation
import Glibc
import Synchronization
import Testing

/// What has ended, in this order.
private final class Order: Sendable {
  private let ended = Mutex<[String]>([])

  var names: [String] { ended.withLock { $0 } }

  func note(_ name: String) { ended.withLock { $0.append(name) } }
}

@Suite("Files of devices that another process holds", .timeLimit(.minutes(20)))
struct BlockedFileTests {
  @Test func `accesses that wait for their files do not delay other tasks`() async throws {
    // Twice as many as the cooperative pool has threads.
    let directories = try (0..<2 * max(2, ProcessInfo.processInfo.activeProcessorCount)).map { _ in
      try DeviceDirectory()
    }
    let devices = try directories.map { try $0.phone() }
    let locks = directories.map { open($0.path + ".lock", O_RDWR | O_CLOEXEC) }
    defer { for lock in locks { close(lock) } }
    for lock in locks { try #require(flock(lock, LOCK_EX) == 0) }
    let order = Order()
    await withTaskGroup { group in
      for device in devices {
        group.addTask {
          _ = try? await device.ports.keys.create(.sealing)
          order.note("access")
        }
      }
      group.addTask { order.note("other task") }
    }
    #expect(order.names == ["other task"] + devices.map { _ in "access" })
  }
}
