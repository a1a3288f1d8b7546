import JOSE
import JSON
import Octets

/// Compact JWS and JWE in words.
enum JOSEDescription {
  /// The lines of a compact JWS or JWE, the first without a margin; nil for another text.
  static func lines(of text: String, at margin: String) -> [String]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { try? [UInt8](base64URL: $0) }
    guard parts.count == 3 || parts.count == 5, let head = parts[0],
      let header = try? JSONValue(parsing: head), let algorithm = header["alg"]?.text
    else { return nil }
    let key = header["kid"]?.text.map { ", key \($0)" } ?? ""
    if parts.count == 5 {
      let sizes = parts.dropFirst().map { ($0?.count ?? 0).bytes }
      return [
        "JWE \(algorithm) with \(header["enc"]?.text ?? "?")\(key): encrypted key \(sizes[0]), "
          + "initialisation vector \(sizes[1]), ciphertext \(sizes[2]), tag \(sizes[3])"
      ]
    }
    let payload = parts[1].flatMap { try? JSONValue(parsing: $0) }
    return ["JWS \(algorithm)\(key), signature of \((parts[2]?.count ?? 0).bytes)"]
      + (payload.map { MessageDescription.lines(of: $0, at: margin + "  ", "payload") } ?? [])
  }
}
