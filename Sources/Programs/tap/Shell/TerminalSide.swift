import EMVData
import EMVTerminal
import Foundation
import Links
import Octets
import PaymentAcceptance
import Transcripts

/// The terminal's side of a tap: everything but the channel.
struct TerminalSide: Sendable {
  let configuration: TerminalConfiguration
  let host: any AuthorizationHost
  var clock: any MonotonicClock = SystemClock()
  var random: any RandomSource = SystemRandomSource()

  /// What came of a tap, and what went over the wire.
  struct Result: Sendable {
    let outcome: Swift.Result<PaymentReceipt, AcceptanceFailure>
    let recording: Transcript
    let random: [UInt8]

    /// All exchanges, those before a failure included.
    var exchanges: [Exchange] {
      switch outcome {
      case .success(let receipt): receipt.exchanges
      case .failure(let failure): failure.exchanges
      }
    }
  }

  /// Takes a payment and closes the channel. Blocks.
  func accept<Channel: CardChannel & ~Copyable>(
    _ request: PaymentRequest, over channel: consuming Channel
  ) -> Result {
    let source = RecordingRandomSource(random)
    let acceptance = PaymentAcceptance(configuration: configuration, host: host, clock: clock, random: source)
    var recorder = RecordingChannel(channel, clock: clock)
    let outcome: Swift.Result<PaymentReceipt, AcceptanceFailure>
    do throws(AcceptanceFailure) {
      outcome = .success(try acceptance.accept(request, over: &recorder))
    } catch {
      outcome = .failure(error)
    }
    recorder.close()
    return Result(outcome: outcome, recording: recorder.transcript, random: source.drawn)
  }
}
