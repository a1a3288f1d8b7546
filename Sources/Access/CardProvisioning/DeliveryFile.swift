internal import Foundation
internal import JOSE
internal import JSON
internal import MobileAuthentication
public import Octets
internal import POSIX

/// The identifiers of pending deliveries in a file. It holds no secret: a delivery can be opened by the device only.
public struct DeliveryFile: PendingDeliveries {
  /// The file, in a directory that exists.
  public let path: String
  /// The origin of the server whose deliveries these are. The file can have those of others.
  public let issuer: String
  private let random: any RandomSource

  /// Names a file. It is created at the first delivery.
  ///
  /// - Parameter random: The source of the identifiers.
  public init(path: String, issuer: String, random: any RandomSource = SystemRandomSource()) {
    (self.path, self.issuer, self.random) = (path, issuer, random)
  }

  /// Returns the identifier of a pending delivery, or makes a new one and writes it to the file.
  public func identifier(for purpose: DeliveryPurpose) async throws(ProvisioningError) -> String {
    var pending = try read()
    if let known = pending[name(of: purpose)] { return known }
    let new = random.octets(16).base64URL
    pending[name(of: purpose)] = new
    try write(pending)
    return new
  }

  /// Removes the identifier of a delivery from the file.
  public func finish(_ purpose: DeliveryPurpose) async throws(ProvisioningError) {
    var pending = try read()
    guard pending.removeValue(forKey: name(of: purpose)) != nil else { return }
    try write(pending)
  }

  /// Removes the identifiers of all deliveries of the issuer.
  public func removeAll() throws(ProvisioningError) {
    let pending = try read()
    let others = pending.filter { !$0.key.hasPrefix(prefix) }
    if others.count < pending.count { try write(others) }
  }

  /// Makes the deliveries that an older version of this engine has named, which stored no issuer, those of the issuer.
  public func adopt() throws(ProvisioningError) {
    let pending = try read()
    guard pending.contains(where: { !$0.key.hasPrefix(Self.scheme) }) else { return }
    let adopted = pending.map { ($0.key.hasPrefix(Self.scheme) ? $0.key : prefix + $0.key, $0.value) }
    try write(Dictionary(adopted) { first, _ in first })
  }

  private static let scheme = "https://"

  private var prefix: String { issuer + " " }

  private func name(of purpose: DeliveryPurpose) -> String { prefix + purpose.text }

  /// Runs a body that requests keys and stores them, while no other process does. Two processes that did so at the same
  /// time would both store the keys of one pending delivery. A cancelled task stops waiting.
  public func whileAlone<Value>(_ body: () async throws -> Value) async throws -> Value {
    let lock: FileLock
    do {
      lock = try await FileLock.waiting(for: path + ".lock", .exclusive)
    } catch let error as SystemError { throw ProvisioningError.storage("\(path).lock cannot be written: \(error)") }
    defer { withExtendedLifetime(lock) {} }
    return try await body()
  }

  private func read() throws(ProvisioningError) -> [String: String] {
    guard FileManager.default.fileExists(atPath: path) else { return [:] }
    do {
      let members = try JSONValue(parsing: [UInt8](Data(contentsOf: URL(filePath: path)))).members ?? []
      let pairs = members.compactMap { member in member.value.text.map { (member.key, $0) } }
      return Dictionary(pairs) { first, _ in first }
    } catch let error as JSONError {
      throw .storage("\(path): \(error)")
    } catch { throw .storage("\(path) cannot be read: \(error.localizedDescription)") }
  }

  /// Replaces the file. It is readable by its owner only.
  private func write(_ pending: [String: String]) throws(ProvisioningError) {
    let json = JSONValue(members: pending.sorted { $0.key < $1.key }.map { ($0.key, Optional(JSONValue($0.value))) })
    do throws(SystemError) {
      try WholeFile(following: path).write(Array((json.compact + "\n").utf8))
    } catch { throw .storage("\(path) cannot be written: \(error)") }
  }
}
