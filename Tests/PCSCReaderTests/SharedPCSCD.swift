#if PCSC
  import Glibc
  import Links
  import PCSCReader
  import TestSupport
  import Testing
  import VirtualCard

  /// All tests that use a pcscd of this process, one after the other: they share it, because libpcsclite reads the name
  /// of its socket once per process.
  @Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
  struct RealReaderTests {}

  /// The pcscd of this process, with a reader of two slots.
  enum SharedPCSCD {
    private static let started = Result<IsolatedPCSCD, any Error> {
      let pcscd = try IsolatedPCSCD()
      for (name, value) in pcscd.environment { setenv(name, value, 1) }
      // A constant is never released.
      atexit { try? SharedPCSCD.pcscd.close() }
      return pcscd
    }

    static var pcscd: IsolatedPCSCD {
      get throws { try started.get() }
    }

    static func reader(_ slot: Int = 0) throws -> String { try pcscd.readerNames[slot] }

    static func link(_ slot: Int = 0, answerToReset: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]) throws -> VPCDLink {
      try VPCDLink(port: pcscd.port + UInt16(slot), answerToReset: answerToReset)
    }

    /// Presents a card and waits until pcscd reports it.
    static func present(_ responder: ScriptedResponder, in slot: Int = 0) throws -> PresentedCard {
      let link = try link(slot)
      let card = PresentedCard(link: link, thread: serving(link, responder))
      _ = try PCSCMonitor().waitForCard(in: reader(slot), timeout: .seconds(30))
      return card
    }

    /// Waits until pcscd reports a slot as empty.
    static func waitUntilEmpty(_ slot: Int = 0) throws {
      let monitor = try PCSCMonitor()
      let reader = try reader(slot)
      let end = ContinuousClock.now + .seconds(20)
      while try PCSCService.readers().contains(where: { $0.name == reader && $0.card != nil }) {
        // WORKAROUND: pcscd 1.9.9: a card that is powered up at the moment of its removal is reported as present
        // without end ("Error powering up card" in its log).
        if ContinuousClock.now > end { return try pcscd.restart() }
        _ = try monitor.next(timeout: .seconds(1))
      }
    }
  }

  /// A card in the reader.
  struct PresentedCard {
    let link: VPCDLink
    let thread: DedicatedThread<Void, LinkError>

    /// Removes the card, and waits until pcscd reports that.
    func takeOut(of slot: Int = 0) throws {
      link.stop()
      try thread.join()
      try SharedPCSCD.waitUntilEmpty(slot)
    }
  }
#endif
