public import FIDOUAF

/// The paths of the HTTP interface. The server answers each with and without a trailing slash.
///
/// The paths under `/nevisfido` are those of the nevisFIDO HTTP API, except `deviceOperations`, whose path is not public
/// and was chosen here. The others are ours.
public enum AccessPath {
  /// POST: asks for a registration request.
  public static let registrationRequest = "/nevisfido/uaf/1.1/request/registration"
  /// POST: sends a registration response.
  public static let registrationResponse = "/nevisfido/uaf/1.1/registration"
  /// POST: asks for an authentication request.
  public static let authenticationRequest = "/nevisfido/uaf/1.1/request/authentication"
  /// POST: sends an authentication response.
  public static let authenticationResponse = "/nevisfido/uaf/1.1/authentication"
  /// POST: asks for a deregistration request, which has no response.
  public static let deregistrationRequest = "/nevisfido/uaf/1.1/request/deregistration"
  /// GET: the list of trusted facets.
  public static let facets = "/nevisfido/uaf/1.1/facets"

  /// POST: dispatches an operation.
  public static func dispatch(_ operation: UAFOperation) -> String {
    "/nevisfido/token/dispatch/\(operation.pathComponent)"
  }

  /// POST: redeems a token for the request of the operation.
  public static func redeem(_ operation: UAFOperation) -> String {
    "/nevisfido/token/redeem/\(operation.pathComponent)"
  }

  /// POST: registers a dispatch target. GET with `?username=`: lists those of a user.
  public static let dispatchTargets = "/nevisfido/token/dispatch/targets"
  /// PATCH: changes a dispatch target. DELETE: removes it.
  public static func dispatchTarget(_ id: String) -> String { "\(dispatchTargets)/\(id)" }

  /// GET: the credentials of a device.
  public static func deviceCredentials(_ deviceID: String) -> String { "/nevisfido/devices/credentials/\(deviceID)" }
  /// GET: the pending out-of-band operations of a device. Ours.
  public static func deviceOperations(_ deviceID: String) -> String { "/nevisfido/devices/oob-operations/\(deviceID)" }

  /// POST: the status of an operation.
  public static let status = "/nevisfido/status"
  /// GET: the lowest and the latest version of the client for Linux. Ours.
  public static let linuxVersions = "/app-versions/linux"
}

/// The paths for an operator, who sends the token of the file `operator.token` as `Authorization: Bearer`. Operations are
/// dispatched at `AccessPath.dispatch` with the same token.
public enum OperatorPath {
  /// POST: adds a new user and makes a registration token.
  public static let users = "/operator/v1/users"
  /// POST: makes a further registration token for a user.
  public static let userTokens = "/operator/v1/user-tokens"
  /// GET with `?account=` or `?after=`: lists devices.
  public static let devices = "/operator/v1/devices"
  /// DELETE: removes a device and its credentials. PATCH: activates or deactivates it.
  public static func device(_ id: String) -> String { "\(devices)/\(id)" }
  /// GET with `?userName=` or `?after=`: lists wallets with their devices.
  public static let wallets = "/operator/v1/wallets"
  /// DELETE: unlinks a device of a wallet. PATCH: activates or deactivates it.
  public static func walletDevice(_ deviceID: String) -> String { "/operator/v1/wallet-devices/\(deviceID)" }
  /// GET with `?limit=`: the newest entries of the audit trail.
  public static let audit = "/operator/v1/audit"
}

/// The paths for a user who lost a device, with an authorization from an authentication with another one.
public enum SelfServicePath {
  /// GET: the devices of the user.
  public static let devices = "/self-service/v1/devices"
  /// DELETE: removes a device and its credentials.
  public static func device(_ id: String) -> String { "\(devices)/\(id)" }
  /// GET: the credentials of the user.
  public static let credentials = "/self-service/v1/credentials"
  /// DELETE: removes a credential, named by its external identifier.
  public static func credential(_ externalID: String) -> String { "\(credentials)/\(externalID)" }
}

extension UAFOperation {
  /// The name of the operation in a path.
  public var pathComponent: String {
    switch self {
    case .registration: "registration"
    case .authentication: "authentication"
    case .deregistration: "deregistration"
    }
  }
}
