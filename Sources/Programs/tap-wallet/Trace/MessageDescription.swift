import AccessMessages
import JOSE
import JSON
import Octets

/// Messages in words: every member of a body with its path, assertions, JWS and JWE decoded. Tokens and cookies, with which
/// another program could act for the person, are left out.
enum MessageDescription {
  /// What a request sends.
  static func lines(of request: HTTPRequest) -> [String] {
    ["-> \(request.method.rawValue) \(request.url)"] + fields(request.fields) + body(request.body)
  }

  /// What a response returns.
  static func lines(of response: HTTPResponse) -> [String] {
    ["<- status \(response.status)"] + fields(response.fields) + body(response.body)
  }

  private static let hiddenFields: Set<String> = ["authorization", "cookie", "set-cookie"]
  private static let hiddenMembers: Set<String> = [
    "token", "nma_token", "pin", "password", "cookie", "session", "nonce", "passcode", "answer", "biometrictoken",
    "resettoken", "newsecret",
  ]

  private static func fields(_ fields: [HTTPField]) -> [String] {
    fields.flatMap { field -> [String] in
      let name = field.name.lowercased()
      guard !hiddenFields.contains(name) else { return ["   \(field.name): \(hidden(field.value))"] }
      return ["   \(field.name): \(JOSEDescription.lines(of: field.value, at: "   ")?.first ?? field.value.visible())"]
        + (JOSEDescription.lines(of: field.value, at: "   ")?.dropFirst() ?? [])
    }
  }

  private static func body(_ octets: [UInt8]) -> [String] {
    guard !octets.isEmpty else { return [] }
    if let json = try? JSONValue(parsing: octets) { return lines(of: json, at: "   ", "$") }
    let text = String(decoding: octets, as: UTF8.self)
    return JOSEDescription.lines(of: text, at: "   ").map { ["   " + ($0.first ?? "")] + $0.dropFirst() }
      ?? ["   \(octets.count.bytes) that are not JSON"]
  }

  /// One line for each value below a value, with its path.
  static func lines(of value: JSONValue, at margin: String, _ path: String, hides: Bool = false) -> [String] {
    switch value.content {
    case .object(let members):
      // An additional token of a response is an authorization.
      return members.flatMap { member in
        let isToken = path.contains("additionalTokens") && member.key == "value"
        return lines(
          of: member.value, at: margin, path + "." + member.key,
          hides: isToken || hiddenMembers.contains(member.key.lowercased()))
      }
    case .list(let values):
      return values.enumerated().flatMap { lines(of: $1, at: margin, "\(path)[\($0)]", hides: hides) }
    case .text(let text):
      let name = path.split(separator: ".").last.map(String.init) ?? path
      return hides ? ["\(margin)\(path): \(hidden(text))"] : words(text, name, at: margin, path)
    case .null, .flag, .number: return ["\(margin)\(path): \(value.compact)"]
    }
  }

  private static func words(_ text: String, _ name: String, at margin: String, _ path: String) -> [String] {
    if name == "assertion", let octets = try? [UInt8](base64URL: text) {
      return ["\(margin)\(path): an assertion of \(octets.count.bytes)"]
        + AssertionDescription.lines(of: octets, at: margin + "  ")
    }
    if path.contains("transaction"), name == "content", let octets = try? [UInt8](base64URL: text), octets.isPrintable {
      return ["\(margin)\(path): \(String(decoding: octets, as: UTF8.self))"]
    }
    // Messages, contexts and final challenge parameters are JSON within JSON, the last in base64url.
    let nested = name == "fcParams" || name == "uafProtocolMessage" ? try? [UInt8](base64URL: text) : nil
    let octets = nested ?? (text.hasPrefix("{") || text.hasPrefix("[") ? Array(text.utf8) : nil)
    if let octets, let json = try? JSONValue(parsing: octets) { return lines(of: json, at: margin, path) }
    if let jose = JOSEDescription.lines(of: text, at: margin) {
      return ["\(margin)\(path): \(jose[0])"] + jose.dropFirst()
    }
    return ["\(margin)\(path): \(text.visible())"]
  }

  private static func hidden(_ text: String) -> String { "(left out, \(text.count.counted("character")))" }
}
