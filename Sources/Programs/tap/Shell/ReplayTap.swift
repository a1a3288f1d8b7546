import EMVData
import EMVTerminal
import Foundation
import PaymentAcceptance
import Transcripts

/// A transcript file.
enum TranscriptFile {
  static func read(_ path: String) throws -> Transcript {
    let text = String(decoding: try Files.read(path), as: UTF8.self)
    do {
      return try Transcript(parsing: text)
    } catch {
      throw FileError(description: "\(path): \(error)")
    }
  }
}

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
    if let recorded = try random() { side.random = ReplayRandomSource(recorded) }
    let result = side.accept(request, over: channel)
    if let difference = channel.difference { throw difference }
    return result
  }

  /// The unpredictable number, from the directive or from what the terminal sent.
  private func random() throws -> [UInt8]? {
    if let random = transcript.random { return random }
    return RecordedTerminalData(transcript)[.unpredictableNumber]
  }
}

extension TranscriptDifference: Error {}
