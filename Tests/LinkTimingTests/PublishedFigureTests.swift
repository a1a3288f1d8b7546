import Testing

@testable import LinkTiming

/// Figures of the published measurements and documents that `LinkConstants` names, recomputed.
@Suite("Published figures of links")
struct PublishedFigureTests {
  /// Whether a time is a published one, whose last digit is rounded.
  static func agrees(_ time: Int64, _ microseconds: Double, within last: Double) -> Bool {
    abs(Double(time) / 1_000 - microseconds) <= last
  }

  @Test(arguments: [
    (BitRate.kbit106, 84.96), (.kbit212, 42.48), (.kbit424, 21.24), (.kbit848, 10.62),
  ])
  func `a byte takes nine bits of its bit rate`(_ rate: BitRate, _ microseconds: Double) {
    let time = (rate.readerFrame(1_001).least - rate.readerFrame(1).least) / 1_000
    #expect(Self.agrees(time, microseconds, within: 0.006), "\(time)")
  }

  @Test(arguments: [(1_236, 91.15), (1_172, 86.43), (5_524, 407.4), (9_388, 692.3), (6_780, 500), (524_288, 38_664)])
  func `cycles of the carrier are times`(_ cycles: Int64, _ microseconds: Double) {
    #expect(Self.agrees(CarrierCycles.time(cycles), microseconds, within: 0.4))
  }

  /// Reader frames, card frames and the card's time in milliseconds, as the notes on the Proxmark trace sum them up.
  @Test func `the frames of the recorded tap of a phone take 11.5 and 18.6 ms`() {
    let rate = BitRate.kbit106
    let waiting = [Int](repeating: 4, count: 4)
    let reader = ([2, 9, 4, 23, 16, 64] + waiting).reduce(0) { $0 + rate.readerFrame($1).least }
    let card = ([5, 3, 7, 49, 73, 65] + waiting).reduce(0) { $0 + rate.cardFrame($1).least }
    #expect(Self.agrees(reader, 11_500, within: 60))
    #expect(Self.agrees(card, 18_600, within: 60))
  }

  @Test func `a phone that computes 148.44 ms asks four times for more time, each 32.95 ms later`() {
    let wait = LinkConstants.frameWaitingTime.time.least * LinkConstants.waitingShare.least / 1_000
    #expect(Self.agrees(wait, 32_950, within: 15))
    #expect(LinkChain.extensions(148_440_000, share: 0) == 4)
    #expect(LinkChain.extensions(wait, share: 0) == 0)
    #expect(LinkChain.extensions(wait + 1, share: 0) == 1)
    #expect(LinkChain.extensions(0, share: 0) == 0)
  }

  @Test(arguments: [(BitRate.kbit106, 1_115.0), (.kbit212, 851), (.kbit424, 719), (.kbit848, 653)])
  func `a chained block adds its head, an acknowledgement and two waits`(_ rate: BitRate, _ microseconds: Double) throws
  {
    var chain = LinkChain()
    chain.rate = rate
    let time = { (count: Int) in
      chain.parts(of: ModelledExchange(name: "A", commandCount: count, responseCount: 2)).whole
    }
    let (one, two) = (time(61), time(62))
    let byte = rate.readerFrame(2).least - rate.readerFrame(1).least
    #expect(Self.agrees(two.least - one.least - byte, microseconds, within: 0.7))
    // The waits of the Proxmark trace, 692 and 407 us.
    if rate == .kbit106 { #expect(Self.agrees(two.most - one.most - byte, 1_628, within: 0.7)) }
  }

  @Test(arguments: [
    (115_200, 20, 64, 9.55), (230_400, 20, 64, 4.77), (460_800, 20, 64, 2.39), (921_600, 20, 64, 1.19),
    (115_200, 16, 256, 26.1), (230_400, 16, 256, 13.1), (460_800, 16, 256, 6.5), (921_600, 16, 256, 3.3),
  ])
  func `InDataExchange on a serial line`(_ rate: Int, _ command: Int, _ response: Int, _ milliseconds: Double) {
    let exchange = ModelledExchange(name: "A", commandCount: command, responseCount: response)
    let time = ModelledReader.pn532UART(bitsPerSecond: rate).line(exchange)
    #expect(time.least == time.most)
    #expect(Self.agrees(time.least, milliseconds * 1_000, within: 70), "\(time)")
  }

  @Test(arguments: [(20, 1), (64, 2), (118, 3), (256, 5)])
  func `a CCID message has the packets that libnfc sends`(_ count: Int, _ packets: Int) {
    // The other direction has one packet.
    let exchange = ModelledExchange(name: "A", commandCount: count, responseCount: 2)
    #expect(ModelledReader.acr1252u.line(exchange).least == LinkConstants.usbPacket.time.least * Int64(packets + 1))
  }

  @Test func `a signature of 1152 bits takes 18 to 108 ms`() {
    let time = SignatureTime.range(bits: 1_152)
    #expect(Self.agrees(time.least, 18_000, within: 100) && Self.agrees(time.most, 107_700, within: 100))
    #expect(SignatureTime.range(bits: 512) == SignatureTime.range(bits: 896))
    #expect(SignatureTime.range(bits: 1_024) == TimeRange(15_000_000, 81_900_000))
    #expect(SignatureTime.range(bits: 4_096) == SignatureTime.range(bits: 1_984))
  }

  @Test func `every constant has a name, a source and an ordered range, once`() {
    let all = LinkConstants.all
    #expect(Set(all.map(\.name)).count == all.count)
    for constant in all { #expect(!constant.source.isEmpty && constant.least <= constant.most, "\(constant.name)") }
    // An assumption is a range, or it is a size.
    for constant in all where constant.grade == .assumed {
      #expect(constant.least < constant.most || constant.unit == .bytes, "\(constant.name)")
    }
  }
}
