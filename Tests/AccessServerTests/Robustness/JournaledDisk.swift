import Foundation
import TestSupport

/// An ext4 file system in a file, mounted for one test. Unlike a tmpfs it can become read-only while files are open for writing.
/// It needs the right to mount, as root has.
final class JournaledDisk {
  struct NotMounted: Error, CustomStringConvertible {
    let description: String
  }

  private let scratch: Scratch
  /// The path of the mounted directory.
  let path: String

  /// Mounts an empty file system of 32 MiB.
  init() throws {
    scratch = try Scratch()
    path = scratch.path("disk")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let image = scratch.path("image")
    try Self.run("truncate", "--size=32M", image)
    try Self.run("/usr/sbin/mkfs.ext4", "-q", image)
    try Self.run("mount", "-o", "loop", image, path)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
  }

  deinit { try? Self.run("umount", "--lazy", path) }

  /// Makes the file system read-only, as the kernel does after an error of the disk.
  func abort() throws { try Self.run("mount", "-o", "remount,abort", path) }

  private static func run(_ program: String, _ arguments: String...) throws {
    let run = try ProgramRun(program, arguments)
    guard try run.finish() == .exited(0) else { throw NotMounted(description: "\(program): \(run.errors)") }
  }
}
