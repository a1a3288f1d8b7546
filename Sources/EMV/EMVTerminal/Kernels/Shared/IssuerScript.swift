internal import EMVData
internal import ISO7816

/// One issuer script: the commands of a template 71 or 72 in their order, until the card refuses one (EMV 4.4 Book 3,
/// 10.10).
struct IssuerScript {
  private let template: Tag
  // Tag 9F18; zeros when the script has none.
  private let identifier: [UInt8]
  private var commands: ArraySlice<[UInt8]>
  // How many commands were sent or could not be sent.
  private var count = 0
  private var outcome = Outcome.notPerformed

  private enum Outcome: UInt8 {
    case notPerformed = 0x00
    case failed = 0x10
    case succeeded = 0x20
  }

  init(_ node: TLVNode) {
    template = node.tag
    let identifier = node.children.first { $0.tag == .issuerScriptIdentifier }?.value ?? []
    self.identifier = identifier.count == 4 ? identifier : [0, 0, 0, 0]
    commands = node.children.filter { $0.tag == .issuerScriptCommand }.map(\.value)[...]
  }

  /// The next command; nil at the end of the script. Bytes that are no command fail the script.
  mutating func next() -> CommandAPDU? {
    guard outcome != .failed, let octets = commands.popFirst() else { return nil }
    count += 1
    do throws(APDUError) {
      return try CommandAPDU(parsing: octets.span)
    } catch {
      outcome = .failed
      return nil
    }
  }

  /// Only the first byte of the status word counts: 90, 62 and 63 go on. Chained responses were assembled before.
  mutating func receive(_ status: StatusWord) {
    outcome = [0x90, 0x62, 0x63].contains(status.rawValue >> 8) ? .succeeded : .failed
  }

  /// The card left before it had answered.
  mutating func lose() { outcome = .failed }

  /// A script without commands has succeeded.
  var hasSucceeded: Bool { outcome == .succeeded || commands.isEmpty && count == 0 }

  /// Tag 9F5B: the result and the number of the command that failed, at most 15, then the identifier (EMV 4.4 Book 4,
  /// annex A5).
  var result: [UInt8] {
    let step = outcome == .failed ? UInt8(min(count, 15)) : 0
    return [(hasSucceeded ? Outcome.succeeded : outcome).rawValue | step] + identifier
  }

  /// The bit of tag 95 for a script that failed.
  var failureBit: TerminalVerificationResults {
    template == .issuerScriptTemplate1 ? .scriptFailedBeforeCryptogram : .scriptFailedAfterCryptogram
  }
}
