import Foundation
import Glibc

/// A file system of a fixed size in memory, mounted for one test. It needs the right to mount, as root has.
public final class MountedDisk: Sendable {
  struct NotMounted: Error, CustomStringConvertible {
    let description = "cannot mount a tmpfs: run the tests as root, or in a container that may mount"
  }

  private let scratch: Scratch
  /// The path of the mounted directory.
  public let path: String

  /// Mounts an empty file system.
  ///
  /// - Parameter kilobytes: Its size.
  public init(kilobytes: Int) throws {
    scratch = try Scratch()
    path = scratch.path("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    guard try Self.run("mount", "-t", "tmpfs", "-o", "size=\(kilobytes)k,mode=0700", "tmpfs", path) else {
      throw NotMounted()
    }
  }

  deinit { _ = try? Self.run("umount", "--lazy", path) }

  /// Makes the file system read-only.
  public func makeReadOnly() throws {
    guard try Self.run("mount", "-o", "remount,ro", path) else { throw NotMounted() }
  }

  /// Fills the file system with one file. Removing that file makes room again.
  ///
  /// - Returns: The path of the file.
  public func fill() throws -> String {
    let filler = path + "/filler"
    // A process that another test starts now must not inherit the descriptor: the removed file would keep its space.
    // FileHandle opens without close-on-exec.
    let descriptor = open(filler, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw NotMounted() }
    defer { close(descriptor) }
    let block = [UInt8](repeating: 1, count: 4_096)
    while true {
      guard write(descriptor, block, block.count) < 0 else { continue }
      if errno == ENOSPC { return filler }
      guard errno == EINTR else { throw NotMounted() }
    }
  }

  private static func run(_ program: String, _ arguments: String...) throws -> Bool {
    try ProgramRun(program, arguments).finish(timeout: .seconds(60)) == .exited(0)
  }
}
