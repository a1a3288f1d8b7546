internal import DeviceAuthentication

/// The interfaces of fprintd (net.reactivated.Fprint, version 1.94).
enum Fprint {
  static let service = "net.reactivated.Fprint"
  static let deviceInterface = "net.reactivated.Fprint.Device"
  /// The name for all fingers. A sensor that cannot search its prints compares with the first enrolled finger only.
  static let anyFinger = "any"

  /// A call of the service.
  enum Call: Equatable, Sendable {
    case defaultDevice
    case enrolledFingers(device: String, user: String)
    case claim(device: String, user: String)
    case startVerification(device: String, finger: String)
    case stopVerification(device: String)
    case release(device: String)

    var message: BusCall {
      switch self {
      case .defaultDevice:
        BusCall(
          service: service, path: "/net/reactivated/Fprint/Manager", interface: "net.reactivated.Fprint.Manager",
          method: "GetDefaultDevice", argument: nil)
      case .enrolledFingers(let device, let user): Self.call(device, "ListEnrolledFingers", user)
      case .claim(let device, let user): Self.call(device, "Claim", user)
      case .startVerification(let device, let finger): Self.call(device, "VerifyStart", finger)
      case .stopVerification(let device): Self.call(device, "VerifyStop", nil)
      case .release(let device): Self.call(device, "Release", nil)
      }
    }

    private static func call(_ device: String, _ method: String, _ argument: String?) -> BusCall {
      BusCall(service: service, path: device, interface: deviceInterface, method: method, argument: argument)
    }
  }

  /// The subscriptions of a connection that verifies: the signals of the service, and its end.
  static let subscriptions = [
    "type='signal',sender='\(service)',interface='\(deviceInterface)'",
    "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
      + "arg0='\(service)'",
  ].map {
    BusCall(
      service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
      method: "AddMatch", argument: $0)
  }

  /// The results of a comparison (fprintd, Device.VerifyStatus).
  enum Status: Equatable, Sendable {
    case match
    case noMatch
    /// The sensor could not use the scan and waits for another one.
    case retry
    case disconnected
    case failed

    init(_ text: String) {
      switch text {
      case "verify-match": self = .match
      case "verify-no-match": self = .noMatch
      case "verify-retry-scan", "verify-swipe-too-short", "verify-finger-not-centered", "verify-remove-and-retry":
        self = .retry
      case "verify-disconnected": self = .disconnected
      default: self = .failed
      }
    }
  }
}

extension BusError {
  /// The reason, without the words of an error.
  var reason: String {
    if case .unavailable(let reason) = deviceError { reason } else { "\(deviceError)" }
  }

  /// The error of a biometric port.
  var deviceError: DeviceAuthenticationError {
    switch name {
    case Self.nothingEnrolled: .biometricNotEnrolled("enrol a finger with fprintd-enroll")
    case "net.reactivated.Fprint.Error.AlreadyInUse", "net.reactivated.Fprint.Error.ClaimDevice":
      .busy("another program uses the fingerprint reader")
    case "net.reactivated.Fprint.Error.NoSuchDevice": .unavailable(reason: "no fingerprint reader is connected")
    case "net.reactivated.Fprint.Error.PermissionDenied", "org.freedesktop.DBus.Error.AccessDenied":
      .unavailable(
        reason: """
          this program may not use the fingerprint reader: allow it the polkit actions \
          net.reactivated.fprint.device.verify and net.reactivated.fprint.device.setusername (\(message))
          """)
    case "org.freedesktop.DBus.Error.ServiceUnknown": .unavailable(reason: "fprintd is not installed")
    case Self.disconnected: .unavailable(reason: message)
    default: .unavailable(reason: "the fingerprint reader fails with \(name): \(message)")
    }
  }

  private static let nothingEnrolled = "net.reactivated.Fprint.Error.NoEnrolledPrints"

  /// Whether the user has no enrolled finger.
  var meansNothingEnrolled: Bool { name == Self.nothingEnrolled }

  /// Whether this machine has no fingerprint reader that could work.
  var meansNoReader: Bool {
    ["net.reactivated.Fprint.Error.NoSuchDevice", "org.freedesktop.DBus.Error.ServiceUnknown"].contains(name)
  }
}
