import EMVData
import EMVTerminal
import Foundation
import Octets
import PaymentAcceptance
import Transcripts

/// This build's terminal against a recorded card.
struct ReplayTap {
  let transcript: Transcript
  let configuration: TerminalConfiguration
  let host: any AuthorizationHost

  /// Takes the payment.
  ///
  /// - Throws: `TranscriptDifference` for the first command that is not the recorded one.
  func run(_ request: PaymentRequest) throws -> TerminalSide.Result {
    let clock = ManualClock()
    let channel = ReplayChannel(transcript, moving: clock)
    var side = TerminalSide(configuration: configuration, host: host, clock: clock)
    if let recorded = random() { side.random = ReplayRandomSource(recorded) }
    let count = transcript[TerminalRecording.restarts].flatMap(Int.init) ?? 0
    let result: TerminalSide.Result
    if count > 0 {
      // The limits that the recording met, or one more than it needed: the recording ends it.
      side.restarts = RestartLimits(
        count: min(count, Transcript.maximumExchangeCount), duration: .nanoseconds(Int64.max))
      result = side.accept(request) { ReplayField(channel: channel, clock: clock, recording: $0) }
      channel.close()
    } else {
      result = side.accept(request, over: channel)
    }
    if let difference = channel.difference { throw difference }
    return result
  }

  /// The unpredictable number, from the directive or from what the terminal sent.
  private func random() -> [UInt8]? {
    transcript.random ?? RecordedTerminalData(transcript)[.unpredictableNumber]
  }
}

extension TranscriptDifference: Error {}
