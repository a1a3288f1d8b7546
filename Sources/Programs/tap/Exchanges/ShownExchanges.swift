import CardExploration
import EMVDecoding
import Links
import Octets
import ProgramSupport
import TapScenarios
import Transcripts

extension JSONObject {
  /// The exchanges with a card. Bytes are hexadecimal; cardholder data are masked unless they may be shown.
  ///
  /// - Parameters:
  ///   - transcript: The exchanges as they may be shown.
  ///   - causes: The cause of each; a missing one was asked for.
  init(_ transcript: Transcript, causes: [CardExchanges.Cause], failure: LinkError?) {
    let identity = transcript.identity
    let card: JSONObject = [
      "answerToReset": identity.answerToReset.isEmpty ? nil : identity.answerToReset.hex,
      "protocol": identity.protocolName,
    ]
    let exchanges = transcript.exchanges.enumerated().map { index, exchange -> JSONObject in
      [
        "number": index + 1, "cause": (index < causes.count ? causes[index] : .asked).name,
        "command": exchange.command.hex, "response": exchange.response?.hex, "status": exchange.response?.statusText,
        "time_ns": exchange.nanoseconds,
      ]
    }
    self = [
      "card": card, "exchanges": exchanges,
      "error": failure.map { JSONObject.failure($0.code.rawValue, "\($0)") },
    ]
  }
}

extension [UInt8] {
  /// The status word of a response, in hexadecimal digits.
  var statusText: String { Array(suffix(2)).hex }
}

/// Prints the exchanges with a card one by one, with their bytes and meaning.
struct ExchangeLines {
  private var disclosure: ExchangeDisclosure
  private var context = DecodingContext()
  private var count = 0

  init(_ disclosure: Disclosure) { self.disclosure = ExchangeDisclosure(disclosure) }

  /// Prints the next exchange, which is not redacted.
  mutating func print(_ exchange: Transcript.Exchange, _ cause: CardExchanges.Cause) {
    let shown = disclosure.shown(exchange)
    count += 1
    let title = ExchangeText.title(shown, number: count, cause)
    let status = shown.response?.statusText ?? "no response"
    let coloured = "  " + Console.status(of: shown.response, missing: status)
    Console.print(title.replacing("  \(status)", with: coloured, maxReplacements: 1))
    ExchangeText.lines(shown, &context).forEach { Console.print(Console.decoded($0)) }
  }
}

/// Prints exchanges as text, each as soon as it is complete.
struct ExchangePrinter: ExchangeObserver {
  /// Whether anything is printed.
  private let isSilent: Bool
  /// The causes of the exchanges so far.
  private(set) var causes: [CardExchanges.Cause] = []
  private var lines: ExchangeLines

  init(_ disclosure: Disclosure, isSilent: Bool) {
    lines = ExchangeLines(disclosure)
    self.isSilent = isSilent
  }

  /// Notes the cause of the last exchange and prints the exchange.
  mutating func observe(_ cause: CardExchanges.Cause, of recording: Recording) {
    causes.append(cause)
    if !isSilent, let last = recording.transcript.exchanges.last { lines.print(last, cause) }
  }
}

/// The exchanges of a tap with their bytes and meaning.
struct TranscriptText: Sendable {
  private let disclosure: Disclosure

  init(_ disclosure: Disclosure) { self.disclosure = disclosure }

  /// The lines of some exchanges, or of all.
  ///
  /// - Parameters:
  ///   - transcript: The exchanges, unredacted.
  ///   - numbers: The numbers of the exchanges, from 1 on; none for all.
  func lines(_ transcript: Transcript, only numbers: Set<Int> = []) -> [String] {
    exchanges(transcript, only: numbers).flatMap(\.lines)
  }

  /// Some exchanges, or all.
  ///
  /// - Parameters:
  ///   - transcript: The exchanges, unredacted.
  ///   - numbers: The numbers of the exchanges, from 1 on; none for all.
  func exchanges(_ transcript: Transcript, only numbers: Set<Int> = []) -> [ExplainedExchange] {
    var context = DecodingContext()
    return disclosure.shown(transcript).exchanges.enumerated().compactMap { index, exchange in
      // The meaning follows from the exchanges before it.
      let lines = ExchangeText.lines(exchange, &context)
      guard numbers.isEmpty || numbers.contains(index + 1) else { return nil }
      return ExplainedExchange(lines: [ExchangeText.title(exchange, number: index + 1, .asked)] + lines)
    }
  }
}
