internal import EMVData
public import ISO7816

/// An application that card and terminal have in common (EMV Contactless Book B v2.11, 3.3.2.5).
public struct Candidate: Sendable {
  /// Tag 4F of the directory entry.
  public let adfName: AID
  /// Tag 87, low four bits, 0...15: 1 is the highest priority, 0 means no priority.
  public let priority: UInt8
  /// The name to select: tag 4F, followed by tag 9F29 where the combination says so.
  public let selectedName: [UInt8]
  /// The combination of the terminal.
  public let combination: PreparedCombination
}

// An entry of the card's directory, template 61 (Book B, table 3-2).
struct ListedApplication {
  let adfName: AID
  let priority: UInt8
  let extendedSelection: [UInt8]
  private let request: KernelRequest

  // 3.3.2.5, step A: an entry without a valid ADF name is ignored; step C: so is an entry whose kernel identifier names
  // no kernel.
  init?(_ node: TLVNode) {
    func value(_ tag: Tag) -> [UInt8]? { node.children.first { $0.tag == tag }?.value }
    guard let aid = AID(value(.adfName) ?? []) else { return nil }
    request = KernelRequest(value(.kernelIdentifier) ?? [], aid)
    guard request != .unknown else { return nil }
    adfName = aid
    // Bit 8, cardholder confirmation, has no meaning without contact.
    priority = (value(.applicationPriorityIndicator)?.first ?? 0) & 0x0F
    extendedSelection = value(.extendedSelection) ?? []
  }

  // Steps B and D: the AID is the terminal's or begins with it, and the kernel is the requested one.
  func matches(_ combination: Combination) -> Bool {
    guard combination.aid.isPrefix(of: adfName) else { return false }
    return request == .any || request == .kernel(combination.identifier)
  }

  // Step E. Nil when the name is longer than a DF name can be.
  func candidate(_ prepared: PreparedCombination) -> Candidate? {
    let name = adfName.octets + (prepared.combination.extendedSelection ? extendedSelection : [])
    guard AID.counts.contains(name.count) else { return nil }
    return Candidate(adfName: adfName, priority: priority, selectedName: name, combination: prepared)
  }
}

// The kernel that a directory entry requests (Book B, 3.3.2.5, step C).
private enum KernelRequest: Equatable {
  // The entry has no kernel identifier and its scheme has no kernel, or the identifier is zero.
  case any
  case kernel(KernelIdentifier)
  // The identifier names no kernel.
  case unknown

  // One byte names the kernel of a payment system, three bytes a domestic kernel. A first byte of zero stands for any
  // kernel. Without an identifier the scheme decides (Book B, table 3-6).
  init(_ identifier: [UInt8], _ aid: AID) {
    guard let first = identifier.first, identifier != [0] else {
      self = ContactlessKernel(application: aid).map { .kernel(KernelIdentifier($0.rawValue)) } ?? .any
      return
    }
    // Bits 8 and 7: 00 and 01 international, 10 and 11 domestic.
    let isDomestic = first & 0x80 != 0
    if identifier.count > 8 || isDomestic && (identifier.count < 3 || first & 0x3F == 0) {
      self = .unknown
    } else if isDomestic {
      self = KernelIdentifier(octets: Array(identifier.prefix(3))).map { .kernel($0) } ?? .unknown
    } else {
      self = first == 0 ? .any : .kernel(KernelIdentifier(first))
    }
  }
}
