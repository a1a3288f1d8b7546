internal import Octets

/// What a card says of itself after a reset (ISO/IEC 7816-3:2006, 8.2).
public struct AnswerToReset: Equatable, Sendable {
  /// Why octets are no answer to reset.
  public struct Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// What was wrong and what was expected.
    public let description: String
  }

  /// The longest ATR, in octets.
  public static let maximumCount = 33

  /// The octets as they came.
  public let octets: [UInt8]
  /// The interface characters in order, named as in the standard: `TA1`, `TD1`, `TD2` and so on.
  public let interfaceCharacters: [InterfaceCharacter]
  /// The historical bytes, at most 15.
  public let historicalBytes: [UInt8]
  /// The protocols offered, T=0 and T=1 among them, in the order of the TD characters.
  public let protocols: [Int]

  /// One interface character.
  public struct InterfaceCharacter: Equatable, Sendable {
    /// Its name, such as `TD1`.
    public let name: String
    /// Its value.
    public let value: UInt8
  }

  /// Reads an ATR.
  ///
  /// - Throws: `Fault` when it is too long, cut off, wrongly checked or has octets left over.
  public init(parsing octets: [UInt8]) throws(Fault) {
    guard octets.count <= Self.maximumCount else {
      throw Fault(description: "an ATR of \(octets.count) octets: the limit is \(Self.maximumCount)")
    }
    do throws(OctetsError) {
      var cursor = Cursor(octets.span)
      let initial = try cursor.octet()
      guard initial == 0x3B || initial == 0x3F else {
        throw OctetsError(.notHexadecimal("?"), at: 0)
      }
      let format = try cursor.octet()
      var found: [InterfaceCharacter] = []
      var protocols: [Int] = []
      try Self.readInterface(&cursor, format >> 4, &found, &protocols)
      historicalBytes = try cursor.take(Int(format & 0x0F)).array
      // TCK is present unless T=0 is the only protocol (ISO/IEC 7816-3:2006, 8.2.5).
      let isChecked = protocols.contains { $0 != 0 }
      if isChecked { try cursor.skip(1) }
      try cursor.finish()
      self.octets = octets
      interfaceCharacters = found
      self.protocols = protocols.isEmpty ? [0] : protocols
    } catch {
      throw Self.fault(error)
    }
    if protocols.contains(where: { $0 != 0 }) {
      let check = octets.dropFirst().reduce(0, ^)
      guard check == 0 else {
        throw Fault(description: "the ATR's check character is wrong: the exclusive or is \(check.hex), not 00")
      }
    }
  }

  private static func fault(_ error: OctetsError) -> Fault {
    if case .notHexadecimal = error.code { return Fault(description: "an ATR begins with 3B or 3F") }
    return Fault(description: "the ATR is malformed: \(error)")
  }

  private static func readInterface(
    _ cursor: inout Cursor, _ first: UInt8, _ found: inout [InterfaceCharacter], _ protocols: inout [Int]
  ) throws(OctetsError) {
    var present = first
    var level = 1
    while present != 0 {
      var next: UInt8 = 0
      for (bit, letter) in zip([1, 2, 4, 8] as [UInt8], ["A", "B", "C", "D"]) where present & bit != 0 {
        let value = try cursor.octet()
        found.append(InterfaceCharacter(name: "T\(letter)\(level)", value: value))
        guard letter == "D" else { continue }
        next = value >> 4
        if value & 0x0F != 15, !protocols.contains(Int(value & 0x0F)) { protocols.append(Int(value & 0x0F)) }
      }
      present = next
      level += 1
    }
  }

  /// The ATR that a PC/SC reader makes up for a contactless card (PC/SC part 3, 3.1.3.2.3.1).
  ///
  /// - Parameter historicalBytes: From the card's ATS; at most 15, others are left out.
  public static func contactless(historicalBytes: [UInt8] = []) -> [UInt8] {
    let history = historicalBytes.prefix(15)
    let body = [0x80 | UInt8(history.count), 0x80, 0x01] + history
    return [0x3B] + body + [body.reduce(0, ^)]
  }
}
