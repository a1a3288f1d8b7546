import EMVData
import EMVTerminal
import Foundation
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
    let channel = ReplayChannel(transcript)
    var side = TerminalSide(configuration: configuration, host: host)
    if let recorded = random() { side.random = ReplayRandomSource(recorded) }
    let result = side.accept(request, over: channel)
    if let difference = channel.difference { throw difference }
    return result
  }

  /// The unpredictable number, from the directive or from what the terminal sent.
  private func random() -> [UInt8]? {
    transcript.random ?? RecordedTerminalData(transcript)[.unpredictableNumber]
  }
}

extension TranscriptDifference: Error {}
