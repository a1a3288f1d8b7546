extension JSONValue {
  /// The value as JSON on one line, with a space after each colon and comma: `{"name": "kiosk", "limits": [1, 2]}`.
  public var compact: String {
    var text = ""
    write(into: &text, indentation: nil)
    return text
  }

  /// The value as JSON with one member or element a line, indented by two spaces a level. Ends without a line feed.
  public var pretty: String {
    var text = ""
    write(into: &text, indentation: 0)
    return text
  }

  /// A text as a JSON string with its quotation marks: the one place where JSON is escaped.
  ///
  /// Escapes the quotation mark, the backslash and the control characters below U+0020 (RFC 8259, section 7).
  public static func quoted(_ text: String) -> String {
    guard text.utf8.contains(where: isEscaped) else { return "\"\(text)\"" }
    // All of these are ASCII, so the bytes of other characters stay as they are.
    var octets: [UInt8] = [UInt8(ascii: "\"")]
    octets.reserveCapacity(text.utf8.count * 9 / 8 + 2)
    for octet in text.utf8 {
      if isEscaped(octet) { octets += escape(octet).utf8 } else { octets.append(octet) }
    }
    octets.append(UInt8(ascii: "\""))
    return String(decoding: octets, as: UTF8.self)
  }

  private static func isEscaped(_ octet: UInt8) -> Bool {
    octet < 0x20 || octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\")
  }

  private static func escape(_ octet: UInt8) -> String {
    switch octet {
    case UInt8(ascii: "\""): "\\\""
    case UInt8(ascii: "\\"): "\\\\"
    case UInt8(ascii: "\n"): "\\n"
    case UInt8(ascii: "\r"): "\\r"
    case UInt8(ascii: "\t"): "\\t"
    default: (octet < 0x10 ? "\\u000" : "\\u00") + String(octet, radix: 16)
    }
  }

  // Without an indentation, everything is on one line.
  private func write(into text: inout String, indentation: Int?) {
    switch content {
    case .null: text += "null"
    case .flag(let flag): text += flag ? "true" : "false"
    case .number(let number): text += number
    case .text(let string): text += Self.quoted(string)
    case .list(let values):
      Self.write(values, between: "[", and: "]", into: &text, indentation) { value, text, indentation in
        value.write(into: &text, indentation: indentation)
      }
    case .object(let members):
      Self.write(members, between: "{", and: "}", into: &text, indentation) { member, text, indentation in
        text += Self.quoted(member.key) + ": "
        member.value.write(into: &text, indentation: indentation)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], between open: String, and close: String, into text: inout String, _ indentation: Int?,
    _ write: (Element, inout String, Int?) -> Void
  ) {
    text += open
    for (index, element) in elements.enumerated() {
      if let indentation {
        text += (index == 0 ? "\n" : ",\n") + String(repeating: " ", count: indentation + 2)
      } else if index > 0 {
        text += ", "
      }
      write(element, &text, indentation.map { $0 + 2 })
    }
    if let indentation, !elements.isEmpty { text += "\n" + String(repeating: " ", count: indentation) }
    text += close
  }
}
