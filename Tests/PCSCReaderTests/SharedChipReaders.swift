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
    /// All tests at readers with simulated chips. Such readers are in the pcscd of this process only during this suite.
    @Suite(.serialized, AddedChips())
    struct ChipTests {}
  }

  /// Adds the readers before the first test of a suite, and removes them after the last one.
  struct AddedChips: SuiteTrait, TestScoping {
    func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try SharedChipReaders.add()
      do {
        try await function()
      } catch {
        try SharedChipReaders.remove()
        throw error
      }
      try SharedChipReaders.remove()
    }
  }

  /// The readers with simulated chips in the pcscd of this process.
  enum SharedChipReaders {
    private static let added = Mutex<ReaderSlots?>(nil)

    static var slots: ReaderSlots {
      get throws { try #require(added.withLock { $0 }) }
    }

    static func add() throws {
      let slots = try ReaderSlots(in: SharedPCSCD.pcscd)
      added.withLock { $0 = slots }
    }

    static func remove() throws {
      added.withLock { $0 = nil }
      try SharedPCSCD.pcscd.service.restart(readers: Array(SharedPCSCD.pcscd.service.readers.prefix(1)))
    }

    static func open(_ number: Int = 0) throws -> ACR122Device {
      try ACR122Device(reader: slots.names[number], patience: .seconds(30))
    }
  }

  /// Two readers in one field, in the slots that the pcscd of this process has for them.
  struct ChipReaders: ChipHarness {
    static var longestResponse: Int { ResponseAPDU.maximumCount }
    static var cardExchangeCount: Int { 4 }

    let readers: SimulatedReaders

    static func plug(
      _ layout: SimulatedField.Layout, timing: FieldTiming, faults: FieldFaultPlan, card: ScriptedResponder
    ) throws -> ChipReaders {
      ChipReaders(readers: try SharedChipReaders.slots.plug(layout, timing: timing, faults: faults, card: card))
    }

    func open(_ chip: Int) throws -> ACR122Device { try SharedChipReaders.open(chip) }

    func setCoupled(_ isCoupled: Bool) { readers.reader.setCoupled(isCoupled) }

    func vanish() { readers.reader.stop() }

    func remove() { try? readers.unplug() }

    func close(_ device: ACR122Device) { device.close(patience: .seconds(20)) }
  }

  /// A card that the second chip presents.
  typealias ServedChipCard = ServedCard<ChipReaders>

  extension ServedCard where Harness == ChipReaders {
    convenience init(
      _ card: ScriptedResponder? = nil, pace: ScriptedResponder.Pace = .prompt, driverTimeout: Duration? = .seconds(10),
      timing: FieldTiming = FieldTiming()
    ) throws {
      let readers = try SharedChipReaders.slots.plug(.pair, driverTimeout: driverTimeout, timing: timing)
      try self.init(at: ChipReaders(readers: readers), card, pace: pace)
    }
  }
#endif
