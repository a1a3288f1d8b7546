import Links
import ReaderSimulator
import Testing
import USBSimulator

extension ExampleTests {
  @Test func `the article of USBSimulator: a card in a reader on a bus`() throws {
    let bus = try SimulatedUSBBus()
    let reader = SimulatedUSBDevice.reader(USBDescription(vendor: 0x072F, product: 0x223B, interfaces: []))
    try bus.plug(reader)
    let link = reader.link()
    let card = DedicatedThread(named: "card") { () throws(LinkError) in
      var greeter = Greeter()
      try link.serve(&greeter)
    }

    #expect(bus.environment["UMOCKDEV_DIR"] != nil)
    link.stop()
    try card.join()
    bus.unplug(reader)
    bus.close()
  }

  @Test func `the article of USBSimulator: a chip in a field`() throws {
    let reader = try SimulatedUSBDevice.chip(USBDescription(vendor: 0x04E6, product: 0x5591, interfaces: []))
    let field = try ReaderSimulator(.card(ProximityIdentity()), of: [reader])

    #expect(reader.hasChip)
    field.stop()
    try field.run()
  }
}
