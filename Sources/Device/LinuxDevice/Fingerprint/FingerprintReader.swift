#if LinuxDevice
  public import DeviceAuthentication
  public import Octets
  internal import POSIX
  internal import Synchronization

  /// The fingerprint reader of this machine, through fprintd on the system bus.
  ///
  /// Each call uses a connection and a thread of its own. fprintd shows no prompt and offers no passcode, so the caller
  /// shows the text, and the result is never `.fallbackRequested`. A cancelled prompt is closed within 1 s. Only signals
  /// that fprintd itself has sent count: every program may send signals to a connection of the system bus.
  public final class FingerprintReader: BiometricVerifier {
    private let user: String
    private let address: String?
    private let store: String
    private let clock: any MonotonicClock
    private let isPromptOpen = Mutex(false)

    /// How long fprintd may take to list the enrolled fingers. It starts at the first call.
    private static let listLimit = Duration.seconds(20)

    /// Creates a reader. Nothing is opened yet.
    ///
    /// - Parameters:
    ///   - user: The name of the user whose fingers count.
    ///   - address: The address of the bus; nil for the system bus, or the one that `DBUS_SYSTEM_BUS_ADDRESS` names.
    ///   - store: The directory of fprintd's prints. Where this program may not read it, the digest of an enrolment does
    ///     not change when a finger is enrolled anew under the same name.
    ///   - clock: Measures the time for closing a prompt.
    public init(
      user: String, address: String? = nil, store: String = "/var/lib/fprint", clock: any MonotonicClock = SystemClock()
    ) {
      self.user = user
      self.address = address
      self.store = store
      self.clock = clock
    }

    /// Lists the user's enrolled fingers.
    public func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment {
      let wakeUp = try Self.newWakeUp()
      let outcome = try await onOwnThread(
        waitingFor: "fprintd"
      ) { [user, address, clock] () throws(DeviceAuthenticationError) in
        Result { () throws(BusError) in
          let session = try FingerprintSession(address: address, wakeUp: wakeUp, clock: clock)
          return try session.enrolledFingers(user: user, until: clock.now + Self.listLimit)
        }
      }
      switch outcome {
      case .success([]): return .notEnrolled(.finger)
      case .success(let fingers):
        return .enrolled(.finger, digest: EnrolledPrints(store: store, user: user).digest(of: fingers))
      case .failure(let error) where error.meansNoReader: return .unavailable(.finger, reason: error.reason)
      case .failure(let error): throw error.deviceError
      }
    }

    /// Waits for one finger. The text and the passcode are the caller's.
    public func verify(
      prompt: String, offeringPasscode: Bool
    ) async throws(DeviceAuthenticationError) -> BiometricResult {
      guard !Task.isCancelled else { return .cancelled }
      guard isPromptOpen.withLock({ exchange(&$0, with: true) }) == false else {
        throw .busy("another prompt of this fingerprint reader is open")
      }
      defer { isPromptOpen.withLock { $0 = false } }
      let wakeUp = try Self.newWakeUp()
      let outcome = await withTaskCancellationHandler {
        await Result { () async throws(DeviceAuthenticationError) in try await oneScan(until: wakeUp) }
      } onCancel: {
        wakeUp.raise()
      }
      return try outcome.get()
    }

    private func oneScan(until wakeUp: WakeSignal) async throws(DeviceAuthenticationError) -> BiometricResult {
      try await onOwnThread(
        waitingFor: "fprintd"
      ) { [user, address, clock] () throws(DeviceAuthenticationError) in
        try Result { () throws(BusError) in
          var session = try FingerprintSession(address: address, wakeUp: wakeUp, clock: clock)
          return session.verify(user: user)
        }.mapError(\.deviceError).get().get()
      }
    }

    private static func newWakeUp() throws(DeviceAuthenticationError) -> WakeSignal {
      do throws(SystemError) {
        return try WakeSignal()
      } catch { throw .unavailable(reason: "this program has no free descriptor: \(error)") }
    }
  }
#endif
