import CardExploration
import EMVDecoding
import Links
import Octets
import ProgramSupport
import Transcripts

/// Prints exchanges as text, each as soon as it is complete.
struct ExchangePrinter: ExchangeObserver {
  private let disclosure: Disclosure
  /// Whether anything is printed.
  private let isSilent: Bool
  /// The causes of the exchanges so far.
  private(set) var causes: [CardExchanges.Cause] = []
  private var context = DecodingContext()

  init(_ disclosure: Disclosure, isSilent: Bool) {
    self.disclosure = disclosure
    self.isSilent = isSilent
  }

  /// Notes the cause of the last exchange and prints the exchange.
  mutating func observe(_ cause: CardExchanges.Cause, of recording: Recording) {
    causes.append(cause)
    guard !isSilent else { return }
    // What of the last exchange may be shown follows from the exchanges before it.
    let exchanges = disclosure.shown(recording.transcript).exchanges
    guard let last = exchanges.last else { return }
    let title = ExchangeText.title(last, number: exchanges.count, cause)
    let status = last.response.map { Array($0.suffix(2)).hex } ?? "no response"
    let coloured = "  " + Console.status(of: last.response, missing: status)
    Console.print(title.replacing("  \(status)", with: coloured, maxReplacements: 1))
    ExchangeText.lines(last, &context).forEach { Console.print(Console.decoded($0)) }
  }
}
