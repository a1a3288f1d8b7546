internal import EMVData
internal import Foundation
public import ISO7816
internal import Octets
internal import Synchronization

/// The words with which the shell completes a line.
public final class ShellCompletions: Sendable {
  // The applications that the card has named.
  private let applications = Mutex<[[UInt8]]>([])

  /// Starts without applications of a card.
  public init() {}

  /// Adds the applications of the card's directory.
  public func learn(_ response: ResponseAPDU) {
    let names = (try? FileControlInformation(parsing: response.data))?.directory.map(\.adfName.octets) ?? []
    applications.withLock { known in known += names.filter { !known.contains($0) } }
  }

  /// The words that can stand in place of the last word of a line.
  ///
  /// - Parameters:
  ///   - line: The line before the word.
  ///   - word: The beginning of the word; upper and lower case are equal.
  public func candidates(after line: String, for word: String) -> [String] {
    let words = line.split(separator: " ")
    let all: [String] =
      switch words.first {
      case nil: ShellCommands.all.map(\.name)
      case "help" where words.count == 1: ShellCommands.all.map(\.name)
      case "select" where words.count == 1: identifiers
      case "get" where words.count == 1: Self.tags.filter { $0.count <= 4 }
      case "tag" where words.count == 1: Self.tags
      case "record" where words.count == 1: ["off"] + Self.files(word)
      default: []
      }
    return all.filter { $0.lowercased().hasPrefix(word.lowercased()) }
  }

  private var identifiers: [String] {
    let known = applications.withLock { $0 }
    let further = PaymentScheme.knownApplications.filter { !known.contains($0) }
    return ShellCommands.names.keys.sorted() + (known + further).map(\.hex)
  }

  private static let tags = DataElement.all.map { "\($0.tag)" }

  private static func files(_ word: String) -> [String] {
    let folder = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    return names.sorted().map { folder + $0 }
  }
}
