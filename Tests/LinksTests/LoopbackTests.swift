import Dispatch
import ISO7816
import Links
import Octets
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(20)))
struct LoopbackContractTests {
  @Test(arguments: ChannelContract.exchanges)
  func `a loopback carries a command and its response unchanged`(exchange: ChannelContract.Exchange) throws {
    let loopback = Loopback()
    let journal = ResponderJournal()
    let card = serving(loopback, ChannelContract.responder(journal: journal))
    var channel = try loopback.connect(timeout: .seconds(60))
    let response = try channel.exchange(exchange.apdu)
    #expect(response.encoded == exchange.response)
    #expect(journal.commands == [exchange.command])
    channel.close()
    loopback.stop()
    try card.join()
  }

  @Test(arguments: [ChannelContract.announced, ChannelContract.corrected])
  func `a loopback leaves 61xx and 6Cxx to the assembly above it`(exchange: ChannelContract.Exchange) throws {
    let loopback = Loopback()
    let card = serving(loopback, ChannelContract.responder())
    var channel = try loopback.connect(timeout: .seconds(60))
    let command = try exchange.apdu
    #expect(try channel.exchange(command).encoded != exchange.response)
    #expect(try channel.assembled(command).encoded == exchange.response)
    loopback.stop()
    try card.join()
  }

  @Test func `2000 commands on a loopback get their own responses`() throws {
    let loopback = Loopback()
    let card = serving(loopback, ChannelContract.responder())
    var channel = try loopback.connect(timeout: .seconds(60))
    for round in 0..<2_000 {
      let exchange = ChannelContract.exchanges[round % ChannelContract.exchanges.count]
      let response = try channel.exchange(exchange.apdu)
      try #require(response.encoded == exchange.response)
    }
    loopback.stop()
    try card.join()
  }

  @Test func `a terminal on a loopback has its response before the card does what follows it`() throws {
    let (loopback, calls, gate) = (Loopback(), CountingResponder.Calls(), ScriptedResponder.Gate())
    let card = DedicatedThread(named: "card") { () throws(LinkError) in
      var responder = CountingResponder(calls, gate: gate)
      try loopback.serve(&responder)
    }
    var channel = try loopback.connect(timeout: .seconds(60))
    #expect(try channel.exchange(.getData(0x9F36)).status == .ok)
    #expect(calls.count == 0)
    gate.open()
    channel.close()
    loopback.stop()
    try card.join()
    #expect(calls.count == 1)
  }

  @Test func `a card on a loopback receives power, reset and loss of the field`() throws {
    let loopback = Loopback()
    let journal = ResponderJournal()
    let card = serving(loopback, ChannelContract.responder(journal: journal))
    let select = try ChannelContract.exchanges[0].apdu
    var first = try loopback.connect(timeout: .seconds(60))
    _ = try first.exchange(select)
    first.reset()
    _ = try first.exchange(select)
    first.close()
    first.close()
    var second = try loopback.connect(timeout: .seconds(60))
    _ = try second.exchange(select)
    loopback.stop()
    try card.join()
    let command = ResponderJournal.Entry.command(select.encoded)
    #expect(
      journal.entries == [
        .field(.powered), command, .field(.reset), command, .field(.lost), .field(.powered), command, .field(.lost),
      ])
  }

  @Test func `releasing a channel switches the field off`() throws {
    let loopback = Loopback()
    let journal = ResponderJournal()
    let card = serving(loopback, ChannelContract.responder(journal: journal))
    do {
      let channel = try loopback.connect(timeout: .seconds(60))
      #expect(channel.identity == .contactless)
    }
    #expect(journal.wait { $0 == [.field(.powered), .field(.lost)] })
    loopback.stop()
    try card.join()
  }

  @Test func `the instants of a loopback come from its clock`() throws {
    let clock = ManualClock(at: Instant(nanoseconds: 7))
    let loopback = Loopback(clock: clock)
    let journal = ResponderJournal()
    let card = serving(loopback, ChannelContract.responder(journal: journal))
    var channel = try loopback.connect(timeout: .seconds(60))
    #expect(journal.wait { $0.count == 1 })
    clock.advance(by: .milliseconds(1))
    _ = try channel.exchange(.getData(0x9F36))
    loopback.stop()
    try card.join()
    #expect(journal.instants.map(\.nanoseconds) == [7, 1_000_007, 1_000_007])
  }
}
