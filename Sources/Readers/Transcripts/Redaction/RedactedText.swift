internal import EMVData
internal import EMVDecoding
internal import ISO7816
internal import Octets

/// Removes cardholder data from comments and directives.
struct RedactedText {
  let substitutes: Substitutes

  // Directives whose values are checked when a transcript is read and cannot be an account number.
  private static let plainKeys: Set<Transcript.Key> = [
    .version, .role, .exchangeCount, .clock, .random, .amount, .currency, .type, .transactionCounter, .field, .instant,
    .time, .varies, .torn, .end,
  ]

  // Profiles hold keys and text in hexadecimal, in whose digits numbers occur by chance.
  private static let profileKeys: Set<Transcript.Key> = [.terminal, .card]

  /// Returns the account numbers in comments and directives: in digits that look like an account number, and in data
  /// objects in hexadecimal.
  static func accountNumbers(in transcript: Transcript) -> [PrimaryAccountNumber] {
    searched(transcript).flatMap { note -> [PrimaryAccountNumber] in
      let rule = note.key.map(profileKeys.contains) ?? false ? AccountNumberSearch.TextRule.withKeys : .note
      return texts(in: note).flatMap { text in
        AccountNumberSearch.numbers(inText: text, rule) + AccountNumberSearch.numbers(inHexadecimalOf: text)
      } + elements(in: note.text).compactMap(AccountNumberSearch.accountNumber)
    }
  }

  /// The texts of a note that are searched each on its own: three dates in a list of values, such as 261128,261129,261130,
  /// have the form of an account number in groups.
  private static func texts(in note: Transcript.Note) -> [[UInt8]] {
    let text = Array(note.text.utf8)
    return note.key == .entered ? text.split { [0x20, 0x2C].contains($0) }.map(Array.init) : [text]
  }

  /// Returns the names in comments and directives: those of track 1, and those in data objects in hexadecimal.
  static func names(in transcript: Transcript) -> [[UInt8]] {
    searched(transcript).flatMap { note in
      TrackText.names(in: Array(note.text.utf8)) + elements(in: note.text).flatMap(AccountNumberSearch.names)
    }
  }

  /// The notes whose text is searched. The answer to reset and the identifier of the card
  /// are not cardholder data.
  private static func searched(_ transcript: Transcript) -> [Transcript.Note] {
    let notes = transcript.notes + transcript.exchanges.flatMap { $0.notes + $0.responseNotes }
    return (notes + transcript.closingNotes).filter { note in
      !(note.key.map(plainKeys.contains) ?? false) && note.header("ATR") == nil && note.header("UID") == nil
    }
  }

  /// Returns the data elements in the hexadecimal digits of a text, for example in a response that a reader left out.
  private static func elements(in text: String) -> [(Tag, [UInt8])] {
    text.split { !$0.isHexDigit }.flatMap { word -> [(Tag, [UInt8])] in
      guard let octets = try? [UInt8](hex: String(word)) else { return [] }
      return DecodedGuess(octets).node.leaves.compactMap { leaf in leaf.tag.map { ($0, Array(octets[leaf.content])) } }
    }
  }

  /// Redacts all notes of a transcript.
  func redact(_ transcript: inout Transcript) {
    transcript.replaceNotes { notes in
      notes.filter { $0.key != .card }.map { note in
        note.key.map(Self.plainKeys.contains) ?? false ? note : note.withText(redacted(note.text))
      }
    }
  }

  private func redacted(_ text: String) -> String {
    String(decoding: substitutes.swept(text: Array(text.utf8)), as: UTF8.self)
  }

  // Random numbers and the keys of a profile look like a command now and then.
  private static let keysWithoutCommands = plainKeys.union([.terminal, .card])

  /// Blanks PINs and keys in the commands that comments and directives quote in hexadecimal.
  static func blankSecrets(in transcript: inout Transcript) {
    transcript.replaceNotes { notes in
      notes.map { note in
        note.key.map(keysWithoutCommands.contains) ?? false ? note : note.withText(SecretText.blanked(note.text))
      }
    }
  }
}

extension Transcript {
  /// Replaces all notes.
  fileprivate mutating func replaceNotes(_ replaced: ([Note]) -> [Note]) {
    notes = replaced(notes)
    closingNotes = replaced(closingNotes)
    for index in exchanges.indices {
      exchanges[index].notes = replaced(exchanges[index].notes)
      exchanges[index].responseNotes = replaced(exchanges[index].responseNotes)
    }
  }
}

extension Transcript.Note {
  fileprivate func withText(_ text: String) -> Transcript.Note { key.map { .directive($0, text) } ?? .comment(text) }
}
