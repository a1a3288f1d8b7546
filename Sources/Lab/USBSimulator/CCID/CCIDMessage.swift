/// A command of the host to a reader (USB CCID specification 1.1, 6.1).
struct CCIDCommand: Equatable, Sendable {
  enum Kind: UInt8, Sendable {
    case setParameters = 0x61
    case powerOn = 0x62
    case powerOff = 0x63
    case slotStatus = 0x65
    case secure = 0x69
    case protocolData = 0x6A
    case escape = 0x6B
    case parameters = 0x6C
    case resetParameters = 0x6D
    case clock = 0x6E
    case exchange = 0x6F
    case mechanical = 0x71
    case abort = 0x72
    case dataRate = 0x73
  }

  static let headerCount = 10

  let type: UInt8
  let slot: UInt8
  let sequence: UInt8
  /// The three bytes at the end of the header.
  let parameters: [UInt8]
  let content: [UInt8]
  /// Whether dwLength is the count of the content.
  let isWhole: Bool

  var kind: Kind? { Kind(rawValue: type) }

  /// Reads a message; nil for fewer bytes than a header. Bytes behind dwLength are ignored.
  init?(_ octets: [UInt8]) {
    guard octets.count >= Self.headerCount else { return nil }
    let count = Int(UInt32(littleEndian: octets[1..<5]) ?? 0)
    (type, slot, sequence) = (octets[0], octets[5], octets[6])
    parameters = Array(octets[7..<10])
    content = Array(octets.dropFirst(Self.headerCount).prefix(count))
    isWhole = content.count == count
  }

  /// The type of the response to this command (6.2).
  var responseKind: CCIDResponse.Kind {
    switch kind {
    case .powerOn, .exchange, .secure: .data
    case .parameters, .resetParameters, .setParameters: .parameters
    case .escape: .escape
    case .dataRate: .dataRate
    default: .slotStatus
    }
  }
}

/// A response of a reader (USB CCID specification 1.1, 6.2).
struct CCIDResponse: Equatable, Sendable {
  enum Kind: UInt8, Sendable {
    case data = 0x80
    case slotStatus = 0x81
    case parameters = 0x82
    case escape = 0x83
    case dataRate = 0x84
  }

  /// bmCommandStatus, and bError with it.
  enum Outcome: Equatable, Sendable {
    case done
    case failed(UInt8)
    /// The reader needs more time: a multiple of the waiting time.
    case timeExtension(UInt8)

    fileprivate var octets: (status: UInt8, error: UInt8) {
      switch self {
      case .done: (0x00, 0x00)
      case .failed(let error): (0x40, error)
      case .timeExtension(let factor): (0x80, factor)
      }
    }
  }

  /// Values of bError (table 6.2-2). Lower values are the place of a wrong byte in the command.
  enum Fault {
    static let commandNotSupported: UInt8 = 0x00
    static let wrongLength: UInt8 = 0x01
    static let wrongSlot: UInt8 = 0x05
    static let wrongParameter: UInt8 = 0x07
    static let busySlot: UInt8 = 0xE0
    static let overrun: UInt8 = 0xFC
    static let mute: UInt8 = 0xFE
    static let aborted: UInt8 = 0xFF
  }

  var kind: Kind
  var slot: UInt8
  var sequence: UInt8
  /// bmICCStatus: 0 powered, 1 present, 2 absent.
  var cardStatus: UInt8
  var outcome = Outcome.done
  /// bChainParameter, bClockStatus or bProtocolNum.
  var parameter: UInt8 = 0
  var content: [UInt8] = []

  var octets: [UInt8] {
    let (status, error) = outcome.octets
    return [kind.rawValue] + UInt32(content.count).littleEndianOctets
      + [slot, sequence, cardStatus | status, error, parameter] + content
  }
}
