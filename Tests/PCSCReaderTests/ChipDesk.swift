#if PCSC
  import ISO7816
  import Links
  import PCSCReader
  import ReaderSimulator
  import Synchronization
  import TestSupport
  import Testing
  import VirtualCard

  extension RealReaderTests {
    /// All tests at readers with simulated chips. Only they see such readers in the pcscd of this process.
    @Suite(.serialized, AddedChips())
    struct ChipTests {}
  }

  /// Adds the readers before the first test of a suite, and takes them away after the last one.
  struct AddedChips: SuiteTrait, TestScoping {
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
      try Desk.pcscd.service.restart(readers: Array(Desk.pcscd.service.readers.prefix(1)))
    }

    static func open(_ number: Int = 0) throws -> ACR122Device {
      try ACR122Device(reader: slots.names[number], patience: .seconds(30))
    }
  }

  /// Two readers in one field, at the places that the pcscd of this process has for them.
  struct ChipReaders: ChipHarness {
    static var longestResponse: Int { ResponseAPDU.maximumCount }
    static var cardExchangeCount: Int { 4 }

    let readers: SimulatedReaders

    static func plug(
      _ layout: SimulatedField.Layout, timing: FieldTiming, faults: FieldFaultPlan, card: ScriptedResponder
    ) throws -> ChipReaders {
      ChipReaders(readers: try ChipDesk.slots.plug(layout, timing: timing, faults: faults, card: card))
    }

    func open(_ chip: Int) throws -> ACR122Device { try ChipDesk.open(chip) }

    func setCoupled(_ isCoupled: Bool) { readers.reader.setCoupled(isCoupled) }

    func vanish() { readers.reader.stop() }

    func remove() { try? readers.unplug() }
  }

  /// A card that is served at the second chip.
  typealias ServedChipCard = ServedCard<ChipReaders>

  extension ServedCard where Harness == ChipReaders {
    convenience init(
      _ card: ScriptedResponder? = nil, pace: ScriptedResponder.Pace = .prompt, driverTimeout: Duration? = nil,
      timing: FieldTiming = FieldTiming()
    ) throws {
      let readers = try ChipDesk.slots.plug(.pair, driverTimeout: driverTimeout, timing: timing)
      try self.init(at: ChipReaders(readers: readers), card, pace: pace)
    }
  }
#endif
