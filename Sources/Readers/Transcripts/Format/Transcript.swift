public import Links
internal import Octets

/// A recording of commands and responses between a terminal and a card, as text for people, tests and other tools.
///
/// ```
/// transcript = *( line LF )                        CR before LF, blank lines and space around a line are ignored
/// line       = comment / header / directive / bytes
/// bytes     = 1*( 2HEXDIG [space] )               command, response, command, response, … ; the last response is
///                                                  missing when the link was torn
/// comment    = "#" text
/// header     = "# ATR: " bytes / "# PROTOCOL: " text / "# UID: " bytes
/// directive  = "#@ " key ": " value                key: a-z, 0-9 and "-"; other readers take it for a comment
/// ```
///
/// Without directives this is the dump that apdu4j writes and replays. A directive belongs to the place where it
/// stands:
///
/// | key | place | value |
/// |---|---|---|
/// | `contactless-transcript` | head | version of these directives: 1 |
/// | `role` | head | `terminal` or `card`: which side recorded |
/// | `exchanges` | head | how many exchanges follow; such a recording ends with `end` |
/// | `clock` | head | time of the transaction as the terminal puts it in 9A and 9F21, no zone: `2026-01-31T12:34:56` |
/// | `random` | head | all random bytes that the recording side drew, in order, in hexadecimal |
/// | `terminal`, `card` | head | the profile as JSON on one line |
/// | `amount`, `currency`, `type` | head | `12.34`; ISO 4217 number, three digits; tag 9C, two hexadecimal digits |
/// | `atc` | head | the card's transaction counter before the tap, 0...65535 |
/// | `outcome` | head | how the payment or session ended |
/// | `authentication` | head | verdicts of offline data authentication: `passed`, `failed hash 9F46` |
/// | `log` | head | what the terminal's log held of the card: `unknown`, `last 1234`, `excepted` |
/// | `field` | before a command, or at the end | `powered`, `reset`, `deselected` or `lost`; then its `at` |
/// | `at` | before a command | nanoseconds from the recording's first command or field event to this command |
/// | `t` | before a response | nanoseconds from the command to the response |
/// | `varies` | before a command or response | tags whose values may differ there when replayed: `9F37 9A` |
/// | `assumed` | before a command | the exchange was added by hand, with the reason; a replay reports it |
/// | `torn` | after the last command | why no response came: a `LinkError.Code` |
/// | `end` | at the end | how many exchanges stand before it: nothing of the recording is missing |
///
/// `t` is measured with the recorder's monotonic clock, from just before the command is passed on (to the channel on
/// the terminal's side, to the card on the card's side) until its response is back.
///
/// `authentication` and `log` are lists with commas, in the order of the payment; the last entry stands for all further
/// ones. A replay takes a verdict in place of its own check where a redaction has put zeros in place of the card's
/// certificate or signed data. Amounts of the log are in minor units.
///
/// Unknown directives and all comments keep their places. Command data that are a PIN or keys are zeros in every
/// transcript (`SecretCommands`).
public struct Transcript: Equatable, Sendable {
  /// The version of the directives that this build reads and writes.
  public static let version = 1
  /// The longest line, in bytes of UTF-8; an extended response with spaces takes 196 614.
  public static let maximumLineLength = 262_144
  /// The most lines.
  public static let maximumLineCount = 500_000
  /// The most exchanges. `TranscriptScanner` reads any number.
  public static let maximumExchangeCount = 100_000

  /// The header, directives and comments before the first exchange.
  public var notes: [Note]
  /// The exchanges in order. Only the last can have no response.
  public var exchanges: [Exchange]
  /// The directives and comments after the last response.
  public var closingNotes: [Note]

  /// Creates a transcript from its parts.
  package init(notes: [Note], exchanges: [Exchange], closingNotes: [Note]) {
    (self.notes, self.exchanges, self.closingNotes) = (notes, exchanges, closingNotes)
  }
}

extension Transcript {
  /// Creates a transcript of this build's version.
  ///
  /// - Parameters:
  ///   - identity: The answer to reset and protocol of the card. An empty answer to reset is left out.
  ///   - exchanges: Commands and responses in their order.
  public init(identity: CardIdentity? = nil, exchanges: [Exchange] = []) {
    self.init(notes: [.directive(.version, String(Self.version))], exchanges: exchanges, closingNotes: [])
    if let identity {
      if !identity.answerToReset.isEmpty { notes.append(.comment("ATR: \(identity.answerToReset.hex)")) }
      notes.append(.comment("PROTOCOL: \(identity.protocolName)"))
    }
  }

  /// The card as the header describes it. Without `PROTOCOL` the protocol is `T=CL`.
  public var identity: CardIdentity {
    let reset = header("ATR").flatMap { try? [UInt8](hex: $0) } ?? []
    return CardIdentity(answerToReset: reset, protocolName: header("PROTOCOL") ?? "T=CL")
  }

  /// The value of a directive that stands in the head or at the end; setting nil removes it.
  public subscript(_ key: Key) -> String? {
    get { (notes + closingNotes).first { $0.key == key }?.text }
    set {
      let note = newValue.map { Note.directive(key, $0) }
      if let index = notes.firstIndex(where: { $0.key == key }) {
        notes.replaceSubrange(index...index, with: note.map { [$0] } ?? [])
      } else if let index = closingNotes.firstIndex(where: { $0.key == key }) {
        closingNotes.replaceSubrange(index...index, with: note.map { [$0] } ?? [])
      } else if let note {
        notes.append(note)
      }
    }
  }

  private func header(_ name: String) -> String? {
    for note in notes {
      if let value = note.header(name) { return value }
    }
    return nil
  }
}
