import CardExploration
import POSIX
import ProgramSupport
import RecordingFormats
import TapScenarios
import Transcripts

/// Prints the exchanges of a log in words while another program writes it.
struct LiveDecoding {
  /// How long the other program writes nothing before what it wrote is shown, in milliseconds.
  private static let pause: Int32 = 300

  private var log = LiveLog()
  private var lines: ExchangeLines
  private var shownCount = 0
  private var shownNoteCount = 0

  private init(_ disclosure: Disclosure) { lines = ExchangeLines(disclosure) }

  /// Reads standard input to its end. Where the other program pauses after an exchange of a log, prints the exchanges as
  /// they come and returns nil; else returns the whole input.
  ///
  /// - Throws: `TranscriptError` for a line that is too long; `FileError` beyond the most bytes of a file.
  static func input(_ disclosure: Disclosure) throws -> [UInt8]? {
    var decoding = LiveDecoding(disclosure)
    var octets: [UInt8] = []
    while true {
      switch PipedInput.next(within: pause) {
      case .octets(let further):
        octets += further
        try decoding.log.append(further)
        guard octets.count <= InputFile.maximumCount else {
          throw InputError(description: "standard input: more than \(InputFile.maximumCount) bytes", code: .malformed)
        }
      case .end: return octets
      case .pause:
        try decoding.log.pause()
        guard decoding.log.completeCount > 0 else { continue }
        Console.print("taken for log")
        try decoding.follow()
        return nil
      }
    }
  }

  private mutating func follow() throws {
    showComplete()
    while true {
      switch PipedInput.next(within: Self.pause) {
      case .octets(let further): try log.append(further)
      case .pause: try log.pause()
      case .end:
        try log.finish()
        showComplete()
        return showTorn()
      }
      showComplete()
    }
  }

  /// Prints the exchanges that have a response, and the notes, that were not printed yet.
  private mutating func showComplete() {
    for exchange in log.completeExchanges.dropFirst(shownCount) { lines.print(exchange, .asked) }
    shownCount = log.completeCount
    for note in log.notes.dropFirst(shownNoteCount) { Console.note("standard input: \(note)") }
    shownNoteCount = log.notes.count
  }

  /// Prints the last command when the log has no response to it.
  private mutating func showTorn() {
    let exchanges = log.transcript.exchanges
    if exchanges.count > shownCount, let last = exchanges.last { lines.print(last, .asked) }
  }
}
