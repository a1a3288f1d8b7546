import CardProvisioning
import Foundation
import JSON
import JOSE
import Octets

/// The identifiers of pending deliveries in a file. It holds no secret: a delivery can be opened by the device only.
struct DeliveryFile: PendingDeliveries {
  let path: String

  func identifier(for purpose: DeliveryPurpose) async throws(ProvisioningError) -> String {
    var pending = try read()
    if let known = pending[purpose.text] { return known }
    let new = SystemRandomSource().octets(16).base64URL
    pending[purpose.text] = new
    try write(pending)
    return new
  }

  func finish(_ purpose: DeliveryPurpose) async throws(ProvisioningError) {
    var pending = try read()
    guard pending.removeValue(forKey: purpose.text) != nil else { return }
    try write(pending)
  }

  /// Removes the file.
  func removeAll() throws(ProvisioningError) { try write([:]) }

  private func read() throws(ProvisioningError) -> [String: String] {
    guard FileManager.default.fileExists(atPath: path) else { return [:] }
    do {
      let members = try JSONValue(parsing: Files.read(path)).members ?? []
      return Dictionary(members.compactMap { member in member.value.text.map { (member.key, $0) } }) { first, _ in first
      }
    } catch { throw .storage("\(path): \(error)") }
  }

  private func write(_ pending: [String: String]) throws(ProvisioningError) {
    let json = JSONValue(members: pending.sorted { $0.key < $1.key }.map { ($0.key, Optional(JSONValue($0.value))) })
    do throws(CommandFailure) {
      try Files.write(json.compact + "\n", to: path)
    } catch { throw .storage(error.message) }
  }
}
