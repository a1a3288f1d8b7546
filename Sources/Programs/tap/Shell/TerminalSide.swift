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
  /// How often and how long a payment is tried again.
  var restarts = RestartLimits(count: 0)

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

    /// The taps after which the payment was tried again.
    var restarts: [Restart] {
      switch outcome {
      case .success(let receipt): receipt.restarts
      case .failure(let failure): failure.restarts
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

  /// Takes a payment with as many taps as it needs and the limits allow. Blocks.
  ///
  /// - Parameter field: Makes the field, whose taps all go into the recording.
  func accept<Field: CardField>(_ request: PaymentRequest, at field: (Recording) -> Field) -> Result {
    let source = RecordingRandomSource(random)
    let acceptance = PaymentAcceptance(
      configuration: configuration, host: host, clock: clock, random: source, restarts: restarts)
    let recording = Recording(role: .terminal)
    var field = field(recording)
    let outcome: Swift.Result<PaymentReceipt, AcceptanceFailure>
    do throws(AcceptanceFailure) {
      outcome = .success(try acceptance.accept(request, at: &field))
    } catch {
      outcome = .failure(error)
    }
    return Result(outcome: outcome, recording: recording.transcript, random: source.drawn)
  }
}
