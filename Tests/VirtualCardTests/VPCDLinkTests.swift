import ISO7816
import Links
import Octets
import TestSupport
import Testing
import VirtualCard

/// The link with a simulated vpcd. The tests run one after the other, since some measure time.
@Suite(.blocks, .serialized, .timeLimit(.minutes(20)))
struct VPCDLinkTests {
  @Test(arguments: ChannelContract.exchanges, [1, Int.max])
  func `a command and its response cross the link unchanged, however the stream is cut`(
    exchange: ChannelContract.Exchange, step: Int
  ) throws {
    let reader = SimulatedVPCD()
    let link = try VPCDLink(port: reader.port)
    let journal = ResponderJournal()
    let card = serving(link, ChannelContract.responder(journal: journal))
    reader.accept()
    reader.send([1])
    #expect(reader.exchange(exchange.command, step: step) == exchange.response)
    #expect(journal.entries == [.field(.powered), .command(exchange.command)])
    link.stop()
    try card.join()
    #expect(reader.receive() == nil)
  }

  @Test func `a response that is cut announces a byte that never comes`() throws {
    let reader = SimulatedVPCD()
    let link = try VPCDLink(port: reader.port)
    let card = serving(link, ScriptedResponder(journal: ResponderJournal()))
    reader.accept()
    #expect(reader.exchange([1, 2]) == [0x6D, 0x00])
    link.cutNextResponse()
    reader.send([0x00, 0xB2])
    #expect(reader.receiveRest() == [0x00, 0x03, 0x6D, 0x00])
    try card.join()
  }

  @Test func `each request for the answer to reset is answered, without an event for the card`() throws {
    let reader = SimulatedVPCD()
    let answerToReset = AnswerToReset.contactless(historicalBytes: [0x80, 0x01])
    let journal = ResponderJournal()
    let link = try VPCDLink(host: "localhost", port: reader.port, answerToReset: answerToReset)
    let card = serving(link, ScriptedResponder(journal: journal))
    reader.accept()
    for _ in 0..<3 { #expect(reader.exchange([4]) == answerToReset) }
    #expect(journal.entries.isEmpty)
    link.stop()
    try card.join()
  }

  @Test func `the card gets power and reset as events with the instants of the clock`() throws {
    let reader = SimulatedVPCD()
    let journal = ResponderJournal()
    let clock = ManualClock(at: Instant(nanoseconds: 11))
    let link = try VPCDLink(port: reader.port, clock: clock)
    let card = serving(link, ScriptedResponder(journal: journal))
    reader.accept()
    reader.send(raw: [1, 2, 0, 0, 2, 1].flatMap { SimulatedVPCD.frame([$0]) })
    #expect(journal.wait { $0.count == 5 })
    clock.advance(by: .nanoseconds(1))
    #expect(reader.exchange([0x80, 0xCA, 0x9F, 0x36, 0x00]) == [0x6D, 0x00])
    reader.leave()
    #expect(linkError { () throws(LinkError) in try card.join() }?.code == .terminalLost)
    #expect(journal.fieldEvents == [.powered, .reset, .lost, .powered, .reset, .lost])
    #expect(journal.instants.map(\.nanoseconds) == [11, 11, 11, 11, 11, 12, 12])
  }

  @Test(arguments: [([UInt8](), "a frame of 0 bytes"), ([0xAA], "a frame of 1 byte, 0xAA")])
  func `a frame that vpcd does not have is not answered and ends the link with an error`(
    payload: [UInt8], found: String
  ) throws {
    let reader = SimulatedVPCD()
    let link = try VPCDLink(port: reader.port)
    let journal = ResponderJournal()
    let card = serving(link, ScriptedResponder(journal: journal))
    reader.accept()
    #expect(reader.exchange([1, 2]) == [0x6D, 0x00])
    #expect(reader.exchange(payload) == nil)
    let error = linkError { () throws(LinkError) in try card.join() }
    #expect(error?.code == .protocolViolation)
    #expect(error?.reason.contains(found) == true, "\(error?.reason ?? "no error")")
    #expect(journal.entries == [.field(.powered), .command([1, 2]), .field(.lost)])
  }

  @Test func `a reader that leaves in the middle of a frame ends the link with one error`() throws {
    let reader = SimulatedVPCD()
    let link = try VPCDLink(port: reader.port)
    let card = serving(link, ScriptedResponder())
    reader.accept()
    reader.send(raw: [0x00, 0x05, 0x00, 0xA4])
    reader.leave()
    #expect(linkError { () throws(LinkError) in try card.join() }?.code == .terminalLost)
  }

  @Test func `a port without a driver is an error with a remedy`() throws {
    let port = SimulatedVPCD().port
    let link = try VPCDLink(port: port)
    let error = try #require(linkError { () throws(LinkError) in try serving(link, ScriptedResponder()).join() })
    #expect(error.code == .readerUnavailable)
    for part in ["127.0.0.1 port \(port)", "Connection refused", "apt-get install pcscd vsmartcard-vpcd"] {
      #expect(error.reason.contains(part))
    }
  }

  @Test func `an unknown host is an error that names it`() throws {
    let link = try VPCDLink(host: "no such host", port: 1)
    let error = try #require(linkError { () throws(LinkError) in try serving(link, ScriptedResponder()).join() })
    #expect(error.code == .readerUnavailable)
    #expect(error.reason.contains("\"no such host\""))
  }

  @Test func `a slot that accepts the connection and sends no request is busy`() throws {
    let reader = SimulatedVPCD()
    let link = try VPCDLink(port: reader.port, firstRequestTimeout: .milliseconds(50))
    #expect(linkError { () throws(LinkError) in try serving(link, ScriptedResponder()).join() }?.code == .busy)
  }

  /// Without TCP_QUICKACK each exchange takes 40 ms, so the fastest of ten shows the difference.
  @Test func `a payload in a second segment is not delayed by 40 ms`() throws {
    let reader = SimulatedVPCD()
    let link = try VPCDLink(port: reader.port)
    let card = serving(link, ScriptedResponder())
    reader.accept()
    // A new connection acknowledges each segment at once.
    for _ in 0..<40 { #expect(reader.exchange([0x80, 0xCA, 0x9F, 0x36, 0x00]) != nil) }
    let fastest = (0..<10).map { _ in
      ContinuousClock().measure {
        reader.sendInTwo([0x80, 0xCA, 0x9F, 0x36, 0x00])
        #expect(reader.receive() == [0x6D, 0x00])
      }
    }.min()
    #expect(fastest! < .milliseconds(30))
    link.stop()
    try card.join()
  }

  @Test func `after the first request the reader can be silent without a limit`() throws {
    let reader = SimulatedVPCD()
    let link = try VPCDLink(port: reader.port, firstRequestTimeout: .milliseconds(50))
    let card = serving(link, ScriptedResponder())
    reader.accept()
    #expect(reader.exchange([4]) != nil)
    #expect(try card.join(timeout: .milliseconds(200)) == nil)
    #expect(reader.exchange([4]) != nil)
    link.stop()
    try card.join()
  }
}
