public import DeviceAuthentication
internal import Octets
internal import POSIX

/// The device that `tap-device` serves on a socket. It fulfils the ports of `DeviceAuthentication`.
///
/// Every call of a port is one connection, on a thread of its own. When the program ends, the device notices the end of
/// the connection and closes the prompt.
public struct DeviceLinkClient: Sendable {
  /// Where `tap-device` serves a user by default.
  public static func defaultSocket(user: UInt32) -> String { "/run/tap-device/\(user).sock" }

  /// How long a request other than a prompt may take: longer than the limits of tap-device for a slow TPM.
  public static let callLimit = Duration.seconds(60)
  /// How long the device may take to close a prompt.
  public static let cancelLimit = Duration.seconds(10)

  /// The path of the socket.
  public let socket: String
  /// The path of the terminal on which the device asks for the passcode.
  public let terminal: String
  let callLimit: Duration
  let cancelLimit: Duration

  /// Creates a client. Opens nothing: a device that is not there is an error of the first call.
  ///
  /// - Parameters:
  ///   - socket: The path of the socket, 1 to 107 bytes.
  ///   - terminal: The terminal on which the device asks for the passcode; by default the terminal of this process.
  ///   - callLimit: How long a request other than a prompt may take.
  ///   - cancelLimit: How long the device may take to close a prompt.
  public init(
    socket: String, terminal: String = "/dev/tty", callLimit: Duration = Self.callLimit,
    cancelLimit: Duration = Self.cancelLimit
  ) {
    self.socket = socket
    self.terminal = terminal
    self.callLimit = callLimit
    self.cancelLimit = cancelLimit
  }

  /// The ports of the device.
  public var ports: DevicePorts {
    DevicePorts(
      biometric: LinkedSensor(client: self), passcode: LinkedPasscode(client: self), lock: LinkedLock(client: self),
      keys: LinkedKeyStore(client: self), monitor: LinkedMonitor(client: self))
  }

  /// Sends a request and waits for the response.
  ///
  /// - Throws: The error of the device; `.unavailable` when it does not answer.
  func call(_ request: LinkRequest) async throws(DeviceAuthenticationError) -> LinkReply {
    let call = LinkCall(socket: socket, request: request, cancelLimit: cancelLimit)
    let limit = SystemClock().now + callLimit
    return try await blocking { () throws(DeviceAuthenticationError) in try call.run(wake: nil, until: limit) }
  }

  /// Sends the request for a prompt and waits for the answer, without a time limit. When the task is cancelled, the
  /// device closes the prompt.
  ///
  /// - Returns: Nil when the task was cancelled, whatever the device answered.
  func prompt(
    _ request: LinkRequest, on terminal: ClientTerminal? = nil
  ) async throws(DeviceAuthenticationError) -> LinkReply? {
    let call = LinkCall(
      socket: socket, request: request, cancelLimit: cancelLimit, terminal: terminal?.descriptor)
    return try await cancellable { (wake) throws(DeviceAuthenticationError) in try call.run(wake: wake, until: nil) }
  }

  /// Runs a request that is cancelled with the task. Returns nil when the task was cancelled.
  private func cancellable(
    _ work: @escaping @Sendable (WakeSignal) throws(DeviceAuthenticationError) -> LinkReply
  ) async throws(DeviceAuthenticationError) -> LinkReply? {
    let wake = try WakeSignal.ofLink()
    do throws(DeviceAuthenticationError) {
      let reply = try await withTaskCancellationHandler {
        await Result { () async throws(DeviceAuthenticationError) in
          try await blocking { () throws(DeviceAuthenticationError) in try work(wake) }
        }
      } onCancel: {
        wake.raise()
      }.get()
      return Task.isCancelled ? nil : reply
    } catch {
      if error == .cancelled { return nil }
      throw error
    }
  }
}
