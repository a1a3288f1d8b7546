internal import Foundation
internal import Glibc
public import Links
internal import Synchronization

/// A real, unmodified pcscd of one's own: own readers, own socket, beside the system's and any number of others.
///
/// pcscd has its socket's path compiled in; it takes ours because it believes that systemd started it: a listening
/// socket as descriptor 3, `LISTEN_FDS=1`, and `LISTEN_PID` with its own process number. It ends with its owner, and
/// with this program however that ends. Its readers are those it was last started with: pcscd 1.9.9 does not read its
/// configuration a second time.
public final class PrivateReaderService: Sendable {
  private static let program = "/usr/sbin/pcscd"

  /// The directory of configuration, socket and log. It goes with the service.
  public let directory: String
  private let logsCommands: Bool
  private let watchdog: ServiceWatchdog
  private let configuration: Mutex<ReaderConfiguration>
  private let daemon = Mutex<ChildProcess?>(nil)
  /// Locked for as long as pcscd is being started or ended: one of these at a time.
  private let isClosed = Mutex(false)

  /// Starts a pcscd and waits until its readers are there: a tenth of a second; at most 20 s. Blocks.
  ///
  /// - Parameters:
  ///   - readers: At least one, of different names and at most 16 slots in all; others trap.
  ///   - logsCommands: Whether the log shows each command and response, card numbers included.
  /// - Throws: `LinkError`: `.serviceUnavailable` when pcscd is missing or does not start, `.readerUnavailable` when a
  ///   driver is missing or cannot open its device.
  public init(readers: [ReaderEntry], logsCommands: Bool = false) throws(LinkError) {
    guard FileManager.default.isExecutableFile(atPath: Self.program) else {
      throw LinkError(.serviceUnavailable, "\(Self.program) is missing: apt-get install -y pcscd")
    }
    configuration = Mutex(try ReaderConfiguration(readers))
    self.logsCommands = logsCommands
    directory = try temporaryDirectory()
    do throws(LinkError) {
      watchdog = try ServiceWatchdog(over: directory)
    } catch {
      // The directory is new and empty; its path is only read.
      _ = unsafe rmdir(directory)
      throw error
    }
    try start()
  }

  /// Starts a pcscd whose first reader is a virtual one, at ports that nobody uses.
  ///
  /// - Parameters:
  ///   - name: The virtual reader's; 1 to 121 octets, no quotation mark.
  ///   - further: Readers beside it.
  ///   - logsCommands: Whether the log shows each command and response, card numbers included.
  /// - Throws: `LinkError`, as the initialiser does.
  public static func withVirtualReader(
    named name: String, further: [ReaderEntry] = [], logsCommands: Bool = false
  ) throws(LinkError) -> PrivateReaderService {
    for _ in 0..<3 {
      do throws(LinkError) {
        return try PrivateReaderService(readers: [.virtualReader(named: name)] + further, logsCommands: logsCommands)
      } catch {
        // Somebody was faster at a port: pcscd binds it a moment after it was found free.
        guard error.code == .readerUnavailable else { throw error }
      }
    }
    return try PrivateReaderService(readers: [.virtualReader(named: name)] + further, logsCommands: logsCommands)
  }

  deinit { close() }

  /// What the client library must find in `PCSCLITE_CSOCK_NAME`. It reads the variable once per process.
  public var socketPath: String { directory + "/s" }

  /// What a program needs in its environment to talk to this service and no other.
  public var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socketPath] }

  /// The readers, each with the names of its slots.
  public var readers: [ReaderEntry] { configuration.withLock(\.readers) }

  /// What programs call the slots of all readers.
  public var readerNames: [String] { configuration.withLock(\.slotNames) }

  /// What pcscd has logged since it was last started.
  public var log: String {
    FileManager.default.contents(atPath: logPath).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private var logPath: String { directory + "/log" }

  /// The process number, or nil when pcscd does not run.
  public var identifier: Int32? { daemon.withLock { $0.flatMap { $0.isRunning ? $0.identifier : nil } } }

  /// Ends pcscd without warning; its readers can come back by `restart()`.
  public func kill() { isClosed.withLock { _ in end(with: SIGKILL) } }

  /// Ends pcscd in order; its readers can come back by `restart()`.
  public func stop() { isClosed.withLock { _ in end(with: SIGTERM) } }

  /// Starts pcscd anew, with the same socket. Blocks as long as the first start.
  ///
  /// - Parameter readers: Those it has from now on, with the same limits; nil is those it has.
  /// - Throws: `LinkError`, as the first start does; `.serviceUnavailable` after `close()`.
  public func restart(readers: [ReaderEntry]? = nil) throws(LinkError) {
    let next = try readers.map { (readers) throws(LinkError) in try ReaderConfiguration(readers) }
    try isClosed.withLock { (isClosed) throws(LinkError) in
      guard !isClosed else { throw LinkError(.serviceUnavailable, "this pcscd was closed; start another one") }
      end(with: SIGTERM)
      if let next { configuration.withLock { $0 = next } }
      try start()
    }
  }

  /// Ends pcscd for good and removes its directory. Does nothing the second time.
  public func close() {
    isClosed.withLock { isClosed in
      isClosed = true
      end(with: SIGTERM)
      watchdog.dismiss()
    }
  }

  private func end(with signal: Int32) {
    daemon.withLock { daemon in
      guard let process = daemon else { return }
      process.end(with: signal, within: .seconds(10)) { watchdog.forget() }
      daemon = nil
    }
  }

  private func start() throws(LinkError) {
    try configuration.withLock { $0 }.write(to: directory)
    let listener = Descriptor(owning: try listeningSocket(at: socketPath, orFailWith: .serviceUnavailable))
    // Our copy goes with this frame: with it, clients of a dead pcscd would wait in the kernel's queue and not fail.
    let process = try ChildProcess(
      // The process tells the watchdog its number itself, so that there is no moment without one.
      script: #"echo $$ >&4; exec 4>&-; LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@""#,
      [Self.program, "--info", "--foreground", "--config", directory + "/conf"] + (logsCommands ? ["--apdu"] : []),
      descriptors: [3: listener.number, 4: watchdog.leash], output: logPath)
    daemon.withLock { $0 = process }
    let isReady = process.waits(for: .seconds(20)) { self.log.contains("daemon ready") }
    do throws(LinkError) {
      try check(log, isReady: isReady)
    } catch {
      end(with: SIGTERM)
      throw error
    }
  }

  private func check(_ log: String, isReady: Bool) throws(LinkError) {
    guard isReady, log.contains("Started by systemd") else {
      throw LinkError(.serviceUnavailable, "pcscd did not get ready; its log:\n\(log)")
    }
    if log.contains(" init failed.") {
      throw LinkError(
        .readerUnavailable,
        """
        pcscd cannot open each of \(readers.map(\.friendlyName).joined(separator: ", ")): another program uses its port or device, \
        or the driver is none; pcscd's log:
        \(log)
        """)
    }
  }
}

private func temporaryDirectory() throws(LinkError) -> String {
  // Short, since a socket's path has at most 107 octets; only its owner can open it.
  var template = Array("/tmp/pcscd-XXXXXX".utf8CString)
  // The C library writes the name over the six letters of the array.
  guard unsafe mkdtemp(&template) != nil else {
    throw LinkError(.serviceUnavailable, "no directory for a pcscd in /tmp: \(systemErrorText(errno))")
  }
  return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
}
