import Dispatch
import ISO7816
import Links
import Octets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct LoopbackEndTests {
  @Test func `a terminal that connects first waits for the card`() throws {
    let loopback = Loopback()
    let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> ResponseAPDU in
      var channel = try loopback.connect(timeout: .seconds(60))
      return try channel.exchange(.getData(0x9F36))
    }
    #expect(try terminal.join(timeout: .milliseconds(50)) == nil)
    let card = serving(loopback, ChannelContract.responder())
    #expect(try terminal.join().status == .instructionNotSupported)
    loopback.stop()
    try card.join()
  }

  @Test(arguments: [Duration.zero, .milliseconds(20)])
  func `a terminal without a card times out`(timeout: Duration) {
    let loopback = Loopback()
    #expect(linkError { () throws(LinkError) in _ = try loopback.connect(timeout: timeout) }?.code == .timedOut)
    #expect(linkError { () throws(LinkError) in _ = try loopback.connect(timeout: timeout) }?.code == .timedOut)
  }

  @Test func `a second terminal is refused while the first is connected, and connects afterwards`() throws {
    let loopback = Loopback()
    let card = serving(loopback, ChannelContract.responder())
    var first = try loopback.connect(timeout: .seconds(60))
    #expect(linkError { () throws(LinkError) in _ = try loopback.connect(timeout: .seconds(60)) }?.code == .busy)
    #expect(try first.exchange(.getData(0x9F36)).status == .instructionNotSupported)
    first.close()
    #expect(linkError { () throws(LinkError) in _ = try loopback.connect(timeout: .zero) } == nil)
    loopback.stop()
    try card.join()
  }

  @Test func `a second card is refused while the first is in the field`() throws {
    let loopback = Loopback()
    let card = serving(loopback, ChannelContract.responder())
    _ = try loopback.connect(timeout: .seconds(60))
    #expect(throws: LinkError(.busy, "")) { try serving(loopback, ChannelContract.responder()).join() }
    loopback.stop()
    try card.join()
  }

  @Test func `a terminal that waits for a response gets cardRemoved when the card is removed`() throws {
    let loopback = Loopback()
    let journal = ResponderJournal()
    let gate = ScriptedResponder.Gate()
    let card = serving(loopback, ChannelContract.responder(pace: .held(gate), journal: journal))
    let terminal = DedicatedThread(named: "terminal") { () throws(LinkError) -> LinkError? in
      var channel = try loopback.connect(timeout: .seconds(60))
      let first = linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }
      let second = linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }
      return first == second ? first : nil
    }
    #expect(journal.wait { $0.count == 2 })
    loopback.stop()
    #expect(try terminal.join()?.code == .cardRemoved)
    #expect(card.result == nil)
    gate.open()
    try card.join()
    #expect(journal.fieldEvents == [.powered, .lost])
  }

  @Test func `a terminal that waits for a card gets cardRemoved when the link is stopped`() {
    let loopback = Loopback()
    let terminal = DedicatedThread(named: "terminal") {
      linkError { () throws(LinkError) in _ = try loopback.connect(timeout: .seconds(60)) }
    }
    #expect(terminal.join(timeout: .milliseconds(50)) == nil)
    loopback.stop()
    #expect(terminal.join()?.code == .cardRemoved)
    #expect(linkError { () throws(LinkError) in _ = try loopback.connect(timeout: .seconds(60)) }?.code == .cardRemoved)
  }

  @Test func `a late response never reaches the next terminal`() throws {
    let loopback = Loopback(responseTimeout: .milliseconds(500))
    let journal = ResponderJournal()
    let gate = ScriptedResponder.Gate()
    let card = serving(loopback, ChannelContract.responder(pace: .held(gate), journal: journal))
    var first = try loopback.connect(timeout: .seconds(60))
    let slow = try ChannelContract.exchanges[0].apdu
    #expect(linkError { () throws(LinkError) in _ = try first.exchange(slow) }?.code == .timedOut)
    #expect(linkError { () throws(LinkError) in _ = try first.exchange(slow) }?.code == .timedOut)
    var second = try loopback.connect(timeout: .seconds(60))
    gate.open()
    #expect(journal.wait { $0.last == .field(.powered) && $0.count == 4 })
    #expect(try second.exchange(.getData(0x9F36)).status == .instructionNotSupported)
    loopback.stop()
    try card.join()
    #expect(journal.fieldEvents == [.powered, .lost, .powered, .lost])
  }

  @Test func `a loopback can be stopped several times, and serves no card afterwards`() throws {
    let loopback = Loopback()
    let journal = ResponderJournal()
    let card = serving(loopback, ChannelContract.responder(journal: journal))
    _ = try loopback.connect(timeout: .seconds(60))
    for _ in 0..<3 { loopback.stop() }
    try card.join()
    try serving(loopback, ChannelContract.responder(journal: journal)).join()
    let untouched = Loopback()
    untouched.stop()
    try serving(untouched, ChannelContract.responder(journal: journal)).join()
    #expect(journal.commands.isEmpty)
  }

  @Test(arguments: [(65_544, true), (65_545, false)])
  func `a command of 65545 bytes is refused`(count: Int, fits: Bool) throws {
    let loopback = Loopback()
    let card = serving(loopback, ScriptedResponder())
    var channel = try loopback.connect(timeout: .seconds(60))
    let command = [UInt8](repeating: 0, count: count)
    var room = [UInt8](repeating: 0, count: 258)
    let failure = linkError { () throws(LinkError) in
      let length = try room.withMutableOctets { (room) throws(LinkError) in
        try channel.transmit(command.span, into: &room)
      }
      #expect(length == 2)
    }
    #expect(failure?.code == (fits ? nil : .transmissionFailed))
    loopback.stop()
    try card.join()
  }

  @Test func `a response that does not fit is an error, not a trap`() throws {
    let loopback = Loopback()
    let card = serving(loopback, ChannelContract.responder())
    var channel = try loopback.connect(timeout: .seconds(60))
    let command = ChannelContract.exchanges[3].command
    var room = [UInt8](repeating: 0, count: 257)
    let failure = linkError { () throws(LinkError) in
      _ = try room.withMutableOctets { (room) throws(LinkError) in try channel.transmit(command.span, into: &room) }
    }
    #expect(failure?.code == .transmissionFailed)
    loopback.stop()
    try card.join()
  }
}
