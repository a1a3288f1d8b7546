public import Transcripts

/// Why a recording does not replay.
public enum ReplayError: Error, Sendable, CustomStringConvertible {
  /// This build cannot replay the recording at all: a sentence with the reason.
  case unusable(String)
  /// A part of the recording is missing.
  case incomplete(Transcript.Truncation)
  /// A command or response is not the recorded one.
  case different(TranscriptDifference)
  /// All commands and responses are the recorded ones, but the payment or session ends in another way.
  case outcome(recorded: String, present: String)
  /// The payment fails although the recording goes on: a sentence with the reason.
  case failed(String)

  /// Whether the recording can be replayed, but this build does not do what was recorded.
  public var isDifference: Bool {
    if case .unusable = self { false } else { true }
  }

  /// A sentence. Never card data.
  public var description: String {
    switch self {
    case .unusable(let reason), .failed(let reason): reason
    case .incomplete(let truncation): "\(truncation)"
    case .different(let difference): "\(difference)"
    case .outcome(let recorded, let present):
      "all commands and responses are the recorded ones, but the outcome is \"\(present)\", not \"\(recorded)\""
    }
  }
}
