internal import AccessMessages
internal import ServerStore

extension OperationRules {
  /// The status of an operation. The session identifier is the authorization: it cannot be guessed.
  func status(of sessionID: String) throws(AccessError) -> OperationStatus {
    guard let record = try transaction.operation(sessionID),
      let state = OperationStatus.State(rawValue: record.state)
    else { return OperationStatus(.unknown) }
    let isFinal = [.succeeded, .failed].contains(state)
    let isLate = !isFinal && record.deadline <= now
    var status = OperationStatus(isLate ? .failed : state)
    status.timestamp = isLate ? record.deadline : record.changedAt
    status.userID = record.account
    (status.uafStatus, status.asmStatus, status.clientError) = (record.uafStatus, record.asmStatus, record.clientError)
    status.authenticators = record.authenticators
    if let dispatcher = record.dispatcher {
      let result: OperationStatus.TokenResult? =
        record.isRedeemed ? .tokenRedeemed : record.deadline <= now ? .tokenTimedOut : nil
      status.token = OperationStatus.TokenInformation(
        deviceExternalID: record.deviceExternalID, result: result, dispatcher: dispatcher)
    }
    return status
  }
}
