import Foundation
import Glibc
import Links
import POSIX

/// A real pcscd with a simulated USB bus, on which readers are plugged in and unplugged while it runs. Each reader
/// holds a card that responses 9000 to every command, and to INS 70 after 700 ms.
///
/// A library in place of libudev simulates the bus (`tools/oracles/usb_bus.c`). The names of the readers are
/// "Plugged Reader 00 00", "Plugged Reader 01 00" and so on, with the first free number.
public final class PluggableReaders: Sendable {
  /// The value for `PCSCLITE_CSOCK_NAME`, which the client library reads once per process.
  public let socketPath: String
  private let directory: String
  private let service: ProgramRun
  private let commands: Int32

  /// Starts pcscd without a reader.
  public init() throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "usb-\(UUID().uuidString.prefix(8))").path
    socketPath = directory + "/s"
    try Self.createFiles(directory)
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw ProgramRun.Failure(description: "cannot create the sockets of the USB bus")
    }
    commands = ends[1]
    let bus = Self.lifted(ends[0])
    let socket = try listeningSocket(at: socketPath, orFailWith: .serviceUnavailable)
    let listener = Descriptor.highCopy(of: socket.number)
    defer {
      close(bus)
      close(listener)
    }
    service = try ProgramRun(
      // systemd passes a socket on as descriptor 3.
      "sh", ["-c", #"LISTEN_FDS=1 LISTEN_PID=$$ LD_PRELOAD="$0/bus.so" exec pcscd -f -i -c "$0/conf""#, directory],
      environment: ["USB_BUS": "4", "USB_DRIVERS": directory + "/drivers"], descriptors: [3: listener, 4: bus])
    guard service.wait(timeout: .seconds(60), until: { $0.output.contains("daemon ready") }) else {
      throw ProgramRun.Failure(description: "pcscd did not start; its output: \(service.output)\(service.errors)")
    }
  }

  deinit {
    close(commands)
    _ = service.wait(timeout: .seconds(60))
    // A directory that cannot be removed does no harm.
    try? FileManager.default.removeItem(atPath: directory)
  }

  /// Creates the bus, the driver of its readers and the description of the driver.
  private static func createFiles(_ directory: String) throws {
    let contents = directory + "/drivers/plugged.bundle/Contents"
    for path in [contents + "/Linux", directory + "/conf"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try Data(description.utf8).write(to: URL(filePath: contents + "/Info.plist"))
    try compile("usb_bus.c", to: directory + "/bus.so")
    try compile("plugged_reader.c", to: contents + "/Linux/driver.so")
  }

  private static let description = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>CFBundleExecutable</key><string>driver.so</string>
    <key>CFBundleName</key><string>driver</string>
    <key>ifdVendorID</key><array><string>0x072F</string></array>
    <key>ifdProductID</key><array><string>0x2200</string></array>
    <key>ifdFriendlyName</key><array><string>Plugged Reader</string></array>
    </dict></plist>

    """

  private static func compile(_ name: String, to library: String) throws {
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../tools/oracles/\(name)")
    let compiler = try ProgramRun(
      "clang", ["-shared", "-fPIC", "-I/usr/include/PCSC", source.standardized.path, "-o", library])
    guard try compiler.finish() == .exited(0) else {
      throw ProgramRun.Failure(description: "\(name) does not compile: \(compiler.errors)")
    }
  }

  /// The same file under a number above 9, as `ProgramRun` requires it.
  private static func lifted(_ descriptor: Int32) -> Int32 {
    defer { close(descriptor) }
    return fcntl(descriptor, F_DUPFD_CLOEXEC, 10)
  }

  /// The environment with which a program uses this pcscd.
  public var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socketPath] }

  /// Plugs a reader in.
  ///
  /// - Parameter number: The device, 1 to 9.
  public func plugIn(_ number: Int) { send("+\(number)") }

  /// Unplugs a reader.
  ///
  /// - Parameter number: The device, 1 to 9.
  public func pullOut(_ number: Int) { send("-\(number)") }

  private func send(_ command: String) {
    let octets = Array(command.utf8)
    precondition(write(commands, octets, octets.count) == octets.count, "the USB bus has ended: \(service.output)")
  }
}
