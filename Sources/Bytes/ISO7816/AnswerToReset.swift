public import Octets

/// The answer to reset (ATR): the parameters that a card sends after a reset (ISO/IEC 7816-3:2006, 8.2).
public struct AnswerToReset: Equatable, Sendable {
  /// The reason why bytes are not an answer to reset.
  public enum Fault: Error, Equatable, Sendable, CustomStringConvertible {
    /// There are more bytes than an ATR can have.
    case tooLong(count: Int)
    /// TS is neither 3B (direct convention) nor 3F (inverse convention).
    case initialCharacter(UInt8)
    /// Characters that T0 or a TD announces are missing, or bytes follow the ATR.
    case octets(OctetsError)
    /// TCK is wrong: the exclusive or of T0 to TCK is not zero.
    case wrongCheckCharacter(remainder: UInt8)

    /// A sentence with the position, the value and the limit.
    public var description: String {
      switch self {
      case .tooLong(let count): "the ATR has \(count.bytes): the limit is \(AnswerToReset.maximumCount)"
      case .initialCharacter(let value): "the ATR begins with \(value.hex): 3B or 3F is needed"
      case .octets(let error): "the ATR is malformed: \(error)"
      case .wrongCheckCharacter(let remainder):
        "the ATR's check character is wrong: the exclusive or is \(remainder.hex), not 00"
      }
    }
  }

  /// The longest ATR, in bytes.
  public static let maximumCount = 33

  /// The whole ATR.
  public let octets: [UInt8]
  /// The interface characters in order, named as in the standard: `TA1`, `TD1`, `TD2` and so on.
  public let interfaceCharacters: [InterfaceCharacter]
  /// The historical bytes, at most 15.
  public let historicalBytes: [UInt8]
  /// The protocols that the card offers, such as T=0 and T=1, in the order of the TD characters.
  public let protocols: [Int]

  /// The storage card that a contactless PC/SC reader describes; nil for a card with commands.
  public var storageCard: StorageCard? { StorageCard(historicalBytes: historicalBytes) }

  /// One interface character.
  public struct InterfaceCharacter: Equatable, Sendable {
    /// Its name, such as `TD1`.
    public let name: String
    /// Its value.
    public let value: UInt8
  }

  /// Reads an ATR.
  ///
  /// - Throws: `Fault` when it is too long or cut off, its check character is wrong, or bytes are left over.
  public init(parsing octets: [UInt8]) throws(Fault) {
    guard octets.count <= Self.maximumCount else { throw .tooLong(count: octets.count) }
    if let initial = octets.first, initial != 0x3B, initial != 0x3F { throw .initialCharacter(initial) }
    let characters: Characters
    do throws(OctetsError) {
      characters = try Characters(octets.span)
    } catch {
      throw .octets(error)
    }
    let remainder = octets.dropFirst().reduce(0, ^)
    guard remainder == 0 || !characters.isChecked else { throw .wrongCheckCharacter(remainder: remainder) }
    self.octets = octets
    interfaceCharacters = characters.interface
    historicalBytes = characters.historical
    // T=0 is offered when no TD names a protocol. T=15 is not a protocol: it qualifies global interface characters.
    let offered = characters.indicated.filter { $0 != 15 }
    protocols = offered.isEmpty ? [0] : offered
  }

  /// The characters between TS and TCK.
  private struct Characters {
    var interface: [InterfaceCharacter] = []
    /// The values of T in the TD characters, each once, including T=15.
    var indicated: [Int] = []
    var historical: [UInt8] = []

    /// TCK is absent when T=0 alone is indicated, also by default, and present in all other cases, also for T=0 with
    /// T=15 (ISO/IEC 7816-3:2006, 8.2.5).
    var isChecked: Bool { indicated.contains { $0 != 0 } }

    init(_ octets: Span<UInt8>) throws(OctetsError) {
      var cursor = Cursor(octets)
      try cursor.skip(1)
      let format = try cursor.octet()
      var present = format >> 4
      var level = 1
      while present != 0 {
        present = try read(present, level, &cursor)
        level += 1
      }
      historical = try cursor.take(Int(format & 0x0F)).array
      if isChecked { try cursor.skip(1) }
      try cursor.finish()
    }

    /// Reads the characters of one level and returns the bits that announce those of the next level.
    private mutating func read(_ present: UInt8, _ level: Int, _ cursor: inout Cursor) throws(OctetsError) -> UInt8 {
      var next: UInt8 = 0
      for (bit, letter) in zip([1, 2, 4, 8] as [UInt8], ["A", "B", "C", "D"]) where present & bit != 0 {
        let value = try cursor.octet()
        interface.append(InterfaceCharacter(name: "T\(letter)\(level)", value: value))
        guard letter == "D" else { continue }
        next = value >> 4
        let type = Int(value & 0x0F)
        if !indicated.contains(type) { indicated.append(type) }
      }
      return next
    }
  }

  /// Creates the ATR that a PC/SC reader gives a contactless card (PC/SC part 3, 3.1.3.2.3.1).
  ///
  /// - Parameter historicalBytes: The historical bytes of the card's ATS; only the first 15 are used.
  public static func contactless(historicalBytes: [UInt8] = []) -> [UInt8] {
    let history = historicalBytes.prefix(15)
    let body = [0x80 | UInt8(history.count), 0x80, 0x01] + history
    return [0x3B] + body + [body.reduce(0, ^)]
  }
}
