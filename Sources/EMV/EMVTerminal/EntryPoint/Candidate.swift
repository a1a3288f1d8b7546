internal import EMVData
public import ISO7816
internal import Octets

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

// An entry of the card's directory, template 61 (Book B, table 3-2; 3.3.2.5).
extension FileControlInformation.DirectoryEntry {
  private var request: KernelRequest { KernelRequest(kernelIdentifier, adfName) }

  // Steps B and D: the AID is the terminal's or begins with it, and the kernel is the requested one.
  func matches(_ combination: Combination) -> Bool {
    guard combination.aid.isPrefix(of: adfName) else { return false }
    return request == .any || request == .kernel(combination.identifier)
  }

  // Why the entry is skipped at a terminal with these combinations: step C, an identifier that names no kernel; step D, a
  // kernel that the terminal does not have, or not for this application. Nil for any other entry.
  func reasonToSkip(_ combinations: [Combination]) -> RejectedApplication? {
    let code: StepFailure.Code
    switch request {
    case .any: return nil
    case .unknown(let identifier): code = .kernelIdentifier(identifier)
    case .kernel(let kernel):
      let known = combinations.filter { $0.identifier == kernel }
      let isOwn = combinations.contains { $0.aid.isPrefix(of: adfName) }
      guard known.isEmpty || isOwn && !known.contains(where: { $0.aid.isPrefix(of: adfName) }) else { return nil }
      code = .kernelMissing(kernel)
    }
    return RejectedApplication(name: adfName.octets, failure: StepFailure(.selectDirectory, code))
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
  case unknown([UInt8])

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
      self = .unknown(identifier)
    } else if isDomestic {
      self = KernelIdentifier(octets: Array(identifier.prefix(3))).map { .kernel($0) } ?? .unknown(identifier)
    } else {
      self = first == 0 ? .any : .kernel(KernelIdentifier(first))
    }
  }
}

// Failures of a directory entry.
extension StepFailure.Code {
  /// Tag 9F2A of a directory entry names no kernel: it has more than 8 bytes, or less than 3 for a domestic kernel, or the
  /// number of a domestic kernel is zero (Book B v2.11, 3.3.2.5).
  static func kernelIdentifier(_ identifier: [UInt8]) -> Self {
    let value = identifier.prefix(8).hex
    return Self(
      "kernelIdentifier",
      "tag 9F2A of the directory entry has \(identifier.count.bytes), \(value)\(identifier.count > 8 ? "…" : ""), "
        + "and names no kernel: one byte names a kernel of a payment system, three bytes a domestic one")
  }

  /// The directory entry asks for a kernel that the terminal does not have for this application.
  static func kernelMissing(_ kernel: KernelIdentifier) -> Self {
    let scheme = ContactlessKernel(rawValue: kernel.octets[0]).map { " (\($0.name))" } ?? ""
    return Self(
      "kernelMissing",
      "the card asks for kernel \(kernel)\(kernel.octets.count == 1 ? scheme : ""), which the terminal does not have for "
        + "this application")
  }
}
