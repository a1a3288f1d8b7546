/// Records that are counted for an address or a device.
package enum CountedRecords: Hashable, Sendable {
  /// The challenges that wait for responses of an address.
  case challenges(address: String)
  /// The operations that were begun from an address.
  case operations(address: String)
  /// The identifiers that a dispatch target has used.
  case usedRequests(device: String)
  /// The identifiers that a device has used at wallets.
  case usedWalletRequests(device: String)
  /// The identifiers that devices without a wallet have used at wallets from an address.
  case unlinkedWalletRequests(address: String)
}

extension CountedRecords {
  /// The table, the column and its value.
  var selected: (RecordTable, String, String) {
    switch self {
    case .challenges(let address): (ChallengeRecord.table, "address", address)
    case .operations(let address): (OperationRecord.table, "address", address)
    case .usedRequests(let device): (UsedRequestRecord.table, "device", device)
    case .usedWalletRequests(let device): (UsedWalletRequestRecord.table, "device", device)
    case .unlinkedWalletRequests(let address): (UsedWalletRequestRecord.table, "address", address)
    }
  }
}
