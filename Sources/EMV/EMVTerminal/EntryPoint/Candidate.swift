internal import EMVData
public import ISO7816

/// An application that card and terminal both have (EMV Contactless Book B v2.11, 3.3.2.5).
public struct Candidate: Hashable, Sendable {
  /// Tag 4F of the directory entry.
  public let adfName: AID
  /// Tag 87, low four bits: 1 is the highest, 0 no priority.
  public let priority: UInt8
  /// The name to select: tag 4F, with tag 9F29 behind it where the combination says so.
  public let selectedName: [UInt8]
  /// The terminal's side.
  public let combination: PreparedCombination
}

// An entry of the card's directory, template 61 (Book B, table 3-2).
struct DirectoryEntry {
  let adfName: AID
  let priority: UInt8
  let extendedSelection: [UInt8]
  let requestedKernel: [UInt8]

  // 3.3.2.5, step A: an entry without a proper ADF name is passed over; step C: so is one whose kernel identifier
  // says nothing this terminal could follow.
  init?(_ node: TLVNode) {
    func value(_ tag: Tag) -> [UInt8]? { node.children.first { $0.tag == tag }?.value }
    guard let aid = AID(value(.adfName) ?? []) else { return nil }
    guard let kernel = Self.requestedKernel(value(.kernelIdentifier) ?? [], aid) else { return nil }
    adfName = aid
    // Bit 8, cardholder confirmation, has no meaning without contact.
    priority = (value(.applicationPriorityIndicator)?.first ?? 0) & 0x0F
    extendedSelection = value(.extendedSelection) ?? []
    requestedKernel = kernel
  }

  // Step C. One octet for kernels of the payment systems, three for domestic ones; a first octet of zero stands for
  // any kernel. Nil for an identifier to be passed over.
  static func requestedKernel(_ identifier: [UInt8], _ aid: AID) -> [UInt8]? {
    guard identifier.count <= 8 else { return nil }
    guard let first = identifier.first, identifier != [0] else { return [defaultKernels[aid.rid] ?? 0] }
    // Bits 8 and 7: 00 and 01 international, 10 and 11 domestic.
    guard first & 0x80 != 0 else { return [first] }
    guard identifier.count >= 3, first & 0x3F != 0 else { return nil }
    return Array(identifier.prefix(3))
  }

  // Table 3-6: the kernel of a card that does not name one.
  private static let defaultKernels: [[UInt8]: UInt8] = [
    [0xA0, 0x00, 0x00, 0x00, 0x04]: 2,
    [0xA0, 0x00, 0x00, 0x00, 0x03]: 3,
    [0xA0, 0x00, 0x00, 0x00, 0x25]: 4,
    [0xA0, 0x00, 0x00, 0x00, 0x65]: 5,
    [0xA0, 0x00, 0x00, 0x01, 0x52]: 6,
    [0xA0, 0x00, 0x00, 0x03, 0x24]: 6,
    [0xA0, 0x00, 0x00, 0x03, 0x33]: 7,
  ]

  // Steps B and D: the AID is the terminal's or begins with it, and the kernel is the wanted one.
  func matches(_ combination: Combination) -> Bool {
    guard combination.aid.isPrefix(of: adfName) else { return false }
    return requestedKernel.first == 0 || requestedKernel == [combination.kernel]
  }

  // Step E. Nil when the name gets longer than a DF name can be.
  func candidate(_ prepared: PreparedCombination) -> Candidate? {
    let name = adfName.octets + (prepared.combination.extendedSelection ? extendedSelection : [])
    guard AID.counts.contains(name.count) else { return nil }
    return Candidate(adfName: adfName, priority: priority, selectedName: name, combination: prepared)
  }
}
