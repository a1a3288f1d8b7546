public import Links

/// What the driver of a PC/SC reader reports about the device.
public struct PCSCReaderFacts: Equatable, Sendable {
  /// The number of the USB bus; nil when the driver does not report it, and for a reader that is not at a USB bus.
  public let bus: Int?
  /// The number of the device on the bus; nil as `bus`.
  public let device: Int?
  /// The version of the firmware, as bcdDevice encodes it; nil when the driver does not report it.
  public let release: UInt16?
}

extension PCSCService {
  /// Asks the driver of a reader about the device. No card is needed. Blocks, without a limit while another program holds
  /// a transaction.
  ///
  /// - Parameter reader: The full name.
  /// - Throws: `LinkError`: `.readerUnavailable`, `.busy`, `.serviceUnavailable`.
  public static func facts(of reader: String) throws(LinkError) -> PCSCReaderFacts {
    #if PCSC
      do throws(PCSCError) {
        return PCSCReaderFacts(try PCSCContext().connectDirectly(to: reader))
      } catch { throw error.linkError(reader: reader) }
    #else
      throw LinkError.builtWithoutPCSC
    #endif
  }
}

#if PCSC
  extension PCSCReaderFacts {
    fileprivate init(_ connection: borrowing PCSCDirectReader) {
      let channel = connection.number(.channel).flatMap { $0 >> 16 == 0x0020 ? $0 : nil }
      bus = channel.map { Int($0 >> 8 & 0xFF) }
      device = channel.map { Int($0 & 0xFF) }
      release = connection.number(.version).map { UInt16($0 >> 16) }
    }
  }
#endif
