internal import Octets

extension TestedCapabilities {
  /// Product, versions, kernels, currencies, applications with their limits, and what is known of verification methods and
  /// authority keys, for reports.
  public var properties: [(name: String, value: String)] {
    var properties = [(name: "terminal", value: product)]
    properties += version.map { [(name: "terminal version", value: $0)] } ?? []
    properties += kernels.compactMap { kernel in kernel.version.map { (name: "kernel \(kernel.number)", value: $0) } }
    properties.append((name: "kernels", value: kernels.map { "\($0.number)" }.joined(separator: ", ")))
    properties.append((name: "currencies", value: currencies.joined(separator: ", ")))
    properties += applications.map { (name: $0.names, value: $0.words) }
    if let methods { properties.append((name: "verification methods", value: methods)) }
    if let authorityKeys {
      let words = authorityKeys.map { "\($0.provider.hex) \([$0.index].hex)" }
      properties.append((name: "authority keys", value: words.isEmpty ? "none" : words.joined(separator: ", ")))
    }
    return properties
  }

  /// The methods of cardholder verification as the file names them; nil when they are not known.
  var methods: String? { verifications.isEmpty ? nil : verifications.map(\.rawValue).joined(separator: ", ") }
}

extension TestedCapabilities.Application {
  /// `application A0000000031010`.
  fileprivate var names: String { "application \(aids.map(\.hex).joined(separator: ", "))" }

  /// `kernel 3; 9F66 36804000; EUR: contactless limit 100.00, CVM limit 50.00`.
  fileprivate var words: String {
    let amounts = limits.sorted { $0.key < $1.key }.map { currency, limits in
      let known = TestAmount.Limit.allCases.compactMap { limit in limits[limit].map { "\(limit.words) \($0)" } }
      return "\(currency): \(known.isEmpty ? "no limit" : known.joined(separator: ", "))"
    }
    return (["kernel \(kernel)"] + (qualifiers.map { ["9F66 \($0.hex)"] } ?? []) + amounts).joined(separator: "; ")
  }
}
