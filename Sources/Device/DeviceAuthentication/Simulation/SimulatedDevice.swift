public import Octets

/// A simulated device: the lock, the enrolments, the keys and a scripted person.
///
/// It is deterministic, waits only for a person who does not answer, and counts its prompts and key accesses, so that a
/// test can check that no prompt was shown. For tests, demonstrations and development: its keys protect nothing. Its
/// memory ends with the process; a `StoredDevice` keeps it in a file.
public final class SimulatedDevice: Sendable {
  /// The properties of the hardware.
  public let hardware: Hardware
  /// The ports.
  public let ports: DevicePorts
  private let storage: VolatileStorage
  private let run: SimulatedRun

  /// Creates a device without a passcode, an enrolment or a key.
  ///
  /// - Parameters:
  ///   - random: The source of its keys and of their identifiers.
  ///   - signing: The arithmetic of its signing keys; without it, the device creates only sealing keys.
  ///   - clock: The clock of the time for which a passcode is locked.
  public init(
    hardware: Hardware = .phone, user: SimulatedUser = .approve, random: any RandomSource = SystemRandomSource(),
    signing: (any SoftwareSigning)? = nil, clock: any WallClock = SystemWallClock()
  ) {
    self.hardware = hardware
    storage = VolatileStorage(
      SimulatedMemory(hardware: hardware, identity: random.octets(SimulatedMemory.identityCount)))
    run = SimulatedRun(user: user)
    ports =
      SimulatedPorts(
        storage: storage, run: run, random: random, signing: signing, clock: clock
      ).ports
  }

  /// The person. Setting it starts the new script at its first act.
  public var user: SimulatedUser {
    get { run.user }
    set { run.user = newValue }
  }

  /// The error of every call of the key store, as of one that does not respond; nil while it works.
  public var keyStoreError: DeviceAuthenticationError? {
    get { run.keyStoreError }
    set { run.keyStoreError = newValue }
  }
}

// Changes in the device's settings, with the names that the scenarios use.
extension SimulatedDevice {
  /// Sets or replaces the passcode. The lock epoch stays. An empty passcode traps.
  public func setPasscode(_ passcode: String) {
    precondition(!passcode.isEmpty, "a passcode has at least one character; to remove it, disable the lock screen")
    storage.set { $0.setPasscode(passcode) }
  }

  /// Changes the passcode. The lock epoch, the enrolments and the keys stay. Traps when none is set.
  public func changePasscode(to passcode: String) {
    precondition(isPasscodeSet, "only a passcode that is set can be changed")
    setPasscode(passcode)
  }

  /// Removes the passcode and, on a phone, every enrolment, and raises the lock epoch. Does nothing without one.
  public func disableLockScreen() { storage.set { $0.disableLock() } }

  /// Enrols another finger. Traps without a sensor, and on a phone without a passcode.
  public func enrolBiometric() {
    storage.set { memory in
      do throws(DeviceAuthenticationError) {
        try memory.enrol()
      } catch {
        preconditionFailure("this device cannot enrol a finger: \(error)")
      }
    }
  }

  /// Removes the finger that was enrolled last. Does nothing without one.
  public func removeLastBiometric() { storage.set { _ = $0.enrolments.popLast() } }

  /// Removes every enrolment. The passcode, the lock epoch and the keys stay.
  public func removeAllBiometrics() { storage.set { $0.enrolments = [] } }

  /// Deletes every key, as when a key store is cleared.
  public func deleteAllKeys() { storage.set { $0.keys = [:] } }
}

// Facts for tests.
extension SimulatedDevice {
  /// Whether a passcode is set.
  public var isPasscodeSet: Bool { storage.present.passcode != nil }
  /// The present enrolment, as the sensor reports it.
  public var enrolment: BiometricEnrolment { storage.present.enrolment }
  /// The number of enrolled fingers.
  public var enrolmentCount: Int { storage.present.enrolments.count }
  /// The lock epoch: the number of removals of the lock.
  public var lockEpoch: LockEpoch { LockEpoch(rawValue: storage.present.epoch) }
  /// The number of stored keys, valid or not.
  public var keyCount: Int { storage.present.keys.count }
  /// The number of key accesses.
  public var keyAccessCount: Int { run.keyAccessCount }
  /// The text of the last prompt of either method.
  public var lastPrompt: String? { run.lastPrompt }
  /// The method of the open prompt; nil when none is open.
  public var openPrompt: VerificationMethod? { run.openPrompt }

  /// Returns the number of prompts for a method.
  public func promptCount(_ method: VerificationMethod) -> Int { run.promptCount(method) }
}
