internal import JSON
internal import Octets

extension TestedCapabilities {
  /// The capabilities of this project's terminal, from its profile.
  ///
  /// - Parameter octets: A profile that compiles.
  public init(profile octets: [UInt8]) {
    let profile = (try? JSONValue(parsing: octets)) ?? JSONValue(members: [])
    product = profile["name"]?.text ?? ""
    version = nil
    currencies = profile["currencies"]?.list?.compactMap { $0["name"]?.text } ?? []
    applications = profile["applications"]?.list?.map(Self.application) ?? []
    kernels = Set(applications.map(\.kernel)).sorted().map { Kernel(number: $0, version: nil) }
    (verifications, hasDisplay, json) = ([], true, profile)
    authorityKeys = profile["certificationAuthorities"]?.list?.compactMap { key in
      guard let provider = Self.octets(key["provider"]), let index = Self.octets(key["index"])?.first else {
        return nil
      }
      return AuthorityKey(provider: provider, index: index)
    }
  }

  private static func application(_ value: JSONValue) -> Application {
    var limits: [String: [TestAmount.Limit: String]] = [:]
    for entry in value["limits"]?.list ?? [] {
      guard let currency = entry["currency"]?.text else { continue }
      let named = [
        (TestAmount.Limit.contactlessLimit, "transaction"), (.cvmLimit, "cvmRequired"), (.floorLimit, "floor"),
      ].compactMap { limit, key in entry[key]?.text.map { (limit, $0) } }
      limits[currency] = Dictionary(named) { first, _ in first }
    }
    return Application(
      aids: value["aids"]?.list?.compactMap { octets($0) } ?? [], kernel: value["kernel"]?.integer ?? 0,
      qualifiers: octets(value["qualifiers"]), limits: limits)
  }

  private static func octets(_ value: JSONValue?) -> [UInt8]? { value?.text.flatMap { try? [UInt8](hex: $0) } }
}
