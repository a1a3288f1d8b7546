import Glibc
import Links
import Octets
import POSIX

/// A program of the user, in a session of its own. Its standard error is that of this process; of the environment it has
/// `environmentNames` only, so that no data of a card, a wallet or an issuer reach it.
final class ResponderProcess: Sendable {
  /// The variables that the program gets.
  static let environmentNames = ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "PATH", "TMPDIR", "TZ"]

  private let identifier: pid_t

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - words: The name, which is looked up in PATH, and the arguments; at least one.
  ///   - input: The program's standard input.
  ///   - output: Its standard output.
  init(_ words: [String], input: borrowing Descriptor, output: borrowing Descriptor) throws(ResponderError) {
    // Above the numbers that the program gets.
    let source = Descriptor(owning: Descriptor.highCopy(of: input.number))
    let target = Descriptor(owning: Descriptor.highCopy(of: output.number))
    guard source.number >= 0, target.number >= 0 else { throw .notStarted(words[0], SystemError()) }
    var actions = unsafe posix_spawn_file_actions_t()
    // Each call works on the actions and attributes of this frame, which are destroyed with it.
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, source.number, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, target.number, 1)
    unsafe addCloseFrom(3, to: &actions)
    var attributes = spawnAttributes(isInNewSession: true)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    let arguments = unsafe words.map { unsafe strdup($0) }
    defer { unsafe arguments.forEach { unsafe free($0) } }
    let variables = unsafe Self.environment.map { unsafe strdup($0) }
    defer { unsafe variables.forEach { unsafe free($0) } }
    var child: pid_t = 0
    // The strings outlive the call.
    let code = unsafe posix_spawnp(&child, words[0], &actions, &attributes, arguments + [nil], variables + [nil])
    guard code == 0 else { throw .notStarted(words[0], SystemError(code)) }
    identifier = child
  }

  /// Python writes each line at once with the last variable: its output is no terminal, so that it would keep lines back.
  private static var environment: [String] {
    environmentNames.compactMap { name in unsafe getenv(name).map { unsafe "\(name)=\(String(cString: $0))" } }
      + ["PYTHONUNBUFFERED=1"]
  }

  /// Kills the program, and what it has started in its session, at once. Any thread may call this before `end`.
  func kill() { Glibc.kill(-identifier, SIGKILL) }

  /// Waits for the end of the program, whose input is closed, and kills it after a limit. Blocks; called once.
  func end(within limit: Duration) {
    let clock = SystemClock()
    let end = clock.now + limit
    while isRunning, clock.now < end { pause(for: .milliseconds(2)) }
    // The number of a process that has ended is its own until `waitpid`.
    kill()
    while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
  }

  private var isRunning: Bool {
    // The structure of this frame stays zero while the program runs.
    var information = unsafe siginfo_t()
    let code = unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT)
    return unsafe code == 0 && information.si_signo == 0
  }
}
