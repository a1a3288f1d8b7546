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
    /// A data object list.
    case dataObjectList = "DOL"
    /// None of these.
    case unknown = "unknown bytes"
  }

  /// The kind that fits best.
  public let kind: Kind
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
    kind = Self.kind(of: octets)
    switch kind {
    case .command: node = context.decoded(command: octets, unmasked: unmasked)
    case .response: node = context.decoded(response: octets, unmasked: unmasked)
    case .dataObjects: node = DecodedNode(dataObjects: octets, unmasked: unmasked)
    case .answerToReset: node = DecodedNode(answerToReset: octets, cards: cards())
    case .dataObjectList: node = DecodedNode(dataObjectList: octets)
    case .unknown:
      let text =
        Self.mayHoldPIN(octets)
        ? "\(octets.prefix(4).hex) and bytes that may be a PIN"
        : DecodedStyle(unmasked ? .unmasked : .masked, application: nil).text(octets)
      node = DecodedNode(.octets, octets.count.bytes, text, range: 0..<octets.count)
    }
  }

  /// The kind, then all lines.
  public var description: String { "taken for \(kind.rawValue)\n\(node)" }

  private static func kind(of octets: [UInt8]) -> Kind {
    if (try? AnswerToReset(parsing: octets)) != nil { return .answerToReset }
    if isResponse(octets) { return .response }
    if InstructionNames.isKnownCommand(octets) { return .command }
    let objects = structure(octets)
    if isFaultless(objects), areKnown(objects) { return .dataObjects }
    if let list = try? DataObjectList(parsing: octets), !list.entries.isEmpty,
      list.entries.allSatisfy({ DataElement.named($0.tag) != nil })
    {
      return .dataObjectList
    }
    if isFaultless(objects) { return .dataObjects }
    if let tag = objects.first?.tag, DataElement.named(tag) != nil { return .dataObjects }
    return (try? CommandLayout(parsing: octets.span)) != nil ? .command : .unknown
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
