#if PCSC
  import EMVTerminal
  import Fixtures
  import Links
  import PaymentAcceptance
  import ReaderKinds
  import TestSupport
  import Testing

  extension ExampleTests {
    // In a process of its own: libpcsclite reads the name of its socket once, and other tests have a pcscd of their own.
    @Test func `the article of ReaderKinds names a reader`() async {
      await #expect(processExitsWith: .success) {
        let configuration = try TerminalConfiguration(json: Fixtures.data("Terminals/attended-eur.json"))
        let terminal = PaymentAcceptance(
          configuration: configuration, host: NoHost(), restarts: RestartLimits(duration: .milliseconds(1)))
        let request = try PaymentOrder(amount: "12.34", currency: "EUR").request(at: configuration)
        // Without a pcscd of its own this process finds no such reader.
        await #expect(throws: LinkError.self) {
          let reader = try ReaderKind.reader("pcsc:Contactless Lab")
          let receipt = try await terminal.accept(request, at: reader)
          print(receipt.outcome.kind)
        }
        #expect(throws: LinkError.self) { try ReaderKind.reader("radio:1") }
      }
    }

    @Test func `the article of ReaderKinds opens a link by its name`() async throws {
      let pcscd = try IsolatedPCSCD()
      let name = "vpcd:127.0.0.1:\(pcscd.port)"

      let device = try await LinkKind.open(name)
      defer { device.close() }
      let link = try device.link { print("a terminal can reach the card") }

      link.stop()
      #expect(NamedLink("vpcd:127.0.0.1") == nil && NamedLink("radio:1") == nil)
    }
  }
#endif
