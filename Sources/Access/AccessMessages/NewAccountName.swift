internal import Foundation

/// The form of a name that is new to a server or a device. Names that are stored already keep their bytes.
public struct NewAccountName: Hashable, Sendable {
  /// Why a name is refused.
  public struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The character that a name must not have.
    public let character: Unicode.Scalar

    /// A sentence with the code point.
    public var description: String {
      let digits = String(character.value, radix: 16, uppercase: true)
      let codePoint = "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
      return "a name has no control and no bidirectional characters: remove \(codePoint)"
    }
  }

  /// The name in Unicode's Normalization Form C.
  public let text: String

  /// Normalizes a name.
  ///
  /// - Throws: `Refusal` for a name with a control character, a line separator or a bidirectional formatting character.
  public init(_ entered: String) throws(Refusal) {
    // Printable ASCII is in every normalization form.
    guard !entered.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
      text = entered
      return
    }
    for scalar in entered.unicodeScalars where Self.isRefused(scalar) { throw Refusal(character: scalar) }
    text = entered.precomposedStringWithCanonicalMapping
  }

  /// The form in which names are compared before a new one is made: Normalization Form KC, without characters that only exist for
  /// compatibility. The Kelvin sign is K, and the ligature of f and i is fi. Letter case stays significant.
  public static func folded(_ name: String) -> String {
    guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
    return name.precomposedStringWithCompatibilityMapping
  }

  private static func isRefused(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return true
    default: break
    }
    // The characters with the property Bidi_Control (Unicode Standard Annex 9).
    switch scalar.value {
    case 0x061C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069: return true
    default: return false
    }
  }
}
