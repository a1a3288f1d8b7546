#if PCSC
  import Foundation
  import Links
  import Octets
  import PCSCReader
  import Synchronization
  import TestSupport
  import Testing

  extension RealReaderTests {
    /// All tests at readers with simulated chips. Only they see such readers in the pcscd of this process.
    @Suite(.serialized, ChipReaders())
    struct ChipTests {}
  }

  /// Adds the readers before the first test of a suite, and takes them away after the last one.
  struct ChipReaders: SuiteTrait, TestScoping {
    func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try ChipDesk.add()
      do {
        try await function()
      } catch {
        try ChipDesk.remove()
        throw error
      }
      try ChipDesk.remove()
    }
  }

  /// The readers with simulated chips in the pcscd of this process.
  enum ChipDesk {
    private static let added = Mutex<ReaderSlots?>(nil)

    static var slots: ReaderSlots {
      get throws { try #require(added.withLock { $0 }) }
    }

    static func add() throws {
      let slots = try ReaderSlots(in: Desk.pcscd)
      added.withLock { $0 = slots }
    }

    static func remove() throws {
      added.withLock { $0 = nil }
      try FileManager.default.removeItem(atPath: "\(Desk.pcscd.directory)/conf/chips")
      try Desk.pcscd.restart()
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
