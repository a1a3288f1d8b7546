public import AccessMessages
internal import FIDOUAF
internal import Foundation

/// What authorises a request to a server: cookies or a token. The client returns it and keeps none.
public struct Authorization: Hashable, Sendable {
  /// Cookies in the form `name=value`, without attributes.
  public var cookies: [String]
  /// A token for `Authorization: Bearer`, or nil.
  public var token: String?

  /// No authorization.
  public static let none = Authorization()

  /// Creates an authorization.
  public init(cookies: [String] = [], token: String? = nil) { (self.cookies, self.token) = (cookies, token) }

  /// Reads what the response of a server carries: `Set-Cookie`, and a token of the type JWT or OAuth2.
  init(_ fields: [HTTPField], _ tokens: [ServerResponse.Token]) {
    cookies = fields.values("Set-Cookie").compactMap { field in
      field.split(separator: ";", maxSplits: 1).first?.trimmingCharacters(in: CharacterSet(charactersIn: " "))
    }
    token = tokens.first { ["JWT", "OAUTH2"].contains($0.type.uppercased()) }?.value
  }

  /// Whether it authorises nothing.
  public var isEmpty: Bool { cookies.isEmpty && token == nil }

  /// The fields of a request.
  public var fields: [HTTPField] {
    let cookie = cookies.isEmpty ? [] : [HTTPField("Cookie", cookies.joined(separator: "; "))]
    return cookie + (token.map { [HTTPField("Authorization", "Bearer \($0)")] } ?? [])
  }
}
