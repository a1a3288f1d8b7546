/// The class descriptor of a smart card reader (USB CCID specification 1.1, 5.1).
public struct CCIDDescription: Equatable, Sendable {
  /// How a reader exchanges with its card, as dwFeatures has it.
  public enum Level: Equatable, Sendable {
    /// Single characters, which libccid does not use with contactless cards.
    case character
    /// Blocks of the transmission protocol, which the host composes.
    case block
    /// Commands and responses up to 261 bytes.
    case shortAPDU
    /// Commands and responses of any size, in parts where they exceed a message.
    case extendedAPDU
  }

  /// bcdCCID.
  public var version: UInt16
  /// bMaxSlotIndex.
  public var maximumSlotIndex: UInt8
  /// bVoltageSupport.
  public var voltages: UInt8
  /// dwProtocols.
  public var protocols: UInt32
  /// dwDefaultClock and dwMaximumClock, in kHz.
  public var clocks: (standard: UInt32, maximum: UInt32)
  /// dwDataRate and dwMaxDataRate, in bit/s.
  public var dataRates: (standard: UInt32, maximum: UInt32)
  /// dwMaxIFSD.
  public var maximumInformationFieldCount: UInt32
  /// dwFeatures.
  public var features: UInt32
  /// dwMaxCCIDMessageLength.
  public var maximumMessageCount: UInt32
  /// bPINSupport.
  public var pinSupport: UInt8
  /// bMaxCCIDBusySlots.
  public var busySlots: UInt8

  /// Creates a descriptor. The defaults are those of a contactless reader that exchanges extended APDUs.
  public init(
    version: UInt16 = 0x0110, maximumSlotIndex: UInt8 = 0, voltages: UInt8 = 0x07, protocols: UInt32 = 3,
    clocks: (standard: UInt32, maximum: UInt32) = (4000, 4000),
    dataRates: (standard: UInt32, maximum: UInt32) = (10_752, 344_105), maximumInformationFieldCount: UInt32 = 254,
    features: UInt32 = 0x0004_04BA, maximumMessageCount: UInt32 = 522, pinSupport: UInt8 = 0, busySlots: UInt8 = 1
  ) {
    self.version = version
    self.maximumSlotIndex = maximumSlotIndex
    self.voltages = voltages
    self.protocols = protocols
    self.clocks = clocks
    self.dataRates = dataRates
    self.maximumInformationFieldCount = maximumInformationFieldCount
    self.features = features
    self.maximumMessageCount = maximumMessageCount
    self.pinSupport = pinSupport
    self.busySlots = busySlots
  }

  /// Descriptors are equal when their bytes are.
  public static func == (left: Self, right: Self) -> Bool { left.octets == right.octets }

  /// The bytes of the descriptor.
  public var octets: [UInt8] {
    var octets: [UInt8] = [0x36, 0x21] + version.littleEndianOctets
    octets += [maximumSlotIndex, voltages]
    for number in [protocols, clocks.standard, clocks.maximum] { octets += number.littleEndianOctets }
    octets.append(0)
    for number in [dataRates.standard, dataRates.maximum] { octets += number.littleEndianOctets }
    octets.append(0)
    for number in [maximumInformationFieldCount, 0, 0, features, maximumMessageCount] {
      octets += number.littleEndianOctets
    }
    return octets + [0x00, 0x00, 0x00, 0x00, pinSupport, busySlots]
  }

  /// How the reader exchanges with its card.
  public var level: Level {
    switch features & 0x0007_0000 {
    case 0x0001_0000: .block
    case 0x0002_0000: .shortAPDU
    case 0x0004_0000: .extendedAPDU
    default: .character
    }
  }
}
