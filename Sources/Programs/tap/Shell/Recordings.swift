import EMVTerminal
import EMVCard
import Foundation
import PaymentAcceptance
import Transcripts

/// A terminal-side recording that can be replayed: the wire, and all that the terminal took from outside.
struct TerminalRecording {
  static let host: Transcript.Key = "host"

  /// Completes the transcript of a tap.
  static func transcript(
    _ result: TerminalSide.Result, _ request: PaymentRequest, _ moment: TransactionMoment, terminal: [UInt8],
    _ disclosure: Disclosure
  ) -> Transcript {
    var transcript = result.recording
    transcript.clock = moment
    transcript.random = result.random
    transcript[.amount] = "\(request.amount)"
    transcript[.currency] = request.currency.numericCode
    transcript[.terminal] = compact(terminal)
    if case .success(let receipt) = result.outcome {
      transcript[.outcome] = receipt.outcome.kind.rawValue
      transcript[host] = receipt.answer.map(RecordedHost.text)
    }
    return disclosure.shown(transcript)
  }

  /// JSON on one line.
  static func compact(_ json: [UInt8]) -> String {
    guard let value = try? JSONSerialization.jsonObject(with: Data(json)),
      let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
    else { return String(decoding: json, as: UTF8.self) }
    return String(decoding: data, as: UTF8.self)
  }

  /// Writes a transcript.
  static func write(_ transcript: Transcript, to path: String) throws {
    do {
      try Data(transcript.text.utf8).write(to: URL(filePath: path))
    } catch {
      throw FileError(description: "\(path) cannot be written: \(error.localizedDescription)")
    }
  }
}

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
