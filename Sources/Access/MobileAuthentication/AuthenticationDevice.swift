public import DeviceAuthentication

/// Where the private keys of a device are.
public enum DeviceKeyProtection: String, Sendable, CaseIterable {
  /// In a TPM.
  case tpm
  /// In a simulated device, which counts as hardware.
  case simulated
  /// In software. Only the debug flavour accepts it.
  case software
}

/// The device on which the client runs.
public struct AuthenticationDevice: Sendable {
  /// The ports of the device.
  public let ports: DevicePorts
  /// Where its keys are.
  public let protection: DeviceKeyProtection
  /// The checks of this process, made before each operation; nil for no checks.
  public let integrity: (any DeviceIntegrity)?
  /// The clocks.
  public let clocks: AuthenticatorClocks
  /// The limits of the prompts of the device.
  public let limits: VerificationLimits

  /// Describes a device.
  public init(
    ports: DevicePorts, protection: DeviceKeyProtection, integrity: (any DeviceIntegrity)? = nil,
    clocks: AuthenticatorClocks = .system, limits: VerificationLimits = .standard
  ) {
    self.ports = ports
    self.protection = protection
    self.integrity = integrity
    self.clocks = clocks
    self.limits = limits
  }

  /// Returns the same device with other ports.
  package func with(_ ports: DevicePorts) -> AuthenticationDevice {
    AuthenticationDevice(ports: ports, protection: protection, integrity: integrity, clocks: clocks, limits: limits)
  }
}

/// The flavour of this build, chosen by the package trait `DebugFlavour` and independent of the build configuration.
public enum Flavour: String, Sendable {
  /// The default: a device lock and hardware keys are required.
  case release
  /// For tests: no device lock and software keys are accepted.
  case debug

  /// The flavour of this build.
  public static var present: Flavour {
    #if DebugFlavour
      .debug
    #else
      .release
    #endif
  }
}
