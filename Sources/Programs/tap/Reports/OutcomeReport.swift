import EMVTerminal
import Octets

/// The parameters of an outcome as JSON: times in milliseconds, with `_ms` behind their names. A parameter without a value is
/// left out.
struct OutcomeReport: Encodable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  let outcome: PaymentOutcome

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for parameter in OutcomeParameter.allCases {
      switch parameter.value(in: outcome) {
      case .text(let text)?: try container.encode(text, forKey: Key(stringValue: parameter.rawValue))
      case .flag(let flag)?: try container.encode(flag, forKey: Key(stringValue: parameter.rawValue))
      case .milliseconds(let count)?: try container.encode(count, forKey: Key(stringValue: parameter.rawValue + "_ms"))
      case nil: continue
      }
    }
  }
}

/// A message on the display as JSON.
struct MessageLine: Encodable {
  /// The identifier of the message: two hexadecimal digits.
  let identifier: String
  let text: String
  let language: String
  /// Left out where the state of the reader stays as it was.
  let status: String?
  let hold: Int?

  private enum CodingKeys: String, CodingKey {
    case identifier, text, language, status
    case hold = "hold_ms"
  }

  init(_ request: UserInterfaceRequest) {
    identifier = request.message.rawValue.hex
    text = request.text
    language = request.language.rawValue
    status = request.status?.rawValue
    hold = request.holdMilliseconds > 0 ? request.holdMilliseconds : nil
  }
}
