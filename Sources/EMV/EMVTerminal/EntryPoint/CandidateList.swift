public import EMVData
public import ISO7816
internal import Octets

/// The applications that card and terminal have in common, best first (EMV Contactless Book B v2.11, 3.3.2 and 3.3.3).
public struct CandidateList: Sendable {
  /// A directory of 252 bytes holds at most 28 entries; the entries of a longer response beyond this count are ignored.
  public static let maximumCount = 28

  /// The candidates, in the order in which they are tried.
  public private(set) var candidates: [Candidate]
  /// The entries of the directory that were skipped because of their kernel, in its order.
  public let skipped: [RejectedApplication]

  /// Builds the list.
  ///
  /// - Parameters:
  ///   - directory: The card's response to SELECT of the proximity payment system environment.
  ///   - combinations: The combinations that take this payment, in the order of the terminal profile.
  ///   - all: All combinations of the terminal, those included that do not take this payment. When nil, the ones above.
  public init(directory: FileControlInformation, combinations: [PreparedCombination], all: [Combination]? = nil) {
    let entries = directory.directory.prefix(Self.maximumCount)
    let known = all ?? combinations.map(\.combination)
    skipped = entries.compactMap { $0.reasonToSkip(known) }
    let found = entries.flatMap { Self.candidates(for: $0, combinations) }
    // 3.3.3.2: by priority, those without one last; among equals the order of the directory.
    let ordered = found.enumerated().sorted { left, right in
      (Self.rank(left.element), left.offset) < (Self.rank(right.element), right.offset)
    }
    candidates = ordered.prefix(Self.maximumCount).map(\.element)
  }

  private static func rank(_ candidate: Candidate) -> UInt8 {
    candidate.priority == 0 ? .max : candidate.priority
  }

  // One candidate for each kernel. The book does not say which of several matching AIDs of the terminal counts; the
  // longest does, because it is the most specific.
  private static func candidates(
    for entry: FileControlInformation.DirectoryEntry, _ combinations: [PreparedCombination]
  ) -> [Candidate] {
    var best: [PreparedCombination] = []
    for prepared in combinations where entry.matches(prepared.combination) {
      guard let index = best.firstIndex(where: { $0.combination.identifier == prepared.combination.identifier }) else {
        best.append(prepared)
        continue
      }
      if prepared.combination.aid.octets.count > best[index].combination.aid.octets.count { best[index] = prepared }
    }
    return best.compactMap(entry.candidate)
  }

  /// Removes the best candidate from the list and returns it; nil when none is left (3.3.2.7).
  public mutating func next() -> Candidate? {
    candidates.isEmpty ? nil : candidates.removeFirst()
  }
}

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

/// A combination that takes a payment (EMV Contactless Book B v2.11, 3.1.1: pre-processing).
public struct PreparedCombination: Sendable {
  /// The combination.
  public let combination: Combination
  /// The data elements that the kernel adds to the terminal's for this payment, such as tag 9F66.
  public let data: TerminalData

  /// Prepares a combination for a payment.
  ///
  /// - Throws: `StepFailure` when the combination does not take the payment without contact (3.1.1.4, 3.1.1.5).
  public init(_ combination: Combination, for request: PaymentRequest) throws(StepFailure) {
    guard combination.takes(request.type) else { throw StepFailure(.preprocessing, .transactionType(request.type)) }
    if request.amount.minorUnits == 0, !combination.zeroAmountAllowed {
      throw StepFailure(.preprocessing, .zeroAmount)
    }
    self.combination = combination
    data = try combination.kernel.prepare(request)
  }

  /// Takes a combination without pre-processing, for autorun: the indicators of pre-processing are all zero. Nil when the
  /// combination does not take payments of this type.
  init?(withoutPreprocessing combination: Combination, for request: PaymentRequest) {
    guard combination.takes(request.type) else { return nil }
    self.combination = combination
    data = combination.kernel.dataWithoutPreprocessing(for: request)
  }
}

extension StepFailure.Code {
  /// The application is not for payments of this type: `transactionTypes` in its profile.
  public static func transactionType(_ type: TransactionType) -> Self {
    Self("transactionType", "the terminal does not take a \(type) (type \(type.rawValue.hex)) with this application")
  }
}
