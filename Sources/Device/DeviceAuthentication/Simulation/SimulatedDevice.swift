internal import Octets
internal import Synchronization

/// A device made of nothing but rules: the lock, the enrolments, the keys and a scripted person.
///
/// It is deterministic, it never waits except for a person who does not answer, and it counts what is asked of it,
/// so that a test can prove that nobody was asked. For tests, demonstrations and development: its keys keep nothing
/// safe.
public final class SimulatedDevice: Sendable {
  /// What kind of device it is.
  public struct Hardware: Sendable, Equatable {
    /// Whether it has a sensor.
    public var hasSensor: Bool
    /// After how many unknown fingers in a row the sensor locks until the passcode is entered; nil for never.
    public var sensorLocksAfter: Int?
    /// Whether removing the passcode removes the enrolments too, and none can be made without it. Phones do so; a
    /// Linux machine keeps its fingerprints.
    public var biometricsNeedPasscode: Bool

    /// Describes a device.
    public init(hasSensor: Bool = true, sensorLocksAfter: Int? = nil, biometricsNeedPasscode: Bool = true) {
      self.hasSensor = hasSensor
      self.sensorLocksAfter = sensorLocksAfter
      self.biometricsNeedPasscode = biometricsNeedPasscode
    }

    /// A phone: a sensor that never locks.
    public static let phone = Hardware()
  }

  struct State: ~Copyable {
    var passcode: Secret?
    var enrolments = 0
    var epoch: UInt64 = 0
    var keys: [String: LockEpoch] = [:]
    var failedScans = 0
    var user: SimulatedUser
    var acts: [VerificationMethod: Int] = [:]
    var openPrompt: VerificationMethod?
    var prompts: [VerificationMethod: Int] = [:]
    var lastPrompt: String?
    var keyAccesses = 0
  }

  /// What kind of device it is.
  public let hardware: Hardware
  let state: Mutex<State>

  /// Creates a device with no passcode, nothing enrolled and no key.
  public init(hardware: Hardware = .phone, user: SimulatedUser = .approve) {
    self.hardware = hardware
    state = Mutex(State(user: user))
  }

  /// The person, from the first act of the script. Setting it begins the new script.
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

// What a person does in the device's settings, in the words of the scenarios.
extension SimulatedDevice {
  /// Sets a passcode, or another one. The lock epoch stays. An empty passcode traps.
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
      if hardware.biometricsNeedPasscode { state.enrolments = 0 }
    }
  }

  /// Enrols one more finger. Traps without a sensor, and on a phone without a passcode.
  public func enrolBiometric() {
    precondition(hardware.hasSensor, "a device without a sensor enrols nobody")
    precondition(isPasscodeSet || !hardware.biometricsNeedPasscode, "this device enrols fingers under a passcode only")
    state.withLock { $0.enrolments += 1 }
  }

  /// Removes every enrolment. The passcode, the lock epoch and the keys stay.
  public func removeAllBiometrics() {
    state.withLock { $0.enrolments = 0 }
  }

  private static func secret(_ text: String) -> Secret {
    var octets = Array(text.utf8)
    return Secret(wiping: &octets)
  }
}

// What a test looks at.
extension SimulatedDevice {
  /// Whether a passcode is set.
  public var isPasscodeSet: Bool { state.withLock { $0.passcode != nil } }
  /// How many fingers are enrolled.
  public var enrolmentCount: Int { state.withLock { $0.enrolments } }
  /// The lock epoch: how often the lock was removed.
  public var lockEpoch: LockEpoch { LockEpoch(rawValue: state.withLock { $0.epoch }) }
  /// How many keys the device holds, valid or not.
  public var keyCount: Int { state.withLock { $0.keys.count } }
  /// How often a key was accessed.
  public var keyAccessCount: Int { state.withLock { $0.keyAccesses } }
  /// The text of the last prompt, whichever kind it was.
  public var lastPrompt: String? { state.withLock { $0.lastPrompt } }
  /// The kind of prompt that is open now.
  public var openPrompt: VerificationMethod? { state.withLock { $0.openPrompt } }

  /// How often the person was asked in this way.
  public func promptCount(_ method: VerificationMethod) -> Int { state.withLock { $0.prompts[method, default: 0] } }
}
