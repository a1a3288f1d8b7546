import Foundation
import Glibc

/// A real pcscd with a USB bus, on which readers are plugged in and pulled out while it runs. Each has a card in it that
/// answers 9000 to everything, to INS 70 only after 700 ms.
///
/// The bus exists in a namespace of its own: `tools/oracles/usb_bus.py` tells how. The names of the readers are
/// "Plugged Reader 00 00", "Plugged Reader 01 00" and so on, by the first number that is free.
public final class PluggableReaders: Sendable {
  /// What the client library must find in `PCSCLITE_CSOCK_NAME`. It reads the variable once per process.
  public let socketPath: String
  private let directory: String
  private let bus: ProgramRun
  private let commands: Int32

  /// Starts pcscd without a reader.
  public init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "usb-\(UUID().uuidString.prefix(8))").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    socketPath = directory + "/s"
    let driver = directory + "/driver.so"
    let compiler = try ProgramRun(
      "clang", ["-shared", "-fPIC", "-I/usr/include/PCSC", Self.tool("plugged_reader.c"), "-o", driver])
    guard try compiler.finish() == .exited(0) else {
      throw ProgramRun.Failure(description: "no driver in \(directory): \(compiler.errors)")
    }
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw ProgramRun.Failure(description: "no pair of sockets for the bus")
    }
    let input = fcntl(ends[0], F_DUPFD_CLOEXEC, 10)
    close(ends[0])
    defer { close(input) }
    commands = ends[1]
    // Who is not root is root of a namespace.
    let rights = getuid() == 0 ? [] : ["--user", "--map-root-user"]
    bus = try ProgramRun(
      "unshare", rights + ["--mount", "--net", "python3", Self.tool("usb_bus.py"), directory, driver],
      descriptors: [0: input])
    guard bus.wait(timeout: .seconds(60), until: { $0.output.contains("ready") }) else {
      throw ProgramRun.Failure(description: "the USB bus did not start: \(bus.output)\(bus.errors)")
    }
  }

  deinit {
    close(commands)
    _ = bus.wait(timeout: .seconds(20))
    // A directory that stays harms nobody.
    try? FileManager.default.removeItem(atPath: directory)
  }

  private static func tool(_ name: String) -> String {
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../tools/oracles/\(name)").standardized
      .path
  }

  /// What a program needs in its environment to talk to this pcscd.
  public var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socketPath] }

  /// Plugs a reader in; pcscd hears of it at once.
  ///
  /// - Parameter number: The device, 1 to 9.
  public func plugIn(_ number: Int) { tell("add \(number)\n") }

  /// Pulls a reader out.
  ///
  /// - Parameter number: The device, 1 to 9.
  public func pullOut(_ number: Int) { tell("remove \(number)\n") }

  private func tell(_ command: String) {
    let octets = Array(command.utf8)
    precondition(write(commands, octets, octets.count) == octets.count, "the USB bus is gone: \(bus.errors)")
  }
}
