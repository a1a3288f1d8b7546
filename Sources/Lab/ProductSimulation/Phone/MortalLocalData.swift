internal import CardProvisioning
internal import MobileAuthentication

/// The local data of a phone whose process can be killed.
struct MortalLocalData: LocalDataStore {
  let base: any LocalDataStore
  let life: Mortality

  private static let path = "the local data of the phone"
  private static let killed = LocalDataError.notWritable(path: path, reason: "the process was killed")

  private func alive() throws(LocalDataError) { guard !life.isOver else { throw Self.killed } }

  func read() async throws(LocalDataError) -> LocalRecords {
    try alive()
    return try await base.read()
  }

  func update<Value: Sendable>(
    _ body:
      @escaping @Sendable (
        _ records: inout LocalRecords, _ keep: (LocalRecords) throws(LocalDataError) -> Void
      ) throws(LocalDataError) -> Value
  ) async throws(LocalDataError) -> Value {
    switch life.write() {
    case .done: return try await base.update(body)
    case .full: throw .notWritable(path: Self.path, reason: "no space is left")
    case .last:
      _ = try await base.update(body)
      throw Self.killed
    case .killed: throw Self.killed
    }
  }

  func beginRegistration() async throws(LocalDataError) -> any RegistrationMark {
    try alive()
    return try await base.beginRegistration()
  }

  func beginEntry() async throws(LocalDataError) -> any RegistrationMark {
    try alive()
    return try await base.beginEntry()
  }

  func holdRegistrations() async throws(LocalDataError) -> (any RegistrationMark)? {
    try alive()
    return try await base.holdRegistrations()
  }
}

/// The pending deliveries of a phone whose process can be killed.
struct MortalDeliveries: PendingDeliveries {
  let base: DeliveryFile
  let life: Mortality

  private static let killed = ProvisioningError.storage("the process was killed")

  func identifier(for purpose: DeliveryPurpose) async throws(ProvisioningError) -> String {
    switch life.write() {
    case .done: return try await base.identifier(for: purpose)
    case .full: throw .storage("no space is left")
    case .last:
      _ = try await base.identifier(for: purpose)
      throw Self.killed
    case .killed: throw Self.killed
    }
  }

  func finish(_ purpose: DeliveryPurpose) async throws(ProvisioningError) {
    switch life.write() {
    case .done: try await base.finish(purpose)
    case .full: throw .storage("no space is left")
    case .last:
      try await base.finish(purpose)
      throw Self.killed
    case .killed: throw Self.killed
    }
  }
}
