public import EMVDecoding
internal import ISO7816
internal import Octets
public import Transcripts

/// An exchange as text: its bytes, each followed by their meaning.
///
/// The transcript was redacted before: nothing is masked here, since masking what is left would hide the test cards.
public enum ExchangeText {
  /// The bytes of both directions with their meaning, indented. The context learns from the exchange.
  public static func lines(_ exchange: Transcript.Exchange, _ context: inout DecodingContext) -> [String] {
    let command = context.decoded(command: exchange.command, unmasked: true)
    var lines = ["   > \(exchange.command.hex)"] + command.lines.map { "     " + $0 }
    guard let response = exchange.response else { return lines }
    let answer = context.decoded(response: response, to: exchange.command, unmasked: true)
    lines += ["   < \(response.hex)"] + answer.lines.map { "     " + $0 }
    context.learn(command: exchange.command, response: response)
    return lines
  }

  /// One line: number, name of the command, status word, time, and why the command was sent.
  public static func title(_ exchange: Transcript.Exchange, number: Int, _ cause: CardExchanges.Cause) -> String {
    let name = InstructionNames.name(of: exchange.command) ?? "command"
    let status = exchange.response.map { Array($0.suffix(2)).hex } ?? "no response"
    let time = exchange.nanoseconds.map { "  " + TimeUnit.microseconds.text($0) } ?? ""
    return "\(number). \(name)  \(status)\(time)" + (cause.text.map { "  (\($0))" } ?? "")
  }
}

extension CardExchanges.Cause {
  /// Why a command was sent that was not asked for; nil for one that was.
  public var text: String? {
    switch self {
    case .asked: nil
    case .announced(let status): "sent because the card answered \(status): \(status.text)"
    case .wrongLength(let status): "sent again because the card answered \(status): \(status.text)"
    }
  }

  /// The word for programs: `asked`, `getResponse` or `correctedLe`.
  public var name: String {
    switch self {
    case .asked: "asked"
    case .announced: "getResponse"
    case .wrongLength: "correctedLe"
    }
  }
}
