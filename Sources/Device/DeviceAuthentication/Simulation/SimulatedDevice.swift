public import Octets
internal import Synchronization

/// A simulated device: the lock, the enrolments, the keys and a scripted person.
///
/// It is deterministic, waits only for a person who does not answer, and counts its prompts and key accesses, so that a
/// test can check that no prompt was shown. For tests, demonstrations and development: its keys protect nothing.
public final class SimulatedDevice: Sendable {
  /// The properties of the hardware.
  public struct Hardware: Sendable, Equatable {
    /// Whether it has a sensor.
    public var hasSensor: Bool
    /// What the sensor recognises.
    public var sensor: BiometricKind
    /// The number of consecutive unknown fingers after which the sensor locks until the passcode is entered; nil for
    /// never.
    public var sensorLocksAfter: Int?
    /// Whether removing the passcode also removes the enrolments, and enrolling needs a passcode. True for phones; a
    /// Linux machine keeps its fingerprints.
    public var biometricsNeedPasscode: Bool

    /// Describes the hardware.
    public init(
      hasSensor: Bool = true, sensor: BiometricKind = .finger, sensorLocksAfter: Int? = nil,
      biometricsNeedPasscode: Bool = true
    ) {
      self.hasSensor = hasSensor
      self.sensor = sensor
      self.sensorLocksAfter = sensorLocksAfter
      self.biometricsNeedPasscode = biometricsNeedPasscode
    }

    /// A phone: a sensor that never locks.
    public static let phone = Hardware()
  }

  struct State: ~Copyable {
    var passcode: Secret?
    /// The numbers of the enrolled fingers. A number is never used twice.
    var enrolments: [UInt64] = []
    var nextEnrolment: UInt64 = 1
    var epoch: UInt64 = 0
    var keys: [KeyIdentifier: SimulatedKey] = [:]
    var nextKey: UInt64 = 1
    var keyStoreError: DeviceAuthenticationError?
    var failedScans = 0
    var user: SimulatedUser
    var acts: [VerificationMethod: Int] = [:]
    var openPrompt: VerificationMethod?
    var prompts: [VerificationMethod: Int] = [:]
    var lastPrompt: String?
    var keyAccesses = 0
  }

  /// The properties of the hardware.
  public let hardware: Hardware
  let state: Mutex<State>
  let random: any RandomSource
  let signing: (any SoftwareSigning)?

  /// Creates a device without a passcode, an enrolment or a key.
  ///
  /// - Parameters:
  ///   - random: The source of its keys and of their identifiers.
  ///   - signing: The arithmetic of its signing keys; without it, the device creates only sealing keys.
  public init(
    hardware: Hardware = .phone, user: SimulatedUser = .approve, random: any RandomSource = SystemRandomSource(),
    signing: (any SoftwareSigning)? = nil
  ) {
    self.hardware = hardware
    self.random = random
    self.signing = signing
    state = Mutex(State(user: user))
  }

  /// The error of every call of the key store, as of one that does not respond; nil while it works.
  public var keyStoreError: DeviceAuthenticationError? {
    get { state.withLock { $0.keyStoreError } }
    set { state.withLock { $0.keyStoreError = newValue } }
  }

  /// The person. Setting it starts the new script at its first act.
  public var user: SimulatedUser {
    get { state.withLock { $0.user } }
    set {
      state.withLock { state in
        state.user = newValue
        state.acts = [:]
      }
    }
  }
}

// Changes in the device's settings, with the names that the scenarios use.
extension SimulatedDevice {
  /// Sets or replaces the passcode. The lock epoch stays. An empty passcode traps.
  public func setPasscode(_ passcode: String) {
    precondition(!passcode.isEmpty, "a passcode has at least one character; to remove it, disable the lock screen")
    state.withLock { $0.passcode = Self.secret(passcode) }
  }

  /// Changes the passcode. The lock epoch, the enrolments and the keys stay. Traps when none is set.
  public func changePasscode(to passcode: String) {
    precondition(isPasscodeSet, "only a passcode that is set can be changed")
    setPasscode(passcode)
  }

  /// Removes the passcode and, on a phone, every enrolment, and raises the lock epoch. Does nothing without one.
  public func disableLockScreen() {
    state.withLock { state in
      guard state.passcode != nil else { return }
      state.passcode = nil
      state.epoch += 1
      if hardware.biometricsNeedPasscode { state.enrolments = [] }
    }
  }

  /// Enrols another finger. Traps without a sensor, and on a phone without a passcode.
  public func enrolBiometric() {
    precondition(hardware.hasSensor, "a device without a sensor enrols no finger")
    precondition(
      isPasscodeSet || !hardware.biometricsNeedPasscode, "this device enrols fingers only when a passcode is set")
    state.withLock { state in
      state.enrolments.append(state.nextEnrolment)
      state.nextEnrolment += 1
    }
  }

  /// Removes the finger that was enrolled last. Does nothing without one.
  public func removeLastBiometric() {
    state.withLock { _ = $0.enrolments.popLast() }
  }

  /// Removes every enrolment. The passcode, the lock epoch and the keys stay.
  public func removeAllBiometrics() {
    state.withLock { $0.enrolments = [] }
  }

  /// Deletes every key, as when a key store is cleared.
  public func deleteAllKeys() {
    state.withLock { $0.keys = [:] }
  }

  private static func secret(_ text: String) -> Secret {
    var octets = Array(text.utf8)
    return Secret(wiping: &octets)
  }
}

// Facts for tests.
extension SimulatedDevice {
  /// Whether a passcode is set.
  public var isPasscodeSet: Bool { state.withLock { $0.passcode != nil } }
  /// The number of enrolled fingers.
  public var enrolmentCount: Int { state.withLock { $0.enrolments.count } }
  /// The present enrolment, as the sensor reports it.
  public var enrolment: BiometricEnrolment {
    guard hardware.hasSensor else {
      return .unavailable(hardware.sensor, reason: "this device has no biometric sensor")
    }
    let numbers = state.withLock { $0.enrolments }
    return numbers.isEmpty ? .notEnrolled(hardware.sensor) : .enrolled(hardware.sensor, digest: Self.digest(numbers))
  }

  /// FNV-1a with 64 bits: the numbers of the fingers are no secret.
  private static func digest(_ numbers: [UInt64]) -> [UInt8] {
    numbers.flatMap(\.bigEndianOctets).reduce(0xCBF2_9CE4_8422_2325 as UInt64) { digest, octet in
      (digest ^ UInt64(octet)) &* 0x100_0000_01B3
    }.bigEndianOctets
  }

  /// The lock epoch: the number of removals of the lock.
  public var lockEpoch: LockEpoch { LockEpoch(rawValue: state.withLock { $0.epoch }) }
  /// The number of stored keys, valid or not.
  public var keyCount: Int { state.withLock { $0.keys.count } }
  /// The number of key accesses.
  public var keyAccessCount: Int { state.withLock { $0.keyAccesses } }
  /// The text of the last prompt of either method.
  public var lastPrompt: String? { state.withLock { $0.lastPrompt } }
  /// The method of the open prompt; nil when none is open.
  public var openPrompt: VerificationMethod? { state.withLock { $0.openPrompt } }

  /// Returns the number of prompts for a method.
  public func promptCount(_ method: VerificationMethod) -> Int { state.withLock { $0.prompts[method, default: 0] } }
}
