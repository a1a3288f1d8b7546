internal import EMVData
internal import ISO7816
internal import Octets

/// Bytes of unknown kind: the kind that fits best, and the bytes decoded as that kind.
public struct DecodedGuess: Equatable, Sendable, CustomStringConvertible {
  /// The kinds that bytes can have.
  public enum Kind: String, CaseIterable, Sendable {
    /// A command APDU.
    case command = "C-APDU"
    /// A response APDU.
    case response = "R-APDU"
    /// BER-TLV data objects.
    case dataObjects = "TLV"
    /// An answer to reset.
    case answerToReset = "ATR"
    /// An answer to select.
    case answerToSelect = "ATS"
    /// A data object list.
    case dataObjectList = "DOL"
    /// None of these.
    case unknown = "unknown bytes"

    /// The kinds as which bytes can be read on demand.
    public static let known = allCases.filter { $0 != .unknown }
  }

  /// The kind that fits best, or the one that was asked for.
  public let kind: Kind
  /// The other kinds that fit as well, the likelier first.
  public let others: [Kind]
  /// The bytes decoded as that kind.
  public let node: DecodedNode

  /// Decodes bytes as the kind that fits best; never fails.
  ///
  /// - Parameters:
  ///   - context: The lists of earlier exchanges.
  ///   - unmasked: Whether account numbers, track data and names are shown.
  ///   - cards: Returns the list that names the card of an answer to reset; only called for one.
  public init(
    _ octets: [UInt8], context: DecodingContext = DecodingContext(), unmasked: Bool = false,
    cards: () -> ATRNameList? = { nil }
  ) {
    let kinds = Self.kinds(of: octets)
    (kind, others) = (kinds[0], Array(kinds.dropFirst()))
    node = Self.node(octets, as: kind, context, unmasked, cards)
  }

  /// Decodes bytes as a kind. Bytes that are malformed as this kind give a fault node.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - context: The lists of earlier exchanges.
  ///   - unmasked: Whether account numbers, track data and names are shown. A PIN is never shown.
  ///   - cards: Returns the list that names the card of an answer to reset; only called for one.
  public init(
    _ octets: [UInt8], as kind: Kind, context: DecodingContext = DecodingContext(), unmasked: Bool = false,
    cards: () -> ATRNameList? = { nil }
  ) {
    (self.kind, others) = (kind, [])
    node = Self.node(octets, as: kind, context, unmasked, cards)
  }

  private static func node(
    _ octets: [UInt8], as kind: Kind, _ context: DecodingContext, _ unmasked: Bool, _ cards: () -> ATRNameList?
  ) -> DecodedNode {
    var context = context
    context.namesOtherReadings = true
    let isSecret = InstructionNames.isKnownCommand(octets) && InstructionNames.carriesSecret(octets)
    switch kind {
    case .command: return context.decoded(command: octets, unmasked: unmasked)
    case _ where isSecret: return unknown(octets, unmasked)
    case .response: return context.decoded(response: octets, unmasked: unmasked)
    case .dataObjects: return DecodedNode(dataObjects: octets, context.application, isAlone: true, unmasked)
    case .answerToReset: return DecodedNode(answerToReset: octets, cards: cards())
    case .answerToSelect: return DecodedNode(answerToSelect: octets)
    case .dataObjectList: return DecodedNode(dataObjectList: octets)
    case .unknown: return unknown(octets, unmasked)
    }
  }

  private static func unknown(_ octets: [UInt8], _ unmasked: Bool) -> DecodedNode {
    let text =
      mayHoldPIN(octets)
      ? "\(octets.prefix(4).hex) and bytes that may be a PIN"
      : DecodedStyle(unmasked ? .unmasked : .masked, application: nil).text(octets)
    return DecodedNode(.octets, octets.count.bytes, text, range: 0..<octets.count)
  }

  /// The kind with the other kinds that fit, then all lines.
  public var description: String { "taken for \(kinds)\n\(node)" }

  /// The kind, and in parentheses the other kinds that fit.
  public var kinds: String {
    others.isEmpty ? kind.rawValue : "\(kind.rawValue) (or \(others.map(\.rawValue).joined(separator: ", ")))"
  }

  /// The kinds that fit, the likeliest first; at least one.
  private static func kinds(of octets: [UInt8]) -> [Kind] {
    if (try? AnswerToReset(parsing: octets)) != nil { return [.answerToReset] }
    if isResponse(octets) { return [.response] }
    let objects = structure(octets)
    let areObjects = isFaultless(objects) && areKnown(objects)
    guard InstructionNames.isKnownCommand(octets) else {
      return [areObjects ? .dataObjects : kind(of: octets, objects)]
    }
    if !areObjects { return [.command] }
    // The tag of a known data object is hardly ever the class of a command.
    return usualClasses.contains(octets[0]) ? [.command, .dataObjects] : [.dataObjects, .command]
  }

  /// The kind of bytes that are neither a known command nor known data objects.
  private static func kind(of octets: [UInt8], _ objects: [DecodedNode]) -> Kind {
    if let list = try? DataObjectList(parsing: octets), !list.entries.isEmpty,
      list.entries.allSatisfy({ DataElement.named($0.tag) != nil })
    {
      return .dataObjectList
    }
    if isAnswerToSelect(octets) { return .answerToSelect }
    if isFaultless(objects) { return .dataObjects }
    if let tag = objects.first?.tag, DataElement.named(tag) != nil { return .dataObjects }
    if isBrokenAnswerToReset(octets) { return .answerToReset }
    return (try? CommandLayout(parsing: octets.span)) != nil || isBrokenCommand(octets) ? .command : .unknown
  }

  /// Whether bytes are an answer to select whose reserved bits are zero (ISO/IEC 14443-4:2018, 5.2).
  private static func isAnswerToSelect(_ octets: [UInt8]) -> Bool {
    guard octets.count > 2, (try? AnswerToSelect(parsing: octets.span)) != nil else { return false }
    let format = octets[1]
    let characters = [0x10, 0x20, 0x40].filter { format & $0 != 0 }
    // At least two of TA, TB and TC: fewer occur by chance in other bytes.
    guard format & 0x80 == 0, format & 0x0F <= 12, characters.count >= 2 else { return false }
    let hasFreeBits = format & 0x10 != 0 && octets[2] & 0x08 != 0
    return !hasFreeBits && (format & 0x40 == 0 || octets[1 + characters.count] & 0xFC == 0)
  }

  /// Whether bytes are an answer to reset whose check character alone is wrong.
  private static func isBrokenAnswerToReset(_ octets: [UInt8]) -> Bool {
    do throws(AnswerToReset.Fault) {
      _ = try AnswerToReset(parsing: octets)
      return false
    } catch {
      guard case .wrongCheckCharacter = error else { return false }
      return octets.first == 0x3B || octets.first == 0x3F
    }
  }

  /// The classes of commands that people send to payment cards: others are likely to be no command.
  private static let usualClasses: Set<UInt8> = [0x00, 0x04, 0x0C, 0x80, 0x84, 0x8C, 0x90, 0xFF]

  /// Whether bytes begin like a known command, and have another length than it states.
  private static func isBrokenCommand(_ octets: [UInt8]) -> Bool {
    octets.count >= 5 && usualClasses.contains(octets[0]) && InstructionNames.name(of: octets) != nil
  }

  /// Whether bytes begin like VERIFY, whose data are a PIN, and have another length than the command names.
  private static func mayHoldPIN(_ octets: [UInt8]) -> Bool {
    octets.count > 5 && octets[0] & 0x0F == 0 && octets[1] == 0x20
  }

  /// Whether bytes are a status word alone, or data objects and a status word, where the first data object is known.
  private static func isResponse(_ octets: [UInt8]) -> Bool {
    guard let response = try? ResponseAPDU(parsing: octets.span),
      [0x6, 0x9].contains(response.status.rawValue >> 12), response.status.text != "proprietary status"
    else { return false }
    if response.data.isEmpty { return true }
    let objects = structure(response.data)
    return isFaultless(objects) && objects.first?.tag.map { DataElement.named($0) != nil } ?? false
  }

  /// The places of data objects. Their words would take most of the time.
  private static func structure(_ octets: [UInt8]) -> [DecodedNode] {
    DecodedObjects(octets: octets, style: DecodedStyle(.none, application: nil)).objects(in: 0..<octets.count)
  }

  private static func isFaultless(_ nodes: [DecodedNode]) -> Bool {
    !nodes.isEmpty && nodes.first?.range.lowerBound == 0 && !nodes.contains { $0.fault != nil }
  }

  private static func areKnown(_ nodes: [DecodedNode]) -> Bool {
    nodes.allSatisfy { $0.tag.map { DataElement.named($0) != nil } ?? false }
  }
}
