import Links
import NFCReader
import ReaderSimulator
import TestSupport
import Testing

extension LibNFCTests {
  /// The contract of a reader, at simulated chips and at the devices that the environment names (`AttachedHardware`).
  struct HardwareTests {
    private func check(reader: String) throws {
      let device = try NFCDevice(reader)
      try HardwareContract.check { () throws(LinkError) in try NFCChannel(device, timeout: .seconds(60)) }
    }

    private func check(reader: String, target: String) throws {
      let link = NFCLink(try NFCDevice(target))
      let card = serving(link, ChannelContract.responder())
      var channel = try NFCChannel(NFCDevice(reader), timeout: .seconds(60))
      try HardwareContract.checkExchanges(
        &channel, maximumCommandCount: NFCDevice.maximumCommandCount,
        maximumResponseCount: NFCDevice.maximumResponseCount)
      channel.close()
      link.stop()
      try card.join()
    }

    @Test func `a simulated chip fulfils the contract of a reader`() throws {
      let chips = try SimulatedChips(.card(ProximityIdentity()))
      try check(reader: chips.simulator.connstrings[0])
    }

    @Test func `two simulated chips fulfil the contract of a channel`() throws {
      let chips = try SimulatedChips(.pair)
      try check(reader: chips.simulator.connstrings[0], target: chips.simulator.connstrings[1])
    }

    @Test(.enabled(if: AttachedHardware.reader("nfc") != nil, "CONTACTLESS_READER names no attached nfc: device"))
    func `an attached NFC device fulfils the contract of a reader`() throws {
      try check(reader: #require(AttachedHardware.reader("nfc")))
    }

    @Test(
      .enabled(
        if: AttachedHardware.reader("nfc") != nil && AttachedHardware.target("nfc") != nil,
        "CONTACTLESS_READER and CONTACTLESS_TARGET name no two attached nfc: devices"))
    func `two attached NFC devices fulfil the contract of a channel`() throws {
      try check(reader: #require(AttachedHardware.reader("nfc")), target: #require(AttachedHardware.target("nfc")))
    }
  }
}
