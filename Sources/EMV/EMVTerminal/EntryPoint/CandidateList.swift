public import EMVData
internal import ISO7816

/// The applications that card and terminal both have, best first (EMV Contactless Book B v2.11, 3.3.2 and 3.3.3).
public struct CandidateList: Hashable, Sendable {
  /// A directory of 252 octets holds at most 28 entries; what a longer answer names beyond this is passed over.
  public static let maximumCount = 28

  /// The candidates, in the order in which they are tried.
  public private(set) var candidates: [Candidate]

  /// Builds the list.
  ///
  /// - Parameters:
  ///   - directory: The card's answer to SELECT of the proximity payment system environment.
  ///   - combinations: What the terminal takes for this payment, in the order of its profile.
  public init(directory: FileControlInformation, combinations: [PreparedCombination]) {
    let discretionary = directory.proprietary.first { $0.tag == .fciIssuerDiscretionaryData }
    let entries = (discretionary?.children ?? []).filter { $0.tag == .applicationTemplate }.compactMap(
      DirectoryEntry.init)
    let found = entries.prefix(Self.maximumCount).flatMap { Self.candidates(for: $0, combinations) }
    // 3.3.3.2: by priority, those without one last; among equals the order of the directory.
    let ordered = found.enumerated().sorted { left, right in
      (Self.rank(left.element), left.offset) < (Self.rank(right.element), right.offset)
    }
    candidates = ordered.prefix(Self.maximumCount).map(\.element)
  }

  private static func rank(_ candidate: Candidate) -> UInt8 {
    candidate.priority == 0 ? .max : candidate.priority
  }

  // One candidate for each kernel. Where several AIDs of the terminal match, the book leaves it open which counts; the
  // longest does, as the one that says most.
  private static func candidates(for entry: DirectoryEntry, _ combinations: [PreparedCombination]) -> [Candidate] {
    var best: [PreparedCombination] = []
    for prepared in combinations where entry.matches(prepared.combination) {
      guard let index = best.firstIndex(where: { $0.combination.kernel == prepared.combination.kernel }) else {
        best.append(prepared)
        continue
      }
      if prepared.combination.aid.octets.count > best[index].combination.aid.octets.count { best[index] = prepared }
    }
    return best.compactMap(entry.candidate)
  }

  /// Takes the best candidate off the list; nil when none is left (3.3.2.7).
  public mutating func next() -> Candidate? {
    candidates.isEmpty ? nil : candidates.removeFirst()
  }
}
