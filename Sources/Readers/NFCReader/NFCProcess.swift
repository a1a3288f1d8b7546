internal import Glibc
internal import Links
internal import Synchronization

/// A running `tap-nfc`: one device, one request at a time, and never outlives its owner.
///
/// libnfc can abort its process, lose calls and hang. Here that is an error and no more: the process is killed when an
/// answer is late, and a new one can open the device again.
final class NFCProcess: Sendable {
  private struct State: ~Copyable {
    var socket: NFCSocket
    var hasFailed = false
  }

  private let identifier: pid_t
  private let state: Mutex<State>
  // A second descriptor of the same socket: aborting must not wait for the request that blocks.
  private let aborts: NFCSocket

  /// Starts the program.
  ///
  /// - Throws: `LinkError.Code.serviceUnavailable` when it cannot be started.
  init(program: String) throws(LinkError) {
    var ends: [Int32] = [-1, -1]
    // The kernel writes two descriptors into an array of two.
    guard unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw LinkError(.serviceUnavailable, "no socket to talk to tap-nfc with: \(systemErrorText(errno))")
    }
    let copy = fcntl(ends[0], F_DUPFD_CLOEXEC, 3)
    let own = NFCSocket(owning: ends[0])
    let aborts = NFCSocket(owning: copy)
    defer { close(ends[1]) }
    identifier = try spawn(program, input: ends[1])
    state = Mutex(State(socket: own))
    self.aborts = aborts
  }

  deinit { end() }

  /// Asks, and waits for the answer.
  ///
  /// - Parameter timeout: How long the answer may take before the process is killed; nil is without a limit.
  /// - Throws: `LinkError`; `.timedOut`, `.serviceUnavailable` when the process died.
  func ask(_ request: NFCRequest, timeout: Duration?) throws(LinkError) -> NFCReply {
    try state.withLock { (state) throws(LinkError) in
      guard !state.hasFailed else { throw Self.died }
      do throws(LinkError) {
        return try Self.exchange(request, over: &state.socket, timeout)
      } catch {
        state.hasFailed = true
        kill(identifier, SIGKILL)
        throw error
      }
    }
  }

  private static func exchange(
    _ request: NFCRequest, over socket: inout NFCSocket, _ timeout: Duration?
  ) throws(LinkError) -> NFCReply {
    guard socket.send(request.octets) else { throw died }
    let arrival: NFCSocket.Arrival
    do throws(NFCFailure) {
      arrival = try socket.receive(timeout: timeout)
    } catch { throw LinkError(.protocolViolation, "tap-nfc: \(error.text)") }
    switch arrival {
    case .closed: throw died
    case .silence:
      throw LinkError(
        .timedOut, "libnfc did not answer within \(timeout ?? .zero), so its process was ended; open the reader again")
    case .message(let octets):
      guard let reply = NFCReply(octets) else { throw LinkError(.protocolViolation, "tap-nfc answered nonsense") }
      return reply
    }
  }

  /// Ends the request that blocks in another thread.
  func abort() { _ = aborts.send(NFCRequest.abort.octets) }

  /// How long the process may take to leave its device in order: field off, chip asleep.
  private static let leaving = Duration.milliseconds(1500)

  /// Ends the process.
  private func end() {
    state.withLock { state in
      guard !state.hasFailed else { return }
      state.socket.finishSending()
      let end = ContinuousClock.now + Self.leaving
      // Answers that are still under way are nobody's any more.
      while case .message? = try? state.socket.receive(timeout: max(end - .now, .zero)) {}
    }
    kill(identifier, SIGKILL)
    // Reaped, so that nothing is left of it; a killed process ends at once.
    while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
  }

  private static let died = LinkError(
    .serviceUnavailable, "the process that runs libnfc has ended: libnfc failed in it; open the reader again")
}

private func spawn(_ program: String, input: Int32) throws(LinkError) -> pid_t {
  var actions = unsafe posix_spawn_file_actions_t()
  // Each call works on the actions of this frame, which are destroyed with it.
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
  var attributes = posix_spawnattr_t()
  var (none, all) = (sigset_t(), sigset_t())
  // A thread of ours may block signals; a child inherits that and could not be told to end.
  unsafe sigemptyset(&none)
  unsafe sigfillset(&all)
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  unsafe posix_spawnattr_setsigmask(&attributes, &none)
  unsafe posix_spawnattr_setsigdefault(&attributes, &all)
  unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
  var child: pid_t = 0
  let name = unsafe strdup(program)
  defer { unsafe free(name) }
  // The strings outlive the call.
  let code = unsafe posix_spawn(&child, program, &actions, &attributes, [name, nil], environ)
  guard code == 0 else {
    throw LinkError(
      .serviceUnavailable,
      """
      cannot start \(program), which runs libnfc: \(systemErrorText(code)). Build it with this package, swift build --product \
      tap-nfc, and keep it beside the program that uses it
      """)
  }
  return child
}
