import Foundation
import POSIX
import Testing

@Suite("Locks of files")
struct FileLockTests {
  private let path = FileManager.default.temporaryDirectory.appending(path: "lock-\(UUID().uuidString)").path

  @Test func `an exclusive lock excludes every other one until it is released`() throws {
    defer { unlink(path) }
    var lock: FileLock? = try FileLock(path, within: .zero)
    for kind in [FileLock.Kind.exclusive, .shared] {
      #expect(throws: SystemError(EWOULDBLOCK)) { try FileLock(path, kind, within: .zero) }
    }
    withExtendedLifetime(lock) {}
    lock = nil
    _ = try FileLock(path, within: .zero)
  }

  @Test func `shared locks exist at the same time`() throws {
    defer { unlink(path) }
    let (first, second) = (try FileLock(path, .shared, within: .zero), try FileLock(path, .shared, within: .zero))
    #expect(throws: SystemError(EWOULDBLOCK)) { try FileLock(path, within: .milliseconds(20)) }
    withExtendedLifetime((first, second)) {}
  }

  @Test func `a lock in a folder that is missing is the error of the system`() {
    #expect(throws: SystemError(ENOENT)) { try FileLock(path + "/lock", within: .zero) }
    #expect("\(SystemError(ENOENT))" == "No such file or directory")
  }
}
