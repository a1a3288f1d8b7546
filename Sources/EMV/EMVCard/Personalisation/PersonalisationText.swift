internal import Octets

/// The text form of a personalisation file: its digits without comments, and its directives.
struct PersonalisationText {
  var octets: [UInt8] = []
  var directives: [PersonalisationFile.Directive: String] = [:]

  init(_ text: String) throws(PersonalisationError) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let parts = line.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      do throws(OctetsError) {
        octets += try [UInt8](hex: parts.first ?? "")
      } catch {
        // The text is not quoted: it may be a part of a key.
        throw PersonalisationError(
          "line \(index + 1) is not whole bytes in hexadecimal", at: octets.count)
      }
      if parts.count == 2, parts[1].hasPrefix("@") { try keep(parts[1].dropFirst(), line: index + 1) }
    }
  }

  private mutating func keep(_ text: Substring, line: Int) throws(PersonalisationError) {
    let parts = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
    let known = PersonalisationFile.Directive.allCases.map(\.rawValue).joined(separator: ", ")
    guard let name = parts.first, let directive = PersonalisationFile.Directive(rawValue: String(name)) else {
      throw PersonalisationError("line \(line) has an unknown name after #@: the names are \(known)", at: octets.count)
    }
    guard parts.count == 2 else {
      throw PersonalisationError("line \(line) has no value after #@ \(name)", at: octets.count)
    }
    guard directives[directive] == nil else {
      throw PersonalisationError("line \(line) has #@ \(name) for the second time", at: octets.count)
    }
    let value = parts[1].reversed().drop(while: \.isWhitespace).reversed()
    directives[directive] = String(value)
  }
}
