import Foundation
public import Glibc
import Links
import Synchronization

/// One run of another program. Its output is collected, each wait for its end has a limit, and it is killed with its
/// owner.
public final class ProgramRun: Sendable {
  /// How a program ended.
  public enum Ending: Equatable, Sendable {
    /// The program returned or called `exit`.
    case exited(Int32)
    /// A signal ended the program.
    case killed(signal: Int32)
  }

  /// Why a program did not start, or did not end in time.
  public struct Failure: Error, CustomStringConvertible {
    /// What happened, with the output of the program.
    public let description: String
  }

  /// The process number.
  public let identifier: pid_t
  private let name: String
  private let outputFile: CapturedOutput
  private let errorFile: CapturedOutput
  private let ending = Mutex<Ending?>(nil)

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: A path, or a name to be found in `PATH`.
  ///   - arguments: The arguments without the program's name.
  ///   - environment: Variables that are added to the environment of this process.
  ///   - descriptors: Which descriptor of this process the child gets under which number, such as `[3: listener]`.
  ///     Those of this process are above 9.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String] = [:],
    descriptors: [Int32: Int32] = [:]
  ) throws(Failure) {
    name = program
    outputFile = try CapturedOutput()
    errorFile = try CapturedOutput()
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if descriptors[0] == nil { posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) }
    posix_spawn_file_actions_adddup2(&actions, outputFile.descriptor, 1)
    posix_spawn_file_actions_adddup2(&actions, errorFile.descriptor, 2)
    for (child, own) in descriptors { posix_spawn_file_actions_adddup2(&actions, own, child) }
    // A child that inherits a connection of this process would keep it open.
    addCloseFrom(max(descriptors.keys.max() ?? 2, 2) + 1, to: &actions)
    var attributes = Self.cleanSignals()
    defer { posix_spawnattr_destroy(&attributes) }
    let variables = Self.inherited.merging(environment) { $1 }.map { "\($0)=\($1)" }
    var child: pid_t = 0
    let code = withCStrings([program] + arguments) { argv in
      withCStrings(variables) { envp in posix_spawnp(&child, program, &actions, &attributes, argv, envp) }
    }
    guard code == 0 else { throw Failure(description: "cannot start \(program): \(String(cString: strerror(code)))") }
    identifier = child
  }

  deinit {
    if poll() == nil {
      kill(identifier, SIGKILL)
      _ = wait(timeout: .seconds(60))
    }
  }

  /// Attributes that reset the signals: threads of this process block signals, and a child that inherits this cannot be
  /// ended by a signal.
  private static func cleanSignals() -> posix_spawnattr_t {
    var attributes = posix_spawnattr_t()
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_init(&attributes)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return attributes
  }

  private static var inherited: [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { variables[String(parts[0])] = String(parts[1]) }
      next += 1
    }
    return variables
  }

  /// The standard output so far.
  public var output: String { outputFile.text }

  /// The standard error so far.
  public var errors: String { errorFile.text }

  /// Sends a signal, unless the program has ended.
  public func signal(_ number: Int32) {
    if poll() == nil { kill(identifier, number) }
  }

  /// How the program ended, or nil while it runs.
  public func poll() -> Ending? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
      let signal = status & 0x7F
      ending = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: signal)
      return ending
    }
  }

  /// Waits for a condition on the run, or for its end.
  ///
  /// - Returns: Whether the condition was met in time.
  public func wait(timeout: Duration, until isFulfilled: (ProgramRun) -> Bool) -> Bool {
    let start = ContinuousClock.now
    while true {
      if isFulfilled(self) { return true }
      let elapsed = ContinuousClock.now - start
      if poll() != nil || elapsed >= timeout { return isFulfilled(self) }
      usleep(UInt32(Self.pause(after: elapsed) / .microseconds(1)))
    }
  }

  /// The time to the next look at a run: a tenth of what it took so far, so that a long one costs few looks.
  private static func pause(after elapsed: Duration) -> Duration {
    min(max(elapsed / 10, .milliseconds(2)), .milliseconds(20))
  }

  /// Waits for a condition on the run, or for its end, while other tasks go on.
  ///
  /// - Returns: Whether the condition was met in time.
  public func meets(timeout: Duration = .seconds(60), _ isFulfilled: (ProgramRun) -> Bool) async throws -> Bool {
    let start = ContinuousClock.now
    while !isFulfilled(self), poll() == nil, ContinuousClock.now - start < timeout {
      try await Task.sleep(for: Self.pause(after: ContinuousClock.now - start))
    }
    return isFulfilled(self)
  }

  /// Waits for the end.
  ///
  /// - Returns: nil when the program still runs.
  public func wait(timeout: Duration) -> Ending? {
    _ = wait(timeout: timeout) { $0.poll() != nil }
    return poll()
  }

  /// Waits for the end. A program that runs longer is killed.
  ///
  /// - Throws: `Failure` when the program was killed.
  public func finish(timeout: Duration = .seconds(60)) throws(Failure) -> Ending {
    if let ending = wait(timeout: timeout) { return ending }
    signal(SIGKILL)
    _ = wait(timeout: .seconds(60))
    throw Failure(description: "\(name) did not end within \(timeout); its output:\n\(output)\n\(errors)")
  }
}

/// A file without a name to which a child writes. It needs no thread and has no limit, unlike a pipe.
private struct CapturedOutput: ~Copyable, Sendable {
  let descriptor: Int32

  init() throws(ProgramRun.Failure) {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/output-XXXXXX".utf8CString)
    let opened = mkstemp(&template)
    guard opened >= 0 else { throw ProgramRun.Failure(description: "cannot create a temporary file in \(folder)") }
    unlink(template)
    // Above the numbers that a child gets: dup2 to the same number would keep close-on-exec.
    descriptor = fcntl(opened, F_DUPFD_CLOEXEC, 10)
    close(opened)
  }

  deinit { close(descriptor) }

  var text: String {
    var octets: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &part, part.count, off_t(octets.count))
      guard count > 0 else { return String(decoding: octets, as: UTF8.self) }
      octets += part.prefix(count)
    }
  }
}

private func withCStrings<Result>(
  _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies + [nil])
}
