public import ArgumentParser
import ISO7816
public import Transcripts

extension RecordedCard.Matching: ExpressibleByArgument {}

/// A recording in place of a card: options of `tap present`.
struct RecordedCardOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      A recording, or a list of commands and responses, instead of --card: its responses are presented. Never armed; it must \
      be redacted, of shipped test cards, or without an account number.
      """, valueName: "file"), completion: FileCompletion.named())
  var recording: String?
  @Option(
    help: """
      How a command is found in the recording: longest takes the one with the most equal bytes at the beginning, strict \
      only the next one.
      """)
  var match: RecordedCard.Matching?
  @Option(
    help: ArgumentHelp(
      "The status word for commands that the recording does not have; 6F00 when left out.", valueName: "digits"))
  var unknown: String?

  func validate() throws {
    try require(recording != nil || (match == nil && unknown == nil), "--match and --unknown need --recording.")
    guard let unknown, Self.status(unknown) == nil else { return }
    throw ValidationError("--unknown \(unknown): a status word of 6xxx or 9xxx is needed, such as 6D00.")
  }

  /// The recording, or nil without the option.
  ///
  /// - Throws: `InputError` for one that cannot be read, and for one that must not be presented.
  func transcript() throws -> Transcript? {
    guard let recording else { return nil }
    let transcript = try RecordingFile.transcript(at: recording)
    guard transcript.exchanges.contains(where: { $0.response != nil }) else {
      throw InputError(description: "\(recording): there is no response in it", code: .transcript)
    }
    if let reason = try Disclosure(showsAll: false).refusal(toPresent: transcript) {
      throw InputError(
        description: "\(recording) is not presented to a terminal: \(reason). tap redact writes one that may be.",
        code: .transcript)
    }
    return transcript
  }

  /// The status word for unknown commands.
  var unknownStatus: StatusWord { unknown.flatMap(Self.status) ?? StatusWord(rawValue: 0x6F00) }

  /// SW1 is 61 to 6F or 90 to 9F (ISO/IEC 7816-4:2013, 5.6).
  private static func status(_ text: String) -> StatusWord? {
    StatusWord(typed: text).flatMap { [0x6, 0x9].contains($0.rawValue >> 12) && $0.rawValue >> 8 != 0x60 ? $0 : nil }
  }
}
