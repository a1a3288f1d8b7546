internal import Foundation
internal import Glibc
public import Links
internal import POSIX
internal import ProcessGuard
internal import Synchronization

/// A private instance of the unmodified pcscd, with its own readers and socket, beside the instance of the system and
/// any number of other instances.
///
/// The path of pcscd's socket is compiled in. It uses the socket of this service in its place, since it is started in
/// the way of systemd's socket activation: with a listening socket as descriptor 3, `LISTEN_FDS=1`, and `LISTEN_PID`
/// with its process number. It ends with this object, and with this program however the program ends. Its readers are
/// those of the last start: pcscd 1.9.9 reads its configuration only once.
public final class PrivateReaderService: Sendable {
  private static let program = "/usr/sbin/pcscd"

  /// The directory of configuration, socket and log. It is removed with the service.
  public let directory: String
  private let logsCommands: Bool
  private let variables: [String: String]
  private let watchdog: ServiceWatchdog
  private let configuration: Mutex<ReaderConfiguration>
  private let daemon = Mutex<ChildProcess?>(nil)
  /// Whether the service was closed. The lock is held while pcscd is started or ended.
  private let isClosed = Mutex(false)

  /// Starts pcscd and waits until its readers are present, about 0.1 s and at most 20 s. Blocks the thread.
  ///
  /// - Parameters:
  ///   - readers: With different names and at most 16 slots in total; other lists trap. Empty for a pcscd that finds its
  ///     readers at a USB bus.
  ///   - logsCommands: Whether the log contains each command and response, card numbers included.
  ///   - variables: Variables that pcscd gets in its environment, such as those of a simulated USB bus.
  /// - Throws: `LinkError`: `.serviceUnavailable` when pcscd is not installed or does not start, `.readerUnavailable`
  ///   when a driver is missing or cannot open its device.
  public init(
    readers: [ReaderEntry], logsCommands: Bool = false, variables: [String: String] = [:]
  ) throws(LinkError) {
    guard FileManager.default.isExecutableFile(atPath: Self.program) else {
      throw LinkError(.serviceUnavailable, "\(Self.program) is not installed: apt-get install -y pcscd")
    }
    configuration = Mutex(try ReaderConfiguration(readers))
    self.logsCommands = logsCommands
    self.variables = variables
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

  /// Starts pcscd with a virtual reader at free ports as its first reader.
  ///
  /// - Parameters:
  ///   - name: The name of the virtual reader, 1 to 121 bytes without a quotation mark.
  ///   - address: The IPv4 address at which it waits for cards.
  ///   - further: The readers after it.
  ///   - logsCommands: Whether the log contains each command and response, card numbers included.
  /// - Throws: `LinkError`, as the initialiser does.
  public static func withVirtualReader(
    named name: String, at address: String = ReaderEntry.loopbackAddress, further: [ReaderEntry] = [],
    logsCommands: Bool = false
  ) throws(LinkError) -> PrivateReaderService {
    for _ in 0..<3 {
      do throws(LinkError) {
        return try PrivateReaderService(
          readers: [.virtualReader(named: name, at: address)] + further, logsCommands: logsCommands)
      } catch {
        // Another program took a port between the check and the start of pcscd.
        guard error.code == .readerUnavailable else { throw error }
      }
    }
    return try PrivateReaderService(
      readers: [.virtualReader(named: name, at: address)] + further, logsCommands: logsCommands)
  }

  deinit { close() }

  /// The value for `PCSCLITE_CSOCK_NAME`, which the client library reads once per process.
  public var socketPath: String { directory + Self.socketName }

  private static let socketName = "/s"

  /// Whether a path is that of the socket of such a service, which may be gone.
  static func isSocketPath(_ path: String) -> Bool {
    path.hasPrefix(directoryPrefix) && path.hasSuffix(socketName)
      && path.utf8.count == directoryPrefix.utf8.count + directoryLetters.utf8.count + socketName.utf8.count
  }

  // The names are short, since the path of a socket has at most 107 bytes.
  fileprivate static let directoryPrefix = "/tmp/pcscd-"
  fileprivate static let directoryLetters = "XXXXXX"

  /// The environment with which a program uses this service.
  public var environment: [String: String] { ["PCSCLITE_CSOCK_NAME": socketPath] }

  /// The readers, each with the names of its slots.
  public var readers: [ReaderEntry] { configuration.withLock(\.readers) }

  /// The names of the slots of all readers, as programs see them.
  public var readerNames: [String] { configuration.withLock(\.slotNames) }

  /// What pcscd has logged since its last start.
  public var log: String {
    FileManager.default.contents(atPath: logPath).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The names of the readers at the USB bus that this pcscd has begun to drive since its last start, in their order, as
  /// programs see the first slot of each.
  public var usbReaderNames: [String] {
    log.split(separator: "\n").compactMap { line in
      guard let start = line.range(of: "Attempting startup of "),
        let end = line.range(of: " using ", range: start.upperBound..<line.endIndex)
      else { return nil }
      return String(line[start.upperBound..<end.lowerBound])
    }
  }

  private var logPath: String { directory + "/log" }

  /// The process number, or nil when pcscd does not run.
  public var identifier: Int32? { daemon.withLock { $0.flatMap { $0.isRunning ? $0.identifier : nil } } }

  /// Kills pcscd. `restart()` brings its readers back.
  public func kill() { isClosed.withLock { _ in end(with: SIGKILL) } }

  /// Ends pcscd with SIGTERM. `restart()` brings its readers back.
  public func stop() { isClosed.withLock { _ in end(with: SIGTERM) } }

  /// Starts pcscd again, with the same socket. Blocks as long as the first start.
  ///
  /// - Parameter readers: The new readers, with the limits of the initialiser; nil keeps the present ones.
  /// - Throws: `LinkError`, as the first start does; `.serviceUnavailable` after `close()`.
  public func restart(readers: [ReaderEntry]? = nil) throws(LinkError) {
    let next = try readers.map { (readers) throws(LinkError) in try ReaderConfiguration(readers) }
    try isClosed.withLock { (isClosed) throws(LinkError) in
      guard !isClosed else { throw LinkError(.serviceUnavailable, "this pcscd was closed: create another service") }
      end(with: SIGTERM)
      if let next { configuration.withLock { $0 = next } }
      try start()
    }
  }

  /// Ends pcscd and removes its directory. A second call has no effect.
  public func close() {
    isClosed.withLock { isClosed in
      isClosed = true
      end(with: SIGTERM)
      watchdog.finish()
    }
  }

  private func end(with signal: Int32) {
    daemon.withLock { daemon in
      guard let process = daemon else { return }
      process.end(with: signal, within: .seconds(10)) { watchdog.clearProcess() }
      daemon = nil
    }
  }

  private func start() throws(LinkError) {
    try configuration.withLock { $0 }.write(to: directory)
    let listener = try listeningSocket(at: socketPath, orFailWith: .serviceUnavailable)
    // This descriptor is closed at the end of the function: while it is open, clients of a pcscd that has ended would
    // wait in the kernel's queue.
    // The process sends the watchdog its own number, so that the watchdog knows it from the start.
    // The shell itself does not get the variables: a library that is preloaded into it would be in the way.
    let script = #"echo $$ >&4; exec 4>&-; LISTEN_FDS=1 LISTEN_PID=$$ exec env "$@""#
    let words =
      ["pcscd"] + variables.map { "\($0.key)=\($0.value)" } + [
        Self.program, "--info", "--foreground", "--config", directory + "/conf",
      ] + (logsCommands ? ["--apdu"] : [])
    let (descriptors, output): ([Int32: Int32], String) = ([3: listener.number, 4: watchdog.input], logPath)
    let (process, sockets) = try Self.start(readers) { () throws(LinkError) in
      try ChildProcess(script: script, words, descriptors: descriptors, output: output)
    }
    daemon.withLock { $0 = process }
    var answered = 0
    let isReady = process.wait(for: .seconds(20)) {
      answered = sockets?.answer(after: answered) ?? 0
      return self.log.contains("daemon ready")
    }
    do throws(LinkError) {
      try check(log, isReady: isReady)
    } catch {
      end(with: SIGTERM)
      throw error
    }
  }

  /// Starts pcscd on a thread that ends. Its virtual readers get sockets at their addresses: the driver itself listens at
  /// all addresses of this machine.
  private static func start(
    _ readers: [ReaderEntry], _ start: @escaping @Sendable () throws(LinkError) -> ChildProcess
  ) throws(LinkError) -> (ChildProcess, ReplacedSockets?) {
    let places = readers.flatMap { reader in reader.ports.map { (address: reader.address, port: $0) } }
    guard !places.isEmpty else { return (try start(), nil) }
    let thread = DedicatedThread(named: "pcscd") { () throws(LinkError) in
      let sockets: ReplacedSockets
      do throws(SystemError) {
        sockets = try ReplacedSockets(at: places)
      } catch { throw refusal(error, readers, places) }
      return (try start(), Optional(sockets))
    }
    return try thread.join()
  }

  private static func refusal(
    _ error: SystemError, _ readers: [ReaderEntry], _ places: [(address: String, port: UInt16)]
  ) -> LinkError {
    let names = readers.map(\.friendlyName).joined(separator: ", ")
    let text = { (places: [(address: String, port: UInt16)]) in
      places.map { "\($0.address):\($0.port)" }.joined(separator: " and ")
    }
    switch error.number {
    case EADDRINUSE:
      let busy = places.filter { !isFree($0.port) }
      let verb = busy.count == 1 ? "is" : "are"
      return LinkError(
        .readerUnavailable,
        """
        \(text(busy.isEmpty ? places : busy)) \(verb) in use by another program, and the reader \(names) waits for its cards \
        at \(text(places)); name another port, or none for any free ones
        """)
    case EADDRNOTAVAIL, EACCES:
      return LinkError(.readerUnavailable, "\(names) cannot wait for cards at \(text(places)): \(error)")
    default:
      return LinkError(
        .serviceUnavailable, "\(names) cannot be kept to \(text(places)): it takes Linux 5.9 with seccomp (\(error))")
    }
  }

  private func check(_ log: String, isReady: Bool) throws(LinkError) {
    guard isReady, log.contains("Started by systemd") else {
      throw LinkError(.serviceUnavailable, "pcscd did not start within 20 s; its log:\n\(log)")
    }
    if log.contains(" init failed.") {
      throw LinkError(
        .readerUnavailable,
        """
        pcscd cannot open each of \(readers.map(\.friendlyName).joined(separator: ", ")): another program uses its port or \
        device, or the driver is not a reader driver; the log of pcscd:
        \(log)
        """)
    }
  }
}

private func temporaryDirectory() throws(LinkError) -> String {
  do throws(SystemError) {
    return try makePrivateDirectory(PrivateReaderService.directoryPrefix + PrivateReaderService.directoryLetters)
  } catch {
    throw LinkError(.serviceUnavailable, "cannot create a directory for pcscd in /tmp: \(error)")
  }
}
