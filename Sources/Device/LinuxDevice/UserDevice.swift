#if LinuxDevice
  package import DeviceAuthentication
  internal import Octets

  /// Which user a device serves, and with which parts of this machine.
  package struct UserDeviceSettings: Sendable {
    /// The name of the user.
    package var user: String
    /// The number of the user.
    package var userNumber: UInt32
    /// The path of the shadow file.
    package var shadow = "/etc/shadow"
    /// The directory of PAM's service files.
    package var pamDirectory = "/etc/pam.d"
    /// The directory of the prints of fprintd.
    package var prints = "/var/lib/fprint"
    /// The directory of the device's state: a directory for each served user, which only root opens.
    package var state = "/var/lib/tap-device"
    /// The transport of the TPM and its configuration.
    package var transport = TPMSettings.kernelTransport

    /// Describes the device of a user, with the default parts.
    package init(user: String, userNumber: UInt32) {
      self.user = user
      self.userNumber = userNumber
    }
  }

  /// The device of one user: the sensor, the lock and its guard, the keys in the TPM, and the passcode check.
  package struct UserDevice: Sendable {
    /// The sensor.
    package let sensor: FingerprintReader
    /// The lock.
    package let lock: LockGuard
    /// The keys. Each use comes after a check of the lock.
    package let keys: any ProtectedKeyStore
    /// The readings of an armed payment.
    package let monitor: any DeviceMonitor
    /// The passcode check.
    package let passcode: PAMPasscode
    private let watch: LockWatch

    /// Sets up the device. Its directory is created; the TPM is opened at the first use.
    ///
    /// - Throws: `.unavailable` when a name or a path cannot be used.
    package init(_ settings: UserDeviceSettings) throws(DeviceAuthenticationError) {
      guard let name = ServedUser.directoryName(settings.user) else {
        throw .unavailable(reason: "\"\(settings.user)\" is not the name of a user")
      }
      try LockDirectory(path: settings.state).create()
      let directory = "\(settings.state)/\(name)"
      let tpm = TPMSettings(transport: settings.transport, user: settings.userNumber)
      lock = try LockGuard(
        user: settings.user, shadow: settings.shadow, directory: directory, counter: TPMLockEpoch(tpm))
      sensor = FingerprintReader(user: settings.user, store: settings.prints)
      let store = TPMKeyStore(settings: tpm, directory: directory + "/keys", lock: lock)
      keys = GuardedKeyStore(store, by: lock)
      monitor = GuardedMonitor(keys, by: lock, isStored: store.isStored, isEnrolled: sensor.isEnrolled)
      passcode = PAMPasscode(
        PasscodeSettings(directory: settings.pamDirectory, user: settings.user), lock: lock)
      watch = lock.watch()
    }

    /// Checks the lock once, so that a removal while no device ran raises the epoch at the start.
    ///
    /// - Throws: `.busy` or `.unavailable`; every later request checks again.
    package func settle() async throws(DeviceAuthenticationError) { _ = try await lock.isSet() }
  }
#endif
