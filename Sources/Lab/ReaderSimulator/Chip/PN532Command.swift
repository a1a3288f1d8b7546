/// The commands that a host sends to a PN532 (UM0701-02, 7).
package enum PN532Command: UInt8, CaseIterable, Sendable {
  case diagnose = 0x00
  case getFirmwareVersion = 0x02
  case getGeneralStatus = 0x04
  case readRegister = 0x06
  case writeRegister = 0x08
  case readGPIO = 0x0C
  case writeGPIO = 0x0E
  case setSerialBaudRate = 0x10
  case setParameters = 0x12
  case samConfiguration = 0x14
  case powerDown = 0x16
  case rfConfiguration = 0x32
  case inDataExchange = 0x40
  case inCommunicateThru = 0x42
  case inDeselect = 0x44
  case inJumpForPSL = 0x46
  case inListPassiveTarget = 0x4A
  case inPSL = 0x4E
  case inATR = 0x50
  case inRelease = 0x52
  case inSelect = 0x54
  case inJumpForDEP = 0x56
  case inAutoPoll = 0x60
  case tgGetData = 0x86
  case tgGetInitiatorCommand = 0x88
  case tgGetTargetStatus = 0x8A
  case tgInitAsTarget = 0x8C
  case tgSetData = 0x8E
  case tgResponseToInitiator = 0x90
  case tgSetGeneralBytes = 0x92
  case tgSetMetaData = 0x94

  /// The code of the response.
  package var responseCode: UInt8 { rawValue + 1 }
}

/// The error codes that this chip returns (UM0701-02, 7.1). Bits 7 and 8 of a status byte are not part of the code.
package enum PN532Status: UInt8, Sendable {
  /// The command succeeded.
  case success = 0x00
  /// The card did not answer in time.
  case timeout = 0x01
  /// The checksum of a frame was wrong.
  case checksum = 0x02
  /// A parity bit was wrong.
  case parity = 0x03
  /// The card broke the protocol.
  case protocolError = 0x0B
  /// The command is not allowed in the present state as a target.
  case invalidState = 0x25
  /// The configuration does not allow the command.
  case notAllowed = 0x26
  /// The command is not acceptable in this context, such as an unknown target number.
  case wrongContext = 0x27
  /// The initiator released the target: it deselected the target or switched its field off.
  case released = 0x29

  /// More information follows in the response to the next command.
  static let moreInformation: UInt8 = 0x40
}

/// What a PN532 does after an event.
package enum PN532Effect: Equatable, Sendable {
  /// Answers the command that runs: response code and data.
  case reply([UInt8])
  /// Answers the command with an error frame.
  case syntaxError
  /// As a reader: sends a frame and waits at most `wait` for the beginning of the response.
  case transmit(AirFrame, wait: Duration)
  /// As a card: sends a frame.
  case respond(AirFrame)
  /// Switches the own field on or off.
  case carrier(Bool)
  /// Calls `PN532.alarm()` after a time, or never. It replaces the alarm before.
  case alarm(Duration?)
  /// Sleeps until the host wakes the chip.
  case sleep
}
