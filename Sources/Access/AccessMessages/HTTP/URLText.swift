extension String {
  /// The text as a component of a path or as a value of a query: every byte is percent-encoded that is not unreserved (RFC 3986,
  /// section 2.3).
  public var percentEncoded: String {
    var encoded = ""
    for octet in utf8 {
      let character = Character(Unicode.Scalar(octet))
      if octet < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
        encoded.append(character)
      } else {
        encoded += "%" + (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  /// The path with a query. Parameters without a value are left out.
  public func query(_ parameters: [(name: String, value: String?)]) -> String {
    let pairs = parameters.compactMap { name, value in value.map { "\(name)=\($0.percentEncoded)" } }
    return pairs.isEmpty ? self : self + "?" + pairs.joined(separator: "&")
  }
}
