import DeviceAuthentication
import Foundation
import LinuxDevice
import TestSupport

/// A system bus with fprintd and a virtual reader, for one test, in a directory of its own. Its programs end with it.
///
/// The bus is dbus-daemon, fprintd and libfprint are those of the machine, and polkit is a mock that allows or denies
/// every action.
final class FingerprintStage: Sendable {
  /// The virtual readers of libfprint.
  enum Reader: String {
    /// Compares a scan with one print, the first one of the user unless a finger is named.
    case comparing = "FP_VIRTUAL_DEVICE"
    /// Gives pictures to the matcher of libfprint, which searches among all prints.
    case picturing = "FP_VIRTUAL_IMAGE"
    /// No reader.
    case none = "FP_VIRTUAL_NONE"
  }

  static let user = "cardholder"
  static let limit = Duration.seconds(600)
  private let scratch: Scratch
  private let bus: ProgramRun
  private let polkit: ProgramRun
  let service: ProgramRun
  private let monitor: ProgramRun

  init(_ reader: Reader = .comparing, isAllowed: Bool = true) throws {
    let scratch = try Scratch()
    self.scratch = scratch
    let environment = ["DBUS_SYSTEM_BUS_ADDRESS": Self.address(in: scratch)]
    bus = try Self.startBus(in: scratch)
    polkit = try Self.start("/usr/bin/python3", ["-m", "dbusmock", "--system", "--template", "polkitd"], environment)
    try Self.await("org.freedesktop.PolicyKit1", from: polkit, environment)
    try Self.run(
      "gdbus",
      [
        "call", "--system", "-d", "org.freedesktop.PolicyKit1", "-o", "/org/freedesktop/PolicyKit1/Authority", "-m",
        "org.freedesktop.DBus.Mock.AllowUnknown", "\(isAllowed)",
      ], environment)
    service = try Self.start(
      "/usr/libexec/fprintd", ["-t"],
      environment.merging(["STATE_DIRECTORY": scratch.path("state"), reader.rawValue: scratch.path("reader")]) { $1 })
    try Self.await("net.reactivated.Fprint", from: service, environment)
    monitor = try Self.start("gdbus", ["monitor", "--system", "-d", "net.reactivated.Fprint"], environment)
    guard monitor.wait(timeout: Self.limit, until: { $0.output.contains("is owned by") }) else {
      throw MissingComponent(description: "gdbus monitor does not start: \(monitor.errors)")
    }
  }

  deinit {
    for program in [monitor, service, polkit, bus] {
      program.signal(SIGKILL)
      _ = program.wait(timeout: Self.limit)
    }
  }

  private static func address(in scratch: Scratch) -> String { "unix:path=\(scratch.path("bus"))" }

  /// The directory of fprintd's prints.
  var prints: String { scratch.path("state") }

  var address: String { Self.address(in: scratch) }

  var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": address] }

  func makeReader() -> FingerprintReader {
    FingerprintReader(user: Self.user, address: address, store: scratch.path("state"))
  }

  private static func startBus(in scratch: Scratch) throws -> ProgramRun {
    let file = try scratch.write(
      "bus.conf",
      """
      <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
        "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
      <busconfig><type>system</type><listen>\(address(in: scratch))</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/>
      <allow own="*"/><allow user="*"/></policy></busconfig>
      """)
    try FileManager.default.createDirectory(atPath: scratch.path("state"), withIntermediateDirectories: true)
    let bus = try start("dbus-daemon", ["--config-file=\(file)", "--nofork"], [:])
    guard bus.wait(timeout: limit, until: { _ in LocalSocket.accepts(scratch.path("bus")) }) else {
      throw MissingComponent(description: "dbus-daemon does not start: \(bus.errors)")
    }
    return bus
  }

  private static func start(
    _ program: String, _ arguments: [String], _ environment: [String: String]
  ) throws -> ProgramRun {
    do {
      return try ProgramRun(program, arguments, environment: environment)
    } catch {
      throw MissingComponent(description: "\(error). Run tools/setup --tests")
    }
  }

  @discardableResult
  private static func run(
    _ program: String, _ arguments: [String], _ environment: [String: String]
  ) throws -> String {
    let run = try start(program, arguments, environment)
    guard try run.finish(timeout: limit) == .exited(0) else {
      throw MissingComponent(description: "\(program) \(arguments): \(run.output)\(run.errors)")
    }
    return run.output
  }

  private static func await(_ name: String, from program: ProgramRun, _ environment: [String: String]) throws {
    do {
      try run("gdbus", ["wait", "--system", "--timeout", "600", name], environment)
    } catch {
      throw MissingComponent(description: "\(name) does not start, run tools/setup --tests: \(program.errors)")
    }
  }

  /// Runs a program of the bus, such as gdbus.
  @discardableResult
  func run(_ program: String, _ arguments: String...) throws -> String {
    try Self.run(program, arguments, environment)
  }

  func killBus() { bus.signal(SIGKILL) }

  func killService() { service.signal(SIGKILL) }
}

extension FingerprintStage {
  /// Gives commands to the reader as soon as it waits for a finger: `SCAN id`, `RETRY n`, `UNPLUG`. The first one is for
  /// the prompt that is open, the others for it or the next ones. The reader drops commands that come before a prompt.
  ///
  /// - Parameter count: How many comparisons must have started since the stage was made.
  func scan(_ commands: String..., comparison count: Int = 0) throws {
    _ = monitor.wait(timeout: Self.limit) { $0.output.components(separatedBy: "VerifyFingerSelected").count > count }
    awaitPrompt()
    for command in commands { try send(Array(command.utf8)) }
  }

  /// Waits until the reader waits for a finger, or fprintd has ended.
  func awaitPrompt() {
    _ = monitor.wait(timeout: Self.limit) { [self] _ in service.poll() != nil || isWaitingForFinger }
  }

  /// Whether the reader waits for a finger now. The bus is only asked when the last announcement says so, which may be late:
  /// the program that asks takes more time than the rest of a test that waits.
  var isWaitingForFinger: Bool {
    let announced = monitor.output
    guard let last = announced.ranges(of: "'finger-needed': <").last,
      announced[last.upperBound...].hasPrefix("true")
    else { return false }
    let property = try? run(
      "gdbus", "call", "--system", "-d", "net.reactivated.Fprint", "-o", "/net/reactivated/Fprint/Device/0", "-m",
      "org.freedesktop.DBus.Properties.Get", "net.reactivated.Fprint.Device", "finger-needed")
    return property?.contains("true") == true
  }

  /// Gives bytes to the reader over a connection of their own.
  func send(_ octets: [UInt8]) throws {
    let path = scratch.path("reader")
    guard service.wait(timeout: Self.limit, until: { _ in LocalSocket.send(octets, to: path) }) else {
      throw MissingComponent(description: "the virtual reader does not open: \(service.errors)")
    }
  }

  /// Enrols a finger with the program of fprintd.
  private func enrol(_ finger: String, scanning scan: (ProgramRun) throws -> Void) throws {
    let run = try Self.start("fprintd-enroll", ["-f", finger, Self.user], environment)
    try scan(run)
    guard try run.finish(timeout: Self.limit) == .exited(0), run.output.contains("enroll-completed") else {
      throw MissingComponent(description: "fprintd-enroll: \(run.output)\(run.errors)\n\(service.errors)")
    }
  }

  /// Enrols a finger of the virtual reader that compares names.
  func enrol(_ finger: String, as name: String) throws {
    try enrol(finger) { _ in try scan("SCAN \(name)", "SCAN \(name)", "SCAN \(name)", "SCAN \(name)", "SCAN \(name)") }
  }

  /// Enrols a finger of the virtual reader that takes pictures, one for each stage.
  func enrol(_ finger: String, pictures: (Int) -> [UInt8]) throws {
    try enrol(finger) { run in
      var stages = 0
      while run.poll() == nil, !run.output.contains("enroll-completed") {
        awaitPrompt()
        try send(pictures(stages))
        stages += 1
        _ = run.wait(timeout: Self.limit) { $0.output.components(separatedBy: "Enroll result").count > stages }
      }
    }
  }
}

/// A client of a Unix socket.
enum LocalSocket {
  static func accepts(_ path: String) -> Bool { send([], to: path) { _ in } }

  /// Connects, sends, and waits until the server has read everything and closes. The virtual readers drop a connection
  /// when the next one comes, so they must have read before. Returns whether the bytes were sent.
  static func send(_ octets: [UInt8], to path: String) -> Bool {
    send(octets, to: path) { descriptor in
      shutdown(descriptor, Int32(SHUT_WR))
      var limit = timeval(tv_sec: 600, tv_usec: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      var octet: UInt8 = 0
      while read(descriptor, &octet, 1) > 0 {}
    }
  }

  /// Opens a socket to which programs can connect, and on which nothing answers.
  static func listen(at path: String) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    guard with(path, { bind(descriptor, $0, $1) }) == 0, Glibc.listen(descriptor, 8) == 0 else { return nil }
    return descriptor
  }

  private static func with(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }

  private static func send(_ octets: [UInt8], to path: String, then finish: (Int32) -> Void) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    guard with(path, { connect(descriptor, $0, $1) }) == 0 else { return false }
    var rest = octets[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    finish(descriptor)
    return true
  }
}
