import EMVTerminal
import JSON
import Octets
import PaymentAcceptance
import POSIX
import ProgramSupport

/// The log of a terminal in a file: JSON with keyed hashes of account numbers, mode 0600. A lock beside it lets several
/// terminals use one file.
struct TerminalLogFile {
  let path: String

  /// The largest file that is read: a full log has about 200 kilobytes.
  private static let maximumCount = 1 << 20
  private static let lockLimit = Duration.seconds(5)

  func log() throws(InputError) -> TerminalLog { try locked { log throws(InputError) in log } }

  func update(_ change: (inout TerminalLog) -> Void) throws(InputError) {
    _ = try locked { (log) throws(InputError) in
      var log = log
      change(&log)
      try write(log)
      return log
    }
  }

  /// Keeps an approved payment. Does nothing for any other outcome.
  func keep(_ receipt: PaymentReceipt) throws(InputError) {
    guard receipt.outcome.kind == .approved, let request = receipt.outcome.authorizationRequest else { return }
    try update { $0.keep(request) }
  }

  /// Reads the log and makes one for a file that does not exist, alone among all users of the file.
  private func locked(_ body: (TerminalLog) throws(InputError) -> TerminalLog) throws(InputError) -> TerminalLog {
    let lock: FileLock
    do throws(SystemError) {
      lock = try FileLock("\(path).lock", within: Self.lockLimit)
    } catch { throw failure("cannot be locked: \(error)") }
    return try withExtendedLifetime(lock) { () throws(InputError) in
      guard WholeFile(path).exists else {
        var key = SystemRandomSource().octets(TerminalLog.keyCount)
        let new = TerminalLog(key: Secret(wiping: &key))
        try write(new)
        return try body(new)
      }
      return try body(read())
    }
  }

  private func read() throws(InputError) -> TerminalLog {
    let content: WholeFile.Content?
    do throws(SystemError) {
      content = try WholeFile(path).readRegular(atMost: Self.maximumCount)
    } catch { throw failure("cannot be read: \(error)") }
    guard let content else { throw failure("is no regular file") }
    guard !content.isExposed else {
      throw failure("can be read by other users, who could find account numbers with its key: chmod 600")
    }
    guard content.bytes.count <= Self.maximumCount, let json = try? JSONValue(parsing: content.bytes),
      let log = TerminalLog(json)
    else { throw failure("is no log of a terminal. Move it away: a new one is made", .notRight) }
    return log
  }

  private func write(_ log: TerminalLog) throws(InputError) {
    do throws(SystemError) {
      try WholeFile(path).write(Array(log.json.compact.utf8) + [0x0A])
    } catch { throw failure("cannot be written: \(error)") }
  }

  private func failure(_ reason: String, _ exit: Exit = .error) -> InputError {
    InputError(description: "the terminal's log \(path) \(reason)", code: .file, exit: exit)
  }
}

extension TerminalLog {
  /// Reads a log; nil for JSON of another form.
  fileprivate init?(_ json: JSONValue) {
    func octets(_ value: JSONValue?) -> [UInt8]? { value?.text.flatMap { try? [UInt8](hex: $0) } }
    guard var key = octets(json["key"]), key.count == Self.keyCount else { return nil }
    defer { key.wipe() }
    let approvals = (json["approvals"]?.list ?? []).map { value -> Approval? in
      guard let card = octets(value["card"]).flatMap(CardHash.init(octets:)), let currency = value["currency"]?.text,
        let amount = value["amount"]?.text.flatMap({ UInt64($0) })
      else { return nil }
      return Approval(card: card, currency: currency, amount: amount)
    }
    let exceptions = (json["exceptions"]?.list ?? []).map { octets($0).flatMap(CardHash.init(octets:)) }
    guard !approvals.contains(nil), !exceptions.contains(nil), approvals.count <= Self.maximumApprovalCount else {
      return nil
    }
    self.init(
      key: Secret(copying: key), approvals: approvals.compactMap(\.self), exceptions: Set(exceptions.compactMap(\.self))
    )
  }

  /// The log as JSON. Amounts are text, so that every one fits.
  fileprivate var json: JSONValue {
    [
      "key": JSONValue(withKey { $0.array.hex }),
      "approvals": JSONValue(
        approvals.map { approval -> JSONValue in
          [
            "card": JSONValue(approval.card.octets.hex), "currency": JSONValue(approval.currency),
            "amount": JSONValue(String(approval.amount)),
          ]
        }),
      "exceptions": JSONValue(exceptions.map(\.octets.hex).sorted().map { JSONValue($0) }),
    ]
  }
}
