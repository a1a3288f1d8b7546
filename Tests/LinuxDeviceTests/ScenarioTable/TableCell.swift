import DeviceAuthentication

/// What runs while the settings of the device change.
enum TableMoment: CaseIterable {
  /// No process: the command starts after the changes.
  case nothingRuns
  /// The armed card waits for a terminal.
  case armed
  /// The armed process is stopped (SIGSTOP), and goes on with a command of the terminal that waits.
  case stopped
  /// The card has given a cryptogram, and the terminal comes back for a further one after a loss of the field.
  case furtherUse
}

/// A command of the programs that uses a wallet.
enum TableCommand: String, CaseIterable {
  case present, pay, open, replenish, history

  /// Those that arm a card.
  static let payments = [present, pay, open]
  /// Those that run beside it.
  static let others = [replenish, history]
}

/// What a command came to.
struct TableResult: Equatable, CustomStringConvertible {
  /// `done`, or the code of the first error.
  let end: String
  /// How many cryptograms the terminal got, before and after the changes.
  var cryptogramCount = 0

  static let done = "done"

  var description: String { "\(end), \(cryptogramCount) cryptograms" }
}

extension DeviceScenario {
  /// Whether the row leaves a card that can pay.
  var allowsPayment: Bool { if case .noAction = outcome { true } else { false } }

  /// What a command of the table comes to: one of these. `open` ends a payment when it returns to the foreground, which races
  /// with the command that waits for the stopped process.
  func expected(_ command: TableCommand, _ moment: TableMoment) -> [TableResult] {
    let isLost = outcome == .authenticationKeyInvalidated
    let error = isLost ? "authenticationKeyInvalidated" : "biometricNotEnrolled"
    guard TableCommand.payments.contains(command) else {
      return [TableResult(end: isLost ? error : TableResult.done)]
    }
    let before = moment == .furtherUse ? 1 : 0
    let result =
      allowsPayment
      ? TableResult(end: TableResult.done, cryptogramCount: before + 1)
      : TableResult(end: error, cryptogramCount: before)
    guard command == .open, moment == .stopped else { return [result] }
    return [result] + (0...result.cryptogramCount).map { TableResult(end: "cancelled", cryptogramCount: $0) }
  }
}
