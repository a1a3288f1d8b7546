public import EMVData
internal import ISO7816

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
