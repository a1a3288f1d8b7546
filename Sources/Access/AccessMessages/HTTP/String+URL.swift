internal import Foundation

extension String {
  /// The text as a component of a path or as a value of a query: every byte is percent-encoded that is not unreserved (RFC 3986,
  /// section 2.3).
  public var percentEncoded: String {
    guard let encoded = addingPercentEncoding(withAllowedCharacters: Self.unreserved) else {
      preconditionFailure("every text can be percent-encoded")
    }
    return encoded
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

  /// The path with a query. Parameters without a value are left out.
  public func query(_ parameters: [(name: String, value: String?)]) -> String {
    let pairs = parameters.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }
    return pairs.isEmpty ? self : self + "?" + pairs.joined(separator: "&")
  }
}
