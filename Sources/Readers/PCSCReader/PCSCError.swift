/// A return code of the PC/SC library other than success; unknown ones are kept as they came.
public struct PCSCError: RawRepresentable, Error, Hashable, Sendable, CustomStringConvertible {
  /// The code, such as 0x8010001D.
  public let rawValue: UInt32

  /// Keeps a code, known or not.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// The name in pcsclite.h, or nil for a code that it does not know.
  public var name: String? { Self.table.first { $0.error == self }?.name }

  /// What went wrong, with the code's name and number.
  public var description: String {
    let digits = String(rawValue, radix: 16, uppercase: true)
    guard let known = Self.table.first(where: { $0.error == self }) else { return "unknown PC/SC error 0x\(digits)" }
    return "\(known.text) (\(known.name), 0x\(digits))"
  }
}
