public import Octets

/// A simulated device whose memory is a file: the lock, the enrolments, the keys and the failed attempts last longer than
/// a process, and several processes can use it at once.
///
/// Each access reads the file and each change replaces it, so a payment that waits in one process notices a lock that
/// another process removes. While other processes change the file, a port waits for at most 2 s, on a thread of the device;
/// the other calls block their caller for that time.
///
/// For tests, demonstrations and development: the file contains the keys in clear, and its mode 0600 is all that protects
/// them. A copy of the file is a second device with the same keys and counters.
public struct StoredDevice: ScenarioDevice {
  /// The version of the file format. Version 1 has no notes; it is still read.
  public static let version = 2

  /// The path of the file.
  public let path: String
  /// The ports. An error of the file is `.busy` or `.unavailable` there, with a sentence that names the file.
  public let ports: DevicePorts
  private let storage: FileStorage
  private let run: SimulatedRun
  let clock: any WallClock

  /// Opens the device of a file, or creates the file with a device that has no passcode, enrolment or key.
  ///
  /// - Parameters:
  ///   - path: The path of the file, in a directory that exists.
  ///   - hardware: The hardware of a new device; a file that exists keeps its own.
  ///   - user: What the person does at the prompts of this process.
  ///   - random: The source of its keys and of their identifiers.
  ///   - signing: The arithmetic of its signing keys; without it, the device creates only sealing keys.
  ///   - clock: The machine's clock, which the device's own clock follows and is ahead of.
  /// - Throws: Every error but `.notFound` and `.refused`.
  public init(
    path: String, hardware: SimulatedDevice.Hardware = .lockingPhone, user: SimulatedUser = .approve,
    random: any RandomSource = SystemRandomSource(), signing: (any SoftwareSigning)? = nil,
    clock: any WallClock = SystemWallClock()
  ) throws(StoredDeviceError) {
    self.path = path
    self.clock = clock
    let file = DeviceFile(path: path)
    storage = FileStorage(file: file)
    run = SimulatedRun(user: user)
    ports =
      SimulatedPorts(
        storage: storage, run: run, random: random, signing: signing, clock: clock
      ).ports
    // Every change replaces the file whole, so reading needs no lock: the folder may be read-only.
    guard !file.exists else {
      _ = try file.read()
      return
    }
    try file.locked { () throws(StoredDeviceError) in
      guard file.exists else {
        let identity = random.octets(SimulatedMemory.identityCount)
        return try file.write(SimulatedMemory(hardware: hardware, identity: identity))
      }
      _ = try file.read()
    }
  }

  /// Makes a change, with fixed passcodes.
  ///
  /// - Throws: `.passcodeNotSet` or `.unavailable` for a change that the device does not offer; `.busy` or
  ///   `.unavailable` for an error of the file.
  public func apply(_ change: DeviceChange) throws(DeviceAuthenticationError) {
    do throws(StoredDeviceError) {
      try storage.update { (memory) throws(DeviceAuthenticationError) in try memory.apply(change) }
    } catch { throw error.portError }
  }

  /// Sets the person of this process, whose script starts at its first act.
  public func setUser(_ user: SimulatedUser) { run.user = user }

  /// Makes several changes as one: all or none of them.
  ///
  /// - Parameters:
  ///   - changes: The changes.
  ///   - seconds: By how much the device's clock is moved forward after the changes, 0...1 000 000 000.
  ///   - settingDate: Whether the device's date is set to the machine's afterwards, as a phone takes it from its network.
  ///     The time since the start of the device stays ahead.
  /// - Throws: `.refused` for a change that the device does not offer, or an error of the file.
  public func apply(
    _ changes: [DeviceChange], advancingBy seconds: Int = 0, settingDate: Bool = false
  ) throws(StoredDeviceError) {
    precondition((0...1_000_000_000).contains(seconds), "\(seconds) s: the range is 0...1000000000")
    try storage.update { (memory) throws(DeviceAuthenticationError) in
      for change in changes { try memory.apply(change) }
      // Far below the limit of the file format.
      memory.clockAdvance = min(memory.clockAdvance + Int64(seconds), 1 << 40)
      if settingDate { memory.dateCorrection = memory.clockAdvance }
    }
  }

  /// Replaces or unlocks the sensor.
  ///
  /// - Parameters:
  ///   - sensor: What the new sensor recognises, and nil for none; nothing is enrolled then. Outer nil leaves it.
  ///   - isUnlocked: Whether a locked sensor accepts attempts again, as after a right passcode.
  /// - Throws: An error of the file.
  public func setSensor(_ sensor: BiometricKind??, isUnlocked: Bool = false) throws(StoredDeviceError) {
    try storage.update { (memory) throws(DeviceAuthenticationError) in
      if let sensor { memory.setSensor(sensor) }
      if isUnlocked { memory.unlockSensor() }
    }
  }

  /// Returns the present state.
  public func status() throws(StoredDeviceError) -> StoredDeviceStatus {
    StoredDeviceStatus(try DeviceFile(path: path).read(), at: clock.now)
  }
}
