internal import AccessMessages
internal import FIDOUAF
internal import RelyingParty
internal import ServerStore

extension OperationRules {
  /// Deletes keys of a user and returns the request that deletes them at the client, which has no response (FIDO UAF Protocol
  /// Specification 1.1, section 3.6.4.1).
  ///
  /// - Parameters:
  ///   - context: The account, and the keys; without keys, all of the account.
  ///   - account: The account that the caller is authorised for.
  ///   - device: The identifier of the device whose keys are meant; nil for keys of every device and of none.
  /// - Returns: 1404 when the account has no such key.
  func deregistrationRequest(
    _ context: RequestContext, of account: String, onDevice device: String? = nil, sessionID: String? = nil
  ) throws(AccessError) -> ReturnUAFRequest {
    guard context.userName.map({ $0.hasSameOctets(as: account) }) ?? true else {
      throw .refused(.forbidden, "the authorization is that of another user")
    }
    let credentials = try transaction.credentials(of: account).filter { credential in
      (device.map { credential.isOf(device: $0) } ?? true)
        && DeregistrationCeremony.means(context.targets, credential.aaid, credential.keyID)
    }
    guard !credentials.isEmpty else { return ReturnUAFRequest(.notFound) }
    try remove(credentials, of: account)
    let new = newRequest(.deregistration, sessionID: sessionID)
    let ceremony = DeregistrationCeremony(new.header, deleting: credentials.compactMap(\.registeredKey))
    try updateOperation(new.sessionID, .deregistration, account: account) { record in
      record.state = OperationStatus.State.succeeded.rawValue
      record.uafStatus = UAFStatusCode.ok.rawValue
      record.authenticators = credentials.map(OperationStatus.Authenticator.init)
    }
    try audit(.deregistration, "\(UAFStatusCode.ok.rawValue)", account: account, sessionID: new.sessionID)
    return ReturnUAFRequest(
      .ok, message: UAFMessage.deregistrationRequest(ceremony.request).text, operation: .deregistration)
  }
}

extension OperationRules {
  /// Deregisters keys for the caller: a user, the operator for any user, or a device by its signature, which are its own keys of
  /// its account.
  ///
  /// - Throws: A refusal when the caller is not authorised.
  func deregister(_ context: RequestContext, _ credentials: PresentedCredentials) throws(AccessError)
    -> ReturnUAFRequest
  {
    if let signature = credentials.deviceSignature {
      let (device, _) = try verifiedRequest(signature, for: .deregistration) { _ in true }
      return try deregistrationRequest(context, of: device.account, onDevice: device.deviceID)
    }
    switch try caller(credentials) {
    case .user(let authorization)?: return try deregistrationRequest(context, of: authorization.account)
    case .operator?:
      guard let account = context.userName else { throw .refused(.malformed, "the context has no username") }
      return try deregistrationRequest(context, of: account)
    case nil: throw .refused(.unauthorized, "a deregistration needs the authorization of the user")
    case .registrant?: throw .refused(.forbidden, "a registration token does not authorise a deregistration")
    }
  }
}
