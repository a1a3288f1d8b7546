internal import AccessMessages
internal import ServerStore

extension RequestRules {
  /// Returns whether the operator has deactivated a device for a user.
  ///
  /// - Parameter deviceID: The identifier of the device; nil for an unknown one, which is not deactivated.
  func isDeactivated(_ deviceID: String?, for owner: DeactivationRecord.Owner) throws(AccessError) -> Bool {
    guard let deviceID else { return false }
    return try transaction.deactivations(of: owner).contains { $0.deviceID.hasSameOctets(as: deviceID) }
  }
}
