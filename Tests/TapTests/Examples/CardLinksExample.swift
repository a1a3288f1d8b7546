#if PCSC
  import CardLinks
  import Links
  import TestSupport
  import Testing

  extension ExampleTests {
    @Test func `the article of CardLinks opens a link by its name`() async throws {
      let pcscd = try IsolatedPCSCD()
      let text = "vpcd:127.0.0.1:\(pcscd.port)"

      let kinds = [LinkKind.vpcd, .nfc { print($0) }]
      let name = try #require(NamedLink(text, among: kinds))
      let device = try await name.open()
      defer { device.close() }
      let link = try device.link { print("a terminal can reach the card") }

      link.stop()
      #expect(NamedLink("vpcd:127.0.0.1", among: kinds) == nil && NamedLink("radio:1", among: kinds) == nil)
    }
  }
#endif
