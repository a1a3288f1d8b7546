/// The commands of the PN532 that a host sends (UM0701-02, 7).
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

/// The error codes that this chip gives (UM0701-02, 7.1). Bits 7 and 8 of a status octet are no part of the code.
package enum PN532Status: UInt8, Sendable {
  /// Done.
  case success = 0x00
  /// The card did not answer.
  case timeout = 0x01
  /// A checksum of the field was wrong.
  case checksum = 0x02
  /// A parity bit was wrong.
  case parity = 0x03
  /// The card broke the protocol.
  case protocolError = 0x0B
  /// The state as a target does not allow the command.
  case invalidState = 0x25
  /// The configuration does not allow the command.
  case notAllowed = 0x26
  /// The context does not allow the command, such as an unknown target number.
  case wrongContext = 0x27
  /// The initiator released the target: deselected it, or took its field away.
  case released = 0x29

  /// More information follows: the response goes on with the next command.
  static let moreInformation: UInt8 = 0x40
}

/// What a PN532 does in answer to an event.
package enum PN532Effect: Equatable, Sendable {
  /// Answer the command that runs: response code and data.
  case reply([UInt8])
  /// Answer the command with an error frame.
  case syntaxError
  /// As a reader: send a frame and wait so long for the beginning of its answer.
  case transmit(AirFrame, wait: Duration)
  /// As a card: send a frame.
  case respond(AirFrame)
  /// Switch the own field on or off.
  case carrier(Bool)
  /// Fire the alarm after a time, or never; one alarm replaces the one before.
  case alarm(Duration?)
  /// Sleep until the host wakes the chip.
  case sleep
}
