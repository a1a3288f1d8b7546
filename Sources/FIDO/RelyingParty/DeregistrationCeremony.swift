package import FIDOUAF

/// A deregistration (FIDO UAF Protocol Specification 1.1, section 3.6.4.1): the request that deletes keys at a client, which sends
/// no response.
package struct DeregistrationCeremony {
  /// The request.
  package let request: DeregistrationRequest

  /// Begins a deregistration. The keys are named one by one: the wildcard would delete the keys of other accounts on the device
  /// too.
  package init(_ header: OperationHeader, deleting keys: [RegisteredKey]) {
    request = DeregistrationRequest(header: header, targets: keys.map { .key($0.aaid, $0.keyID) })
  }

  /// Returns whether the targets of a deregistration mean a key. No targets mean every key.
  package static func means(_ targets: [DeregistrationRequest.Target], _ aaid: String, _ keyID: [UInt8]) -> Bool {
    targets.isEmpty
      || targets.contains { target in
        switch target {
        case .everything: true
        case .model(let model): model.description == aaid
        case .key(let model, let key): model.description == aaid && key.octets == keyID
        }
      }
  }
}
