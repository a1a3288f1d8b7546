#if LinuxDevice
  package import DeviceAuthentication
  package import Octets
  internal import POSIX
  internal import Synchronization

  /// The fingerprint reader of this machine, through fprintd on the system bus.
  ///
  /// Each call uses a connection and a thread of its own. fprintd shows no prompt and offers no passcode, so the caller
  /// shows the text, and the result is never `.fallbackRequested`. A cancelled prompt is closed within 1 s. Only signals
  /// that fprintd itself has sent count: every program may send signals to a connection of the system bus.
  package final class FingerprintReader: BiometricVerifier {
    private let user: String
    private let address: String?
    private let store: String
    private let clock: any MonotonicClock
    private let isPromptOpen = Mutex(false)
    /// The marks of the stored prints when fprintd listed them last.
    private let enrolledPrints = Mutex<[[Int64]]>([])

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
    package init(
      user: String, address: String? = nil, store: String = "/var/lib/fprint", clock: any MonotonicClock = SystemClock()
    ) {
      self.user = user
      self.address = address
      self.store = store
      self.clock = clock
    }

    /// Lists the user's enrolled fingers.
    package func enrolment() async throws(DeviceAuthenticationError) -> BiometricEnrolment {
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

    /// Reads the stored prints, and asks fprintd after each change of them: it ends by itself when nothing uses it, and an
    /// fprintd that has ended has removed nothing.
    ///
    /// - Returns: False when nothing is enrolled.
    package func isEnrolled() async throws(DeviceAuthenticationError) -> Bool {
      let present = EnrolledPrints(store: store, user: user).marks()
      // Without a stored print, such as where this program may not read them, only fprintd shows what is enrolled.
      guard present.isEmpty || present != enrolledPrints.withLock(\.self) else { return true }
      let isEnrolled = try await enrolment().state != .notEnrolled
      enrolledPrints.withLock { $0 = isEnrolled ? present : [] }
      return isEnrolled
    }

    /// Waits for one finger. The text and the passcode are the caller's.
    package func verify(
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
