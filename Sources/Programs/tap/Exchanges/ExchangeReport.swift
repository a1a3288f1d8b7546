import CardExploration
import Links
import Octets
import Transcripts

/// The exchanges with a card as JSON. Bytes are hexadecimal; cardholder data are masked unless they may be shown.
struct ExchangeReport: Encodable {
  struct Card: Encodable {
    let answerToReset: String?
    let `protocol`: String
  }

  struct Line: Encodable {
    let number: Int
    /// `asked`, `getResponse` or `correctedLe`.
    let cause: String
    let command: String
    let response: String?
    let status: String?
    let time: Int64?

    private enum CodingKeys: String, CodingKey {
      case number, cause, command, response, status
      case time = "time_ns"
    }
  }

  let card: Card
  let exchanges: [Line]
  let error: TapReport.Failure?

  /// Creates the report.
  ///
  /// - Parameters:
  ///   - transcript: The exchanges as they may be shown.
  ///   - causes: The cause of each; a missing one was asked for.
  init(_ transcript: Transcript, causes: [CardExchanges.Cause], failure: LinkError?) {
    let identity = transcript.identity
    card = Card(
      answerToReset: identity.answerToReset.isEmpty ? nil : identity.answerToReset.hex,
      protocol: identity.protocolName)
    exchanges = transcript.exchanges.enumerated().map { index, exchange in
      Line(
        number: index + 1, cause: (index < causes.count ? causes[index] : .asked).name, command: exchange.command.hex,
        response: exchange.response?.hex, status: exchange.response.map { Array($0.suffix(2)).hex },
        time: exchange.nanoseconds)
    }
    error = failure.map { TapReport.Failure(code: $0.code.rawValue, message: "\($0)") }
  }
}
