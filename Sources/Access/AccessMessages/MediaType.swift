internal import Foundation

/// The media types of the HTTP interface.
public enum MediaType {
  /// UAF messages (FIDO UAF Application API and Transport Binding 1.1, section 4.3).
  public static let uaf = "application/fido+uaf"
  /// Other bodies.
  public static let json = "application/json"
  /// Signed or encrypted bodies in compact serialization (RFC 7515, section 9.2.1).
  public static let jose = "application/jose"
  /// A list of trusted facets.
  public static let facets = "application/fido.trusted-apps+json"

  private static let spaces = CharacterSet(charactersIn: " \t")

  /// The type with the parameter `charset`, as a header states it.
  public static func withCharacterSet(_ type: String) -> String { "\(type);charset=UTF-8" }

  /// Returns whether a `Content-Type` header names a type. Ignores case and parameters; a `charset` must be UTF-8.
  public static func header(_ header: String, states type: String) -> Bool {
    let parts = header.split(separator: ";").map { $0.trimmingCharacters(in: spaces).lowercased() }
    guard parts.first == type else { return false }
    return parts.dropFirst().allSatisfy { part in
      guard part.hasPrefix("charset=") else { return true }
      return ["utf-8", "\"utf-8\""].contains(part.dropFirst("charset=".count))
    }
  }

  /// Whether an `Accept` header accepts a type (RFC 9110, section 12.5.1). Weights other than zero do not count.
  public static func header(_ header: String, accepts type: String) -> Bool {
    let family = type.prefix { $0 != "/" } + "/*"
    return header.split(separator: ",").contains { range in
      let parts = range.split(separator: ";").map { $0.trimmingCharacters(in: spaces).lowercased() }
      guard let name = parts.first, name == type || name == family || name == "*/*" else { return false }
      return !parts.dropFirst().contains { ["q=0", "q=0.0", "q=0.00", "q=0.000"].contains($0) }
    }
  }
}
