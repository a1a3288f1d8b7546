#if PCSC
  import Links
  import Octets
  import PCSCReader
  import ReaderSimulator
  import TestSupport
  import Testing

  /// The readers with simulated chips in the pcscd of this process.
  enum ChipDesk {
    private static let added = Result<ReaderSlots, any Error> { try ReaderSlots(in: Desk.pcscd) }

    static var slots: ReaderSlots {
      get throws { try added.get() }
    }

    static func open(_ number: Int = 0) throws -> ACR122Device {
      try ACR122Device(reader: slots.names[number], patience: .seconds(30))
    }
  }

  extension ACR122Device {
    func channel(timeout: Duration = .seconds(20), responseTimeout: Duration = .seconds(20)) throws(LinkError)
      -> ACR122Channel
    { try ACR122Channel(self, timeout: timeout, responseTimeout: responseTimeout) }
  }

  extension ACR122Channel {
    /// Sends octets as they are, whatever they are.
    mutating func send(_ command: [UInt8]) throws(LinkError) -> [UInt8] {
      var room = [UInt8](repeating: 0, count: 5000)
      let count = try room.withMutableOctets { (room) throws(LinkError) in try transmit(command.span, into: &room) }
      return Array(room[..<count])
    }
  }
#endif
