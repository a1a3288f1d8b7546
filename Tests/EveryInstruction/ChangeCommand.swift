import ArgumentParser
import ContactlessPayment

/// The other process: makes changes, one for each line of its standard input.
struct ChangeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "change", abstract: "Change wallets in folders, for the walk.", shouldDisplay: false)

  func run() async throws { try await LineReplies.serve { await Self.make($0) } }

  /// `CHANGE FOLDER`
  private static func make(_ line: String) async -> String {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, let change = Change(rawValue: words[0]) else { return "failed \(line) is no change" }
    do {
      return ChangeReply(warnings: try await change.make(in: CardPlace(folder: words[1]))).line
    } catch { return ChangeReply(failure: error).line }
  }
}

/// How a change ended in its process.
enum ChangeReply: Equatable {
  /// It returned without an error.
  case acknowledged
  /// It is stored, and a card that is stopped may still answer.
  case stored
  /// It was refused, since another process has the lock of the store.
  case locked
  /// It was refused, for another reason.
  case failed(String)

  init(warnings: [WithdrawalWarning]) {
    switch warnings.first {
    case nil: self = .acknowledged
    case .stillAnswering: self = .stored
    case .some(let warning): self = .failed("\(warning)")
    }
  }

  init(failure: any Error) {
    if case WalletError.store(.busy) = failure {
      self = .locked
    } else {
      self = .failed("\(failure)")
    }
  }

  init(line: String) {
    switch line {
    case Self.acknowledged.line: self = .acknowledged
    case Self.stored.line: self = .stored
    case Self.locked.line: self = .locked
    default: self = .failed(line)
    }
  }

  var line: String {
    switch self {
    case .acknowledged: "acknowledged"
    case .stored: "stored"
    case .locked: "locked"
    case .failed(let reason): "failed \(reason)".replacing("\n", with: " ")
    }
  }
}
