internal import Glibc
internal import Links
internal import Octets
internal import POSIX

/// A program that this process started, in a session of its own: an interrupt from the terminal does not reach it.
final class ChildProcess: Sendable {
  let identifier: pid_t

  /// Starts a shell with a script.
  ///
  /// - Parameters:
  ///   - script: The script of `sh -c`; `$0` and `$@` are the arguments.
  ///   - arguments: At least one.
  ///   - descriptors: Which descriptor of this process the child gets under which number.
  ///   - output: The file for standard output and standard error; it is emptied first.
  /// - Throws: `LinkError.Code.serviceUnavailable` when no descriptors are left or the shell cannot be started.
  init(script: String, _ arguments: [String], descriptors: [Int32: Int32], output: String) throws(LinkError) {
    var actions = unsafe posix_spawn_file_actions_t()
    // Each call works on the actions and attributes of this frame, which are destroyed with it.
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    // First copied above all numbers that are given below, so that no copy overwrites a descriptor that is still
    // needed.
    let sources = descriptors.mapValues { Descriptor.highCopy(of: $0) }
    defer { for source in sources.values where source >= 0 { close(source) } }
    guard sources.values.allSatisfy({ $0 >= 0 }) else {
      throw LinkError(.serviceUnavailable, "no descriptors left for /bin/sh: \(SystemError())")
    }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    unsafe posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    unsafe posix_spawn_file_actions_adddup2(&actions, 1, 2)
    for (number, source) in sources { unsafe posix_spawn_file_actions_adddup2(&actions, source, number) }
    unsafe addCloseFrom(max(descriptors.keys.max() ?? 2, 2) + 1, to: &actions)
    var attributes = spawnAttributes(isInNewSession: true)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    let words = unsafe (["sh", "-c", script] + arguments).map { unsafe strdup($0) }
    defer { unsafe words.forEach { unsafe free($0) } }
    var child: pid_t = 0
    // The strings outlive the call.
    let code = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, words + [nil], environ)
    guard code == 0 else {
      throw LinkError(.serviceUnavailable, "cannot start /bin/sh: \(SystemError(code))")
    }
    identifier = child
  }

  /// Whether the program runs. A program that has ended keeps its process number until `end` is called.
  var isRunning: Bool {
    // The structure of this frame stays zero while the program runs.
    var information = unsafe siginfo_t()
    let code = unsafe waitid(P_PID, id_t(identifier), &information, WEXITED | WNOHANG | WNOWAIT)
    return unsafe code == 0 && information.si_signo == 0
  }

  /// Waits for a condition while the program runs. Blocks the thread.
  ///
  /// - Returns: Whether the condition was met in time.
  func wait(for limit: Duration, until isFulfilled: () -> Bool) -> Bool {
    let clock = SystemClock()
    let end = clock.now + limit
    while true {
      if isFulfilled() { return true }
      if !isRunning || clock.now >= end { return isFulfilled() }
      pause(for: .milliseconds(2))
    }
  }

  /// Ends the program with a signal, or waits for its own end. A program that runs longer than the limit is killed.
  ///
  /// - Parameter beforeRelease: Called after the end of the program, while its process number is not yet free.
  func end(with signal: Int32?, within limit: Duration, beforeRelease: () -> Void) {
    if let signal { kill(identifier, signal) }
    if !wait(for: limit, until: { !isRunning }) { kill(identifier, SIGKILL) }
    _ = wait(for: .seconds(10)) { !isRunning }
    beforeRelease()
    while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
  }
}
