public import Glibc
import Synchronization

/// A real, unmodified pcscd of our own, with one virtual reader of two slots: own socket, own ports, own configuration.
///
/// pcscd has its socket's path compiled in; it takes ours because it believes that systemd started it: a listening
/// socket as descriptor 3, `LISTEN_FDS=1`, and `LISTEN_PID` with its own process number. The process ends with its
/// owner, and with the test program however that ends.
public final class IsolatedPCSCD: Sendable {
  /// Why there is no pcscd, and what to do.
  public struct Failure: Error, CustomStringConvertible {
    /// The reason.
    public let description: String
  }

  private static let program = "/usr/sbin/pcscd"
  private static let driver = "/usr/lib/pcsc/drivers/serial/libifdvpcd.so"
  private static let friendlyName = "Contactless Test Reader"

  /// The directory of the configuration and the socket.
  public let directory: String
  /// What the client library must find in `PCSCLITE_CSOCK_NAME`. It reads the variable once per process.
  public let socketPath: String
  /// The TCP port of the first slot; the second slot has the next one.
  public let port: UInt16
  private let logsCommands: Bool
  private let processes = Mutex<(daemon: ProgramRun, watchdog: Watchdog)?>(nil)

  /// The names of the two slots, as clients see them.
  public let readerNames = ["\(friendlyName) 00 00", "\(friendlyName) 00 01"]

  /// Starts a pcscd and waits until it is ready.
  ///
  /// - Parameter logsCommands: Whether the log shows each APDU.
  public init(logsCommands: Bool = false) throws {
    for file in [Self.program, Self.driver] where access(file, R_OK) != 0 {
      throw Failure(description: "\(file) is missing: apt-get install -y pcscd libpcsclite-dev vsmartcard-vpcd")
    }
    var template = Array("/tmp/pcscd-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil, let port = freePortPair() else {
      throw Failure(description: "no directory in /tmp or no pair of free ports below 32000 for a pcscd")
    }
    directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    socketPath = directory + "/s"
    self.port = port
    self.logsCommands = logsCommands
    mkdir(directory + "/conf", 0o755)
    try addReader()
    try start()
  }

  deinit { close() }

  /// Ends pcscd and removes its directory, for an owner that is never let go of.
  public func close() {
    stop()
    _ = try? ProgramRun("rm", ["-rf", directory]).finish()
  }

  private func addReader() throws {
    let entry = """
      FRIENDLYNAME "\(Self.friendlyName)"
      DEVICENAME /dev/null:\(port)
      LIBPATH \(Self.driver)
      CHANNELID \(port)

      """
    guard let file = fopen("\(directory)/conf/vpcd", "w") else {
      throw Failure(description: "cannot write to \(directory)")
    }
    fputs(entry, file)
    fclose(file)
  }

  private func start() throws {
    guard let listener = listeningSocket(at: socketPath) else {
      throw Failure(description: "cannot listen at \(socketPath): \(String(cString: strerror(errno)))")
    }
    // Our copy must go: with it, clients of a dead pcscd would wait in the kernel's queue instead of failing.
    defer { Glibc.close(listener) }
    let script =
      "LISTEN_FDS=1 LISTEN_PID=$$ exec \(Self.program) -i \(logsCommands ? "-a" : "") -f -c \(directory)/conf"
    let daemon = try ProgramRun("sh", ["-c", script], descriptors: [3: listener])
    let watchdog = try Watchdog(over: daemon.identifier, directory: directory)
    processes.withLock { $0 = (daemon, watchdog) }
    guard daemon.wait(timeout: .seconds(20), until: { $0.output.contains("daemon ready") }),
      daemon.output.contains("Started by systemd")
    else {
      stop()
      throw Failure(description: "pcscd did not get ready; its log:\n\(daemon.output)\(daemon.errors)")
    }
  }

  /// What pcscd has logged since it was last started.
  public var log: String { processes.withLock { $0?.daemon.output ?? "" } }

  /// The process number, or nil when pcscd does not run.
  public var identifier: pid_t? {
    processes.withLock { $0?.daemon }.flatMap { $0.poll() == nil ? $0.identifier : nil }
  }

  /// What a program needs in its environment to talk to this pcscd.
  public var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socketPath] }

  /// Ends pcscd without warning.
  public func kill() { end(with: SIGKILL) }

  /// Ends pcscd in order.
  public func stop() { end(with: SIGTERM) }

  private func end(with signal: Int32) {
    guard let (daemon, _) = processes.withLock({ $0 }) else { return }
    daemon.signal(signal)
    if daemon.wait(timeout: .seconds(10)) == nil { daemon.signal(SIGKILL) }
    // The watchdog goes last, so that no way of ending leaves pcscd alone.
    if daemon.wait(timeout: .seconds(10)) != nil { processes.withLock { $0?.watchdog.dismiss() } }
  }

  /// Starts pcscd anew, at the same path and ports.
  public func restart() throws {
    stop()
    try start()
  }
}

/// A shell that waits for the end of this program, which it sees as the end of its input, and then clears up.
private final class Watchdog: Sendable {
  private let shell: ProgramRun
  private let leash: Int32

  init(over process: pid_t, directory: String) throws(ProgramRun.Failure) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw ProgramRun.Failure(description: "no pair of sockets for the watchdog")
    }
    let input = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
    leash = ends[0]
    defer {
      close(input)
      close(ends[1])
    }
    // The shell must not die with the terminal's interrupt before it has done its work.
    let script =
      "trap '' INT HUP TERM; read line; grep -q pcscd /proc/\(process)/comm && kill -9 \(process); rm -r \(directory)"
    shell = try ProgramRun("sh", ["-c", script], descriptors: [0: input])
  }

  deinit { close(leash) }

  func dismiss() {
    shell.signal(SIGKILL)
    _ = shell.wait(timeout: .seconds(10))
  }
}
