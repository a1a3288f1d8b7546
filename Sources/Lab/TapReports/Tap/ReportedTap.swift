internal import EMVDecoding
internal import EMVTerminal
internal import Octets
public import PaymentAcceptance
public import Transcripts

/// A payment as a report shows it: its exchanges in time, each with its bytes in words.
public struct ReportedTap: Sendable {
  struct Step: Sendable {
    let number: Int
    /// The number of the tap in the payment, from 1.
    let tap: Int
    let name: String
    /// Nanoseconds of the recorder's clock.
    let begun: Int64
    let nanoseconds: Int64
    /// The part of the card; nil when card and link cannot be told apart.
    let card: Int64?
    let status: String
    let decoded: [String]
  }

  let steps: [Step]

  /// Creates the taps of a payment.
  ///
  /// - Parameters:
  ///   - record: The payment. Its bytes are not used.
  ///   - shown: The transcript of the same payment as it may be shown: redacted, unless all may be shown.
  ///   - cardTimes: The card's part of each exchange in nanoseconds; empty when it is not known.
  public init(_ record: PaymentRecord, shown: Transcript, cardTimes: [Int64] = []) {
    var context = DecodingContext()
    let isTimed = cardTimes.count == record.exchanges.count
    steps = zip(record.exchanges, shown.exchanges).enumerated().map { index, pair in
      let (exchange, octets) = pair
      return Step(
        number: exchange.number, tap: exchange.tap, name: exchange.phase.rawValue, begun: exchange.begun.nanoseconds,
        nanoseconds: exchange.nanoseconds,
        card: isTimed ? min(max(cardTimes[index], 0), exchange.nanoseconds) : nil,
        status: octets.response.map { Array($0.suffix(2)).hex } ?? "no response",
        decoded: Self.lines(octets, &context))
    }
  }

  /// The bytes of both directions with their meaning.
  private static func lines(_ exchange: Transcript.Exchange, _ context: inout DecodingContext) -> [String] {
    // The transcript was redacted before: masking what is left would hide the test cards. A space that does not break
    // keeps the direction and the bytes on one line.
    var lines = [">\u{A0}\(exchange.command.hex)"]
    lines += context.decoded(command: exchange.command, unmasked: true).lines.map { "  " + $0 }
    if let response = exchange.response {
      lines.append("<\u{A0}\(response.hex)")
      lines += context.decoded(response: response, to: exchange.command, unmasked: true).lines.map { "  " + $0 }
      context.learn(command: exchange.command, response: response)
    }
    return DecodedLines.shown(lines)
  }

  /// The steps of each tap in order. A payment that was tried again has several.
  var taps: [[Step]] {
    steps.reduce(into: []) { taps, step in
      if taps.last?.last?.tap == step.tap { taps[taps.count - 1].append(step) } else { taps.append([step]) }
    }
  }
}
