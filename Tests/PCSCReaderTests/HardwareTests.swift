#if PCSC
  import Glibc
  import Links
  import Octets
  import PCSCReader
  import TestSupport
  import Testing

  extension RealReaderTests {
    /// The contract of a reader, at a virtual one and at the reader that the environment names (`AttachedHardware`).
    @Suite struct HardwareTests {
      @Test func `a virtual reader fulfils the contract of a reader`() throws {
        let card = try SharedPCSCD.present(ChannelContract.responder())
        let reader = try SharedPCSCD.reader()
        try HardwareContract.check { () throws(LinkError) in try PCSCChannel(reader: reader) }
        try card.takeOut()
      }

      // In a separate process, because the other tests of this one use a pcscd of their own.
      @Test(.enabled(if: AttachedHardware.reader("pcsc") != nil, "CONTACTLESS_READER names no attached pcsc: reader"))
      func `an attached reader fulfils the contract of a reader`() async {
        await #expect(processExitsWith: .success) {
          unsetenv("PCSCLITE_CSOCK_NAME")
          let selection = try PCSCService.readers(matching: #require(AttachedHardware.reader("pcsc")))
          let reader = try PCSCService.waitForCard(in: selection, timeout: .seconds(60))
          try HardwareContract.check { () throws(LinkError) in try PCSCChannel(reader: reader) }
        }
      }
    }
  }
#endif
