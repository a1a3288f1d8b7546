public import ISO7816
internal import Octets

/// The application names that a card answers to: full AIDs, RIDs, or prefixes of AIDs of at least the length of a RID.
///
/// An entry covers every name that begins with it; ISO/IEC 7816-4:2013, 12.2.3, defines the categories of AIDs. The
/// directory `2PAY.SYS.DDF01` is an ordinary name: declare it to answer it.
public struct DeclaredAIDs: Equatable, Sendable {
  /// The shortest proprietary entry, in bytes. A shorter one would cover the applications of many issuers.
  public static let minimumProprietaryCount = 6

  /// The entries, in the order of the declaration.
  public let entries: [AID]

  /// Checks a declaration.
  ///
  /// - Parameter entries: At least one, of 5 to 16 bytes each; proprietary ones (first nibble `F`) of 6 or more.
  /// - Throws: `DeclaredAIDsError` with all problems, not only the first one.
  public init(_ entries: [[UInt8]]) throws(DeclaredAIDsError) {
    var problems: [DeclaredAIDsError.Problem] = entries.isEmpty ? [.empty] : []
    for (place, octets) in entries.enumerated() {
      let name = octets.hex
      if !AID.counts.contains(octets.count) {
        problems.append(.wrongLength(place: place, count: octets.count))
      } else if octets.isProprietary, octets.count < Self.minimumProprietaryCount {
        problems.append(.shortProprietary(place: place, name: name))
      }
      if let first = entries[..<place].firstIndex(of: octets) {
        problems.append(.duplicate(place: place, first: first, name: name))
      }
    }
    guard problems.isEmpty else { throw DeclaredAIDsError(problems: problems) }
    self.entries = entries.compactMap { AID($0) }
  }

  /// Whether a name begins with one of the entries.
  public func covers(_ name: AID) -> Bool { entries.contains { $0.isPrefix(of: name) } }
}

/// All problems of a declaration of names. Places count from 0.
public struct DeclaredAIDsError: Error, Equatable, Sendable, CustomStringConvertible {
  /// One problem.
  public enum Problem: Equatable, Sendable {
    /// There is no entry.
    case empty
    /// An entry that is shorter than a RID or longer than an AID.
    case wrongLength(place: Int, count: Int)
    /// A proprietary entry of 5 bytes.
    case shortProprietary(place: Int, name: String)
    /// An entry that repeats an earlier one.
    case duplicate(place: Int, first: Int, name: String)
  }

  /// What is wrong, in the order of the entries; at least one problem.
  public let problems: [Problem]

  /// One sentence per problem.
  public var description: String { problems.map(\.sentence).joined(separator: "; ") }
}

extension DeclaredAIDsError.Problem {
  fileprivate var sentence: String {
    switch self {
    case .empty: "no AID is declared: name at least one"
    case .wrongLength(let place, let count):
      "entry \(place) has \(count.bytes): \(AID.counts.lowerBound) (a RID) to \(AID.counts.upperBound) are needed"
    case .shortProprietary(let place, let name):
      "entry \(place) (\(name)) is proprietary: it needs at least \(DeclaredAIDs.minimumProprietaryCount) bytes"
    case .duplicate(let place, let first, let name): "entry \(place) (\(name)) repeats entry \(first): remove it"
    }
  }
}

extension [UInt8] {
  /// Bits 8 to 5 of the first byte all 1: a proprietary AID, which is not registered (ISO/IEC 7816-4:2013, 12.2.3).
  fileprivate var isProprietary: Bool { first.map { $0 >> 4 == 0xF } ?? false }
}
