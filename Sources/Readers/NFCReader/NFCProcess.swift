internal import Glibc
internal import Links
internal import Octets
internal import POSIX
internal import Synchronization

/// A running `tap-nfc` with one device, which performs one request at a time.
///
/// libnfc can abort its process, lose calls and hang; here that is an error of one device. The process is never killed
/// while it may still switch the field off: the end of the socket makes it release its device and exit. A new process
/// can open the device afterwards.
final class NFCProcess: Sendable {
  private struct State: ~Copyable {
    var socket: NFCSocket
    var hasFailed = false
  }

  private let identifier: pid_t
  private let state: Mutex<State>
  // A second descriptor of the same socket: an abort must not wait for the request that blocks.
  private let abortSocket: NFCSocket
  private let exitLimit: Duration
  private let killLimit: Duration

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - program: The path of `tap-nfc`.
  ///   - exitLimit: How long `deinit` waits for the exit of the process, which normally needs a few milliseconds.
  ///   - killLimit: How long the process may take afterwards until it is killed: longer than its own two attempts to
  ///     switch the field off.
  /// - Throws: `LinkError.Code.serviceUnavailable` when it cannot be started.
  init(
    program: String, exitLimit: Duration = .milliseconds(1500), killLimit: Duration = .seconds(20)
  ) throws(LinkError) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two descriptors into an array of two.
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw LinkError(.serviceUnavailable, "cannot create a socket for tap-nfc: \(SystemError())")
    }
    let copy = fcntl(ends[0], F_DUPFD_CLOEXEC, 3)
    let own = NFCSocket(owning: ends[0])
    let abortSocket = NFCSocket(owning: copy)
    defer { close(ends[1]) }
    identifier = try spawn(program, input: ends[1])
    state = Mutex(State(socket: own))
    self.abortSocket = abortSocket
    self.exitLimit = exitLimit
    self.killLimit = killLimit
  }

  /// Ends the process, and waits for at most `exitLimit`.
  deinit {
    abortSocket.finishSending()
    if hasExited(identifier, within: exitLimit) { return }
    let (identifier, killLimit) = (identifier, killLimit)
    _ = DedicatedThread<Void, Never>(named: "tap-nfc-exit") {
      if hasExited(identifier, within: killLimit) { return }
      // It ignores the end of its socket, as a stopped process does.
      kill(identifier, SIGKILL)
      while !hasExited(identifier, within: .seconds(1)) {}
    }
  }

  /// Sends a request and waits for the response.
  ///
  /// - Parameter timeout: How long to wait; nil is without a limit. When the time is up the process is asked to exit.
  /// - Throws: `LinkError`: `.timedOut`, `.serviceUnavailable` when the process has exited.
  func ask(_ request: NFCRequest, timeout: Duration?) throws(LinkError) -> NFCReply {
    try state.withLock { (state) throws(LinkError) in
      guard !state.hasFailed else { throw Self.exited }
      do throws(LinkError) {
        return try Self.exchange(request, over: &state.socket, timeout)
      } catch {
        state.hasFailed = true
        state.socket.finishSending()
        throw error
      }
    }
  }

  private static func exchange(
    _ request: NFCRequest, over socket: inout NFCSocket, _ timeout: Duration?
  ) throws(LinkError) -> NFCReply {
    guard socket.send(request.octets) else { throw exited }
    let arrival: NFCSocket.Arrival
    do throws(NFCFailure) {
      arrival = try socket.receive(timeout: timeout)
    } catch { throw LinkError(.protocolViolation, "tap-nfc: \(error.text)") }
    switch arrival {
    case .closed: throw exited
    case .timedOut:
      throw LinkError(
        .timedOut,
        "libnfc did not answer within \((timeout ?? .zero).text), so its process is being ended; open the reader again")
    case .message(let octets):
      guard let reply = NFCReply(octets) else {
        throw LinkError(.protocolViolation, "tap-nfc sent an invalid response of \(octets.count.bytes)")
      }
      return reply
    }
  }

  /// Ends the request that blocks in another thread.
  func abort() { _ = abortSocket.send(NFCRequest.abort.octets) }

  private static let exited = LinkError(
    .serviceUnavailable, "the process that runs libnfc has ended: libnfc failed in it; open the reader again")
}

/// Waits until a child process has exited, and removes it from the system's process table.
private func hasExited(_ identifier: pid_t, within limit: Duration) -> Bool {
  let end = SystemClock().now + limit
  while true {
    // The call fails with ECHILD when the process is already removed from the table.
    let result = waitpid(identifier, nil, WNOHANG)
    if result == identifier || result < 0 && errno == ECHILD { return true }
    if SystemClock().now >= end { return false }
    pause(for: .milliseconds(2))
  }
}

private func spawn(_ program: String, input: Int32) throws(LinkError) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  // Each call works on the actions of this frame, which are destroyed with it.
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
  unsafe addCloseFrom(3, to: &actions)
  var attributes = spawnAttributes()
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var child: pid_t = 0
  let name = unsafe strdup(program)
  defer { unsafe free(name) }
  // The strings outlive the call.
  let code = unsafe posix_spawn(&child, program, &actions, &attributes, [name, nil], environ)
  guard code == 0 else {
    throw LinkError(
      .serviceUnavailable,
      """
      cannot start \(program), which runs libnfc: \(SystemError(code)). Build it with this package, swift build --product \
      tap-nfc, and keep it in the directory of the program that uses it
      """)
  }
  return child
}
