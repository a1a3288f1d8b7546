package import ISO7816

/// A frame from vpcd: a control byte or a command for the card.
///
/// The protocol has no other document than vsmartcard's `virtualsmartcard/src/vpcd/vpcd.c`.
package enum VPCDMessage: Equatable {
  /// 0: power off. It has no response.
  case powerOff
  /// 1: power on. It has no response.
  case powerOn
  /// 2: reset. It has no response.
  case reset
  /// 4: send the answer to reset. vpcd asks for it every 400 ms, and so detects whether the card is present.
  case answerToReset
  /// A command. The card must answer it, since the reader waits without a limit.
  case command

  /// Reads the payload of a frame.
  ///
  /// - Throws: `VPCDFrameError` for a frame that the protocol does not have. The card of vsmartcard does not answer
  ///   these frames either (`virtualsmartcard/src/vpicc/virtualsmartcard/VirtualSmartcard.py`).
  package init(_ payload: Span<UInt8>) throws(VPCDFrameError) {
    guard payload.count <= 1 else {
      self = .command
      return
    }
    guard payload.count == 1 else { throw .empty }
    switch payload[0] {
    case 0: self = .powerOff
    case 1: self = .powerOn
    case 2: self = .reset
    case 4: self = .answerToReset
    default: throw .unknownControl(payload[0])
    }
  }
}

/// A frame that the protocol of vpcd does not have.
package enum VPCDFrameError: Error, Equatable {
  /// A frame without payload, which vpcd never sends.
  case empty
  /// A payload of one byte that is not a control byte. vpcd sends it when a program transmits a command of one byte.
  case unknownControl(UInt8)
}

/// Whether the reader powers the card. It turns messages into field events.
package struct VPCDPower {
  package private(set) var isOn = false

  /// Creates the state of a card without power.
  package init() {}

  /// Takes a message.
  ///
  /// - Returns: The event for the card, which comes before the response to the message.
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

  /// Ends the link.
  ///
  /// - Returns: The event for the card.
  package mutating func end() -> FieldEvent? { receive(.powerOff) }
}
