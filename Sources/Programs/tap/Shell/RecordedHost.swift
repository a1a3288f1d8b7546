import EMVTerminal
import PaymentAcceptance

/// The host of a recording: it says what it said.
struct RecordedHost: AuthorizationHost {
  let answer: AuthorizationAnswer

  /// `approved CODE`, `declined REASON` or `unknown REASON`; anything else, or nothing, is no host.
  init(_ text: String?) {
    let words = (text ?? "").split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1] : ""
    switch words.first {
    case "approved": answer = .approved(code: rest)
    case "declined": answer = .declined(reason: rest)
    default: answer = .unknownCard(reason: rest)
    }
  }

  static func text(_ answer: AuthorizationAnswer) -> String {
    switch answer {
    case .approved(let code): "approved \(code)"
    case .declined(let reason): "declined \(reason)"
    case .unknownCard(let reason): "unknown \(reason)"
    }
  }

  func authorize(_ request: AuthorizationRequest) -> AuthorizationAnswer { answer }
}
