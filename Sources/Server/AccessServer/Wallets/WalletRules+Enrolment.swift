internal import AccessMessages
internal import JOSE
internal import JSON
internal import ServerStore

/// The hashes of the secrets of a profile.
struct ProfileHashes: Sendable {
  let password, pin: String
  let answers: [EnrolledWalletRecord.Answer]
}

extension WalletRules {
  /// Checks an enrolment before its secrets are hashed.
  ///
  /// - Throws: A refusal: `deviceLinked`, `requirementsNotMet`, `userNameInUse`, `tooManyFailures`.
  func beginEnrolment(_ profile: UserProfile, _ request: SignedRequest) throws(AccessError) -> SigningDevice {
    let device = try signingDevice(request)
    let subject = FailureSubject.enrolment(address: network)
    try checkFailures(of: subject, limit: configuration.failureLimits.perAddress)
    try checkEnrolment(profile, device)
    let shortcomings = profile.shortcomings(configuration.wallets.requirements)
    guard shortcomings.isEmpty else {
      throw .refused(.requirementsNotMet, shortcomings.map(\.description).joined(separator: "; "))
    }
    _ = try newUserName(profile.email)
    try countFailure(of: subject)
    return device
  }

  private func checkEnrolment(_ profile: UserProfile, _ device: SigningDevice) throws(AccessError) {
    guard device.linked == nil else { throw .deviceLinked }
    guard try wallet(entered: profile.email) == nil else {
      try countFailure(of: .enrolment(address: network))
      throw .refused(.userNameInUse, "another wallet has this e-mail address: log in, or choose another one")
    }
  }

  /// Adds the wallet. The device is linked by the login with the nonce.
  func finishEnrolment(
    _ profile: UserProfile, _ hashes: ProfileHashes, _ earlier: SigningDevice
  ) throws(AccessError) -> EnrolmentResponse {
    let device = try current(earlier)
    try checkEnrolment(profile, device)
    let information = profile.additionalCustomerInformation.sorted { $0.key < $1.key }
      .map { ($0.key, JSONValue($0.value)) }
    let wallet = EnrolledWalletRecord(
      id: newIdentifier(), userName: try newUserName(profile.email), firstName: profile.firstName,
      lastName: profile.lastName, phone: profile.phone, passwordHash: hashes.password, pinHash: hashes.pin,
      answers: hashes.answers, information: JSONValue(members: information).compact, createdAt: now)
    try transaction.save(wallet)
    let nonce = try newWalletToken(
      .enrolment, wallet, userName: wallet.userName, for: device, lifetime: configuration.wallets.lifetimes.nonce)
    try audit(.enrolment, "succeeded", account: wallet.userName, device: device.deviceID)
    return EnrolmentResponse(message: "Welcome, \(profile.firstName).", nonce: nonce)
  }

  /// Links a device with a wallet. A device of the wallet that it replaces has lost its keys, and is unlinked.
  func link(
    _ described: WalletDevice, with read: LinkReads, _ device: SigningDevice
  ) throws(AccessError) -> SigningDevice {
    let wallet = read.wallet
    guard device.linked == nil else { throw .deviceLinked }
    try device.check(described)
    for deviceID in [device.deviceID, described.replaces].compactMap(\.self) {
      guard !read.deactivations.contains(where: { $0.deviceID.hasSameOctets(as: deviceID) }) else {
        throw .deviceInactive
      }
    }
    let others = read.devices.filter { $0.deviceID != described.replaces }
    guard others.count < RecordLimits.walletDevices else {
      throw .refused(
        .notAllowed, "the wallet has \(RecordLimits.walletDevices) devices, the limit: unlink one (lost remove)")
    }
    let record = WalletDeviceRecord(
      deviceID: device.deviceID, wallet: wallet.id, name: described.name, signatureKey: device.storedKey,
      encryptionKey: described.encryptionKey.json.compact, pushTarget: described.pushTarget, createdAt: now,
      system: described.system, lastContactAt: now)
    try transaction.save(record)
    try audit(.deviceLinked, "succeeded", account: wallet.userName, device: device.deviceID)
    if let former = try described.replaces.flatMap(transaction.walletDevice), former.wallet == wallet.id,
      former.deviceID != device.deviceID
    {
      try unlink(former, "replaced: its keys are lost")
    }
    return SigningDevice(deviceID: device.deviceID, key: device.key, linked: record)
  }
}

/// What the store has of a wallet with which a device is to be linked.
struct LinkReads {
  let wallet: EnrolledWalletRecord
  /// The devices that are linked with it.
  let devices: [WalletDeviceRecord]
  /// Its deactivated devices.
  let deactivations: [DeactivationRecord]

  /// Reads all of it in one round trip.
  ///
  /// - Parameter id: The identifier of the wallet, which a record refers to.
  init(_ id: String, in transaction: AccessTransaction) throws(AccessError) {
    let wallet: EnrolledWalletRecord?
    (wallet, devices, deactivations) = try transaction.readTogether { store throws(AccessError) in
      (try store.wallet(id), try store.walletDevices(of: id), try store.deactivations(of: .wallet(id)))
    }
    guard let wallet else { throw .damaged("a record refers to a wallet that does not exist") }
    self.wallet = wallet
  }
}

extension AccessService {
  /// Adds a wallet.
  func enrol(_ profile: UserProfile, _ request: SignedRequest) async throws(AccessError) -> EnrolmentResponse {
    let device = try await decide(request) { try $0.beginEnrolment(profile, request) }
    var answers: [EnrolledWalletRecord.Answer] = []
    for answer in profile.answers {
      let hash = try await hashing.hash(EnteredForm.answer(answer.text), as: .short, for: request.address)
      answers.append(EnrolledWalletRecord.Answer(questionID: answer.questionID, hash: hash))
    }
    let hashes = ProfileHashes(
      password: try await hashing.hash(profile.password, as: .password, for: request.address),
      pin: try await hashing.hash(profile.passcode, as: .short, for: request.address), answers: answers)
    return try await decide(request) { try $0.finishEnrolment(profile, hashes, device) }
  }
}
