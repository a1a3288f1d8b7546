/// The reader of the terminal, with the line between both.
public enum ModelledReader: Hashable, Sendable {
  /// A reader inside the terminal.
  case builtIn
  /// ACR122U: CCID over USB, with a PN532.
  case acr122u
  /// ACR1252U: CCID over USB.
  case acr1252u
  /// PN532 on a serial line.
  case pn532UART(bitsPerSecond: Int)
  /// PN532 on I2C.
  case pn532I2C

  /// The largest frame that it receives.
  var frame: Int {
    switch self {
    case .builtIn, .acr1252u: LinkConstants.emvFrame.number
    case .acr122u, .pn532UART, .pn532I2C: LinkConstants.pn532Frame.number
    }
  }

  /// The time of an exchange inside the reader, beyond its waits between frames.
  var work: TimeRange {
    switch self {
    case .builtIn: .zero
    case .acr122u: LinkConstants.acr122Work.time
    case .acr1252u: LinkConstants.acr1252Work.time
    case .pn532UART, .pn532I2C: LinkConstants.pn532Work.time
    }
  }

  /// The time of an exchange on the line between reader and terminal.
  func line(_ exchange: ModelledExchange) -> TimeRange {
    let (command, response) = (exchange.commandCount, exchange.responseCount)
    switch self {
    case .builtIn: return .zero
    case .acr1252u: return Self.ccid(command) + Self.ccid(response)
    case .acr122u:
      return Self.ccid(command + LinkConstants.directCommand.number)
        + Self.ccid(response + LinkConstants.directResponse.number)
    case .pn532UART(let rate):
      let bits = Int64(Self.pn532Bytes(command, response) * LinkConstants.serialByteBits.number)
      return TimeRange((bits * 1_000_000_000 + Int64(rate) / 2) / Int64(max(rate, 1)))
    case .pn532I2C:
      let bytes = Self.pn532Bytes(command, response) + LinkConstants.i2cExtraBytes.number
      return LinkConstants.i2cByte.time * bytes + LinkConstants.i2cGap.time
    }
  }

  /// A CCID message: its packets, with an empty one after a whole number of packets.
  private static func ccid(_ count: Int) -> TimeRange {
    let packets = (count + LinkConstants.ccidHeader.number) / LinkConstants.usbPacketBytes.number + 1
    return LinkConstants.usbPacket.time * packets + LinkConstants.usbWait.time
  }

  /// The bytes of InDataExchange: command, acknowledgement and answer.
  private static func pn532Bytes(_ command: Int, _ response: Int) -> Int {
    let extended = [command, response].filter { $0 > LinkConstants.pn532NormalData.number }.count
    return LinkConstants.pn532Bytes.number + command + response + extended * LinkConstants.pn532ExtendedBytes.number
  }
}
