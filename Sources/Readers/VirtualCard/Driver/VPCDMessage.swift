package import ISO7816

/// What a vpcd says in one frame: a control octet, or anything else, which is a command for the card.
///
/// The protocol has no other document than vsmartcard's `virtualsmartcard/src/vpcd/vpcd.c`.
package enum VPCDMessage: Equatable {
  /// 0: power off. No answer.
  case powerOff
  /// 1: power on. No answer.
  case powerOn
  /// 2: reset. No answer.
  case reset
  /// 4: send the answer to reset. Comes every 400 ms: this is how pcscd sees that the card is there.
  case answerToReset
  /// A command, which must be answered: the reader waits without a limit.
  case command

  /// Tells what a frame says. Total: an empty frame, and one octet that is no control octet, are commands that are too
  /// short, sent by a program through pcscd; the card refuses them, and silence would block the reader for ever.
  package init(_ payload: Span<UInt8>) {
    guard payload.count == 1 else {
      self = .command
      return
    }
    switch payload[0] {
    case 0: self = .powerOff
    case 1: self = .powerOn
    case 2: self = .reset
    case 4: self = .answerToReset
    default: self = .command
    }
  }
}

/// Whether the reader powers the card; turns messages into field events.
package struct VPCDPower {
  package private(set) var isOn = false

  /// Powered off.
  package init() {}

  /// What the card must hear before the message is answered.
  package mutating func receive(_ message: VPCDMessage) -> FieldEvent? {
    let wasOn = isOn
    switch message {
    case .answerToReset: return nil
    case .powerOff:
      isOn = false
      return wasOn ? .lost : nil
    case .powerOn, .reset:
      isOn = true
      return wasOn ? .reset : .powered
    case .command:
      isOn = true
      return wasOn ? nil : .powered
    }
  }

  /// What the card must hear when the link ends.
  package mutating func end() -> FieldEvent? { receive(.powerOff) }
}
