import CSingleStep
import Foundation
import Glibc
import Synchronization

/// This program in another process, which answers lines with lines. It is killed with its owner.
final class LineProcess {
  let number: pid_t
  private let input: Int32
  private let output: Int32
  private var read: [UInt8] = []
  private var isKilled = false
  /// Held from the creation of pipes until a child has its ends. Another child that is started meanwhile would have copies of
  /// them, and this one would not notice the end of its owner.
  private static let starting = Mutex(())

  /// Starts the program.
  ///
  /// - Parameter command: Its subcommand.
  init(_ command: String) throws(WalkFailure) {
    (number, input, output) = try Self.starting.withLock { (_) throws(WalkFailure) in try Self.start(command) }
  }

  private static func start(_ command: String) throws(WalkFailure) -> (pid_t, Int32, Int32) {
    let (ours, theirs) = try (pipe(), pipe())
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ours.end, 0)
    posix_spawn_file_actions_adddup2(&actions, theirs.begin, 1)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own, in which a walk waits for the threads of this process alone.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var child: pid_t = 0
    // With the same places of the elements of a dictionary, a command takes the same instructions in each process.
    setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
    let code = withStrings(["every-instruction", command]) {
      posix_spawn(&child, "/proc/self/exe", &actions, &attributes, $0, environ)
    }
    close(ours.end)
    close(theirs.begin)
    guard code == 0 else { throw WalkFailure("cannot start \(command): \(String(cString: strerror(code)))") }
    return (child, ours.begin, theirs.end)
  }

  deinit { kill() }

  /// A pipe: what is written to its beginning arrives at its end. Other children do not inherit it.
  private static func pipe() throws(WalkFailure) -> (begin: Int32, end: Int32) {
    var ends: [Int32] = [0, 0]
    guard Glibc.pipe(&ends) == 0 else { throw WalkFailure("pipe: \(String(cString: strerror(errno)))") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[1], ends[0])
  }

  private static func withStrings(_ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32) -> Int32 {
    let copies = words.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }

  /// Sends a line and waits for the reply, for 60 s at most.
  func ask(_ line: String) throws(WalkFailure) -> String {
    try tell(line)
    return try reply(to: line)
  }

  /// Sends a line.
  func tell(_ line: String) throws(WalkFailure) {
    let bytes = Array((line + "\n").utf8)
    guard write(input, bytes, bytes.count) == bytes.count else { throw WalkFailure("\(line): the process has ended") }
  }

  /// Waits for a reply, for 60 s at most.
  func reply(to line: String) throws(WalkFailure) -> String {
    while true {
      if let end = read.firstIndex(of: 10) {
        defer { read.removeSubrange(...end) }
        return String(decoding: read[..<end], as: UTF8.self)
      }
      guard Self.waits(on: output, milliseconds: 60_000) else { throw WalkFailure("\(line): no reply within 60 s") }
      var part = [UInt8](repeating: 0, count: 4096)
      let count = Glibc.read(output, &part, part.count)
      guard count > 0 else { throw WalkFailure("\(line): the process has ended") }
      read += part.prefix(count)
    }
  }

  /// Waits until a descriptor can be read. Returns false after the time.
  static func waits(on descriptor: Int32, milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  // MARK: Stopping

  /// Stops every thread but one, as a terminal's Ctrl-Z does, and returns when they are stopped.
  ///
  /// - Parameter thread: A thread that ptrace has stopped already.
  func stop(but thread: pid_t) throws(WalkFailure) {
    Glibc.kill(number, SIGSTOP)
    for _ in 0..<100_000 {
      if threads().allSatisfy({ $0 == thread || isStopped($0) }) { return }
      usleep(20)
    }
    throw WalkFailure("process \(number) does not stop")
  }

  /// Lets the process go on.
  func goOn() { Glibc.kill(number, SIGCONT) }

  private func threads() -> [pid_t] {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task"))?.compactMap { pid_t($0) } ?? []
  }

  /// Whether a thread is stopped or has ended.
  private func isStopped(_ thread: pid_t) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(number)/task/\(thread)/stat", encoding: .utf8),
      let state = text.split(separator: ")").last?.first(where: { $0 != " " })
    else { return true }
    return "TtZX".contains(state)
  }

  /// Kills the process, once.
  func kill() {
    guard !isKilled else { return }
    isKilled = true
    Glibc.kill(number, SIGKILL)
    close(input)
    close(output)
    step_reap(number)
  }
}
