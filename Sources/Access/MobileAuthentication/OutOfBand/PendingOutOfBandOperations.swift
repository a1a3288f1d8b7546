internal import AccessMessages
internal import Documents
internal import FIDOUAF

/// The out-of-band operations that wait for this device: those that are neither redeemed nor expired. For a push message that
/// did not arrive, not for polling.
public struct PendingOutOfBandOperations: Sendable {
  /// A pending operation.
  public struct Operation: Equatable, Sendable {
    /// The account to which it was dispatched.
    public let account: Account
    /// When it was dispatched, in milliseconds since 1970.
    public let createdAt: Int64
    /// When it expires, in milliseconds since 1970.
    public let expiresAt: Int64
    /// The channel, such as `png-qr-code`.
    public let channel: String
    /// The text of the push message as JSON, or nil.
    public let additionalInformation: String?
    /// Where it is redeemed.
    public let operation: RedeemableOperation
  }

  /// What the servers returned. One that fails does not hide the operations of the others.
  public struct Result: Equatable, Sendable {
    /// The operations, the oldest first.
    public var operations: [Operation] = []
    /// The failures, by account.
    public var errors: [Account: OperationError] = [:]
  }

  /// The origin of the server that is asked; nil for the servers of all accounts.
  public var server: String?

  /// Creates the request.
  public init(server: String? = nil) { self.server = server }

  /// Asks the server, or those of all accounts.
  ///
  /// A device whose first registration was made by a version that the servers cannot serve gets an empty result, without
  /// an exchange.
  ///
  /// - Throws: `OperationError` when no server can be asked.
  public func execute(on client: MobileAuthenticationClient) async throws(OperationError) -> Result {
    try await client.checkDevice()
    let records = try await client.presentRecords()
    if let version = records.firstRegistrationVersion,
      client.configuration.versionsWithoutPendingOperations.contains(version)
    {
      return Result()
    }
    var result = Result()
    for record in records.accounts where server == nil || record.account.server == server {
      await client.moveSharedIdentity(at: record.account.server)
      guard let device = try await client.presentRecords().device(at: record.account.server) else { continue }
      do throws(OperationError) {
        result.operations += try await operations(of: record, device, client)
      } catch {
        result.errors[record.account] = error
      }
    }
    result.operations.sort { $0.createdAt < $1.createdAt }
    return result
  }

  private func operations(
    of record: AccountRecord, _ device: DeviceRecord, _ client: MobileAuthenticationClient
  ) async throws(OperationError) -> [Operation] {
    guard record.formerDeviceID == nil else { throw .identityLost }
    guard let target = record.dispatchTarget else { return [] }
    let list: PendingOperations
    do throws(OperationError) {
      let response = try await fetch(record.account, target, device, client)
      list = try ServerConnection.body(response) { (json) throws(DocumentError) in try PendingOperations(json) }
    } catch .refused(let refusal) where [404, 405].contains(refusal.httpStatus) {
      throw .operationNotSupportedByBackend
    } catch .refused(let refusal) where refusal.failure?.code == .clockSkew {
      throw .clockSkewTooBig
    }
    var operations: [Operation] = []
    for entry in list.entries {
      // A message that this device cannot use, such as one for its former keys, does not hide the others.
      guard let operation = try? await client.decode(entry.payload) else { continue }
      operations.append(
        Operation(
          account: record.account, createdAt: entry.createdAt, expiresAt: entry.expiresAt, channel: entry.channel,
          additionalInformation: entry.information, operation: operation))
    }
    return operations
  }

  private func fetch(
    _ account: Account, _ target: String, _ device: DeviceRecord, _ client: MobileAuthenticationClient
  ) async throws(OperationError) -> HTTPResponse {
    let connection = try client.connection(to: account.server)
    let signature = try await client.deviceSignature(.operations, target, device, for: account.server)
    var response = try await connection.send(
      .get, AccessPath.deviceOperations(device.information.deviceId),
      [
        HTTPField(DeviceRequest.headerName, signature),
        HTTPField("Accept", MediaType.withCharacterSet(MediaType.jose)),
      ])
    guard let type = response.fields.value("Content-Type"), MediaType.header(type, states: MediaType.jose) else {
      return response
    }
    do throws(OperationError) {
      response.body = try await client.decrypted(String(decoding: response.body, as: UTF8.self), by: device)
    } catch {
      throw .unknown("the answer of the server: \(error)")
    }
    return response
  }
}
