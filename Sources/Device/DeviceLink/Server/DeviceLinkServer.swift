public import DeviceAuthentication
internal import Foundation
internal import Glibc
internal import Octets
internal import POSIX
internal import Synchronization

/// Serves the ports of a device on a socket that only one user can open.
///
/// One thread accepts connections, and each connection has a thread of its own until it is answered. A client that
/// closes its connection cancels its request.
public final class DeviceLinkServer: Sendable {
  /// The limits that protect the device from its clients.
  public struct Limits: Sendable {
    /// The number of connections at a time, at least 1. Further ones are answered with `.busy`.
    public var connections: Int
    /// How long a client may take to send its request.
    public var request: Duration

    /// Creates limits.
    public init(connections: Int = 16, request: Duration = .seconds(5)) {
      self.connections = max(connections, 1)
      self.request = request
    }

    /// 16 connections, 5 s.
    public static let standard = Limits()
  }

  private struct State: ~Copyable {
    var open: [Int: WakeSignal] = [:]
    var nextNumber = 0
    var isStopped = false
  }

  private let device: ServedDevice
  private let user: UInt32
  private let limits: Limits
  private let state = Mutex(State())
  private let stopSignal: WakeSignal
  private let ended = DispatchGroup()

  /// Starts to serve.
  ///
  /// - Parameters:
  ///   - device: The ports.
  ///   - path: The path of the socket, 1 to 107 bytes. It is created with mode 0600 and removed by `stop`.
  ///   - user: The user who may open it. Root may, too.
  /// - Throws: `.busy` when another process serves the path; `.unavailable` when the socket cannot be created.
  public init(
    _ device: ServedDevice, at path: String, user: UInt32, limits: Limits = .standard
  ) throws(DeviceAuthenticationError) {
    let wake = try WakeSignal.ofLink()
    self.device = device
    self.user = user
    self.limits = limits
    stopSignal = wake
    let listener = Mutex<LinkListener?>(try LinkListener(at: path, user: user))
    start { [self] in if let listener = listener.withLock({ $0.take() }) { accept(from: listener) } }
  }

  /// Ends all requests and removes the socket, and waits until every prompt is closed. May be called more than once.
  public func stopped() async { await blocking { self.stop() } }

  /// Ends all requests and removes the socket. Blocks until every prompt is closed, which tasks do: a thread that runs
  /// tasks calls `stopped()`. May be called more than once.
  public func stop() {
    let open = state.withLock { state in
      state.isStopped = true
      return Array(state.open.values)
    }
    stopSignal.raise()
    for wake in open { wake.raise() }
    ended.wait()
  }

  /// The number of connections that are open now.
  public var connectionCount: Int { state.withLock { $0.open.count } }

  private func accept(from listener: consuming LinkListener) {
    while stopSignal.wait(for: listener.descriptor, POLLIN, timeout: nil) == .ready {
      let descriptor = Glibc.accept(listener.descriptor, nil, nil)
      // Without a free descriptor the connection waits until another one has ended.
      guard descriptor >= 0 else {
        usleep(10_000)
        continue
      }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      serve(descriptor)
    }
  }

  private func serve(_ descriptor: Int32) {
    guard let peer = PeerIdentity(of: descriptor), peer.user == user || peer.user == 0 else {
      return refuse(descriptor, .unavailable(reason: "this device serves user \(user) only"))
    }
    guard let (number, wake) = admitted() else {
      return refuse(descriptor, .busy("\(limits.connections) requests to this device"))
    }
    start { [self] in
      var connection = ServedConnection(LinkSocket(Descriptor(owning: descriptor)), device, stop: wake)
      connection.run(requestLimit: limits.request)
      state.withLock { _ = $0.open.removeValue(forKey: number) }
    }
  }

  /// Runs work on a thread of its own, whose end `stop` waits for.
  private func start(_ work: @escaping @Sendable () -> Void) {
    ended.enter()
    let isStarted = startDetachedThread { [ended] in
      work()
      ended.leave()
    }
    precondition(isStarted, "the system has no thread for a device")
  }

  /// Counts a new connection; nil when there are as many as allowed.
  private func admitted() -> (Int, WakeSignal)? {
    guard let wake = try? WakeSignal() else { return nil }
    return state.withLock { state in
      guard state.open.count < limits.connections, !state.isStopped else { return nil }
      state.nextNumber += 1
      state.open[state.nextNumber] = wake
      return (state.nextNumber, wake)
    }
  }

  private func refuse(_ descriptor: Int32, _ error: DeviceAuthenticationError) {
    let socket = LinkSocket(Descriptor(owning: descriptor))
    socket.send([LinkHello().octets, LinkReply.failed(error).octets])
  }
}
