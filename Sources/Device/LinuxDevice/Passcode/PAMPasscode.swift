internal import DisplayText

#if LinuxDevice
  internal import CPAM
  package import DeviceAuthentication
  internal import Glibc
  internal import Octets
  internal import Synchronization

  /// The passcode check of a user of this machine, by PAM. One prompt is open at a time.
  ///
  /// The service is one of its own, and an empty entry is refused (PAM_DISALLOW_NULL_AUTHTOK), also when the service
  /// file permits it. The engine counts attempts and sets the time limit.
  package final class PAMPasscode: Sendable {
    private let settings: PasscodeSettings
    private let lock: LockGuard
    private let isOpen = Atomic(false)
    /// How long PAM may take to end after a cancellation. A module of a service can block for longer.
    private static let cancelLimit = Duration.seconds(5)

    /// - Parameters:
    ///   - settings: The service and the user.
    ///   - lock: The lock of the user: without a passcode no prompt is shown.
    init(_ settings: PasscodeSettings, lock: LockGuard) {
      self.settings = settings
      self.lock = lock
    }

    /// Shows one prompt on a terminal.
    ///
    /// - Parameters:
    ///   - prompt: What the person approves, as a sentence.
    ///   - terminal: The descriptor of a terminal, which stays open until this returns.
    /// - Throws: `.busy` while another prompt is open, `.passcodeNotSet`, `.unavailable`.
    package func verify(prompt: String, on terminal: Int32) async throws(DeviceAuthenticationError) -> PasscodeResult {
      try checkService()
      guard isatty(terminal) == 1 else { throw .unavailable(reason: "the passcode is entered on a terminal only") }
      guard try await lock.isSet() else { throw .passcodeNotSet }
      guard !isOpen.exchange(true, ordering: .acquiringAndReleasing) else {
        throw .busy("another passcode prompt is open on this device")
      }
      guard let entry = TerminalEntry(on: terminal) else {
        isOpen.store(false, ordering: .releasing)
        throw .unavailable(reason: "no free descriptor")
      }
      let (settings, watch) = (settings, CallWatch(SystemClock()))
      let result = await withTaskCancellationHandler {
        await Result { () async throws(DeviceAuthenticationError) in
          try await onOwnThread(waitingFor: "PAM", watch) { () throws(DeviceAuthenticationError) in
            defer { self.isOpen.store(false, ordering: .releasing) }
            entry.write(prompt + "\n")
            return try authenticate(settings, entry)
          }
        }
      } onCancel: {
        entry.cancel()
        watch.expect("PAM", within: Self.cancelLimit)
      }
      return Task.isCancelled ? .cancelled : try result.get()
    }

    /// PAM uses the service `other` when the file is missing; that one permits what this one does not.
    private func checkService() throws(DeviceAuthenticationError) {
      let path = "\(settings.directory)/\(settings.service)"
      // The call only reads the path.
      guard unsafe access(path, R_OK) == 0 else {
        throw .unavailable(
          reason: "\(path) is missing: create it with tap-device pam-service > \(path.shellWord)")
      }
    }
  }

  /// Runs one authentication. Blocks until the person has answered and PAM has checked the answer.
  private func authenticate(
    _ settings: PasscodeSettings, _ entry: TerminalEntry
  ) throws(DeviceAuthenticationError) -> PasscodeResult {
    let conversation = PAMConversation(entry)
    defer { withExtendedLifetime(conversation) {} }
    var structure = unsafe conversation.structure
    var handle: OpaquePointer?
    // The structure and the strings outlive the calls on the handle.
    let started = unsafe pam_start_confdir(
      settings.service, settings.user, &structure, settings.directory, &handle)
    guard started == PAM_SUCCESS, let handle = unsafe handle else {
      throw .unavailable(reason: "PAM cannot start the service \(settings.service) (code \(started))")
    }
    var code = unsafe pam_authenticate(handle, Int32(bitPattern: PAM_DISALLOW_NULL_AUTHTOK))
    let isRecognised = code == PAM_SUCCESS
    if isRecognised { code = unsafe pam_acct_mgmt(handle, Int32(bitPattern: PAM_DISALLOW_NULL_AUTHTOK)) }
    let text = unsafe pam_strerror(handle, code).map { unsafe String(cString: $0) } ?? "unknown"
    unsafe pam_end(handle, code)
    if entry.wasClosed { return .cancelled }
    return try PAMCode(rawValue: code).result(wasAsked: entry.wasAnswered && !isRecognised, text: text)
  }
#endif
