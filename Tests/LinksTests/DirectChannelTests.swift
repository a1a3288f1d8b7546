import ISO7816
import Links
import Octets
import TestSupport
import Testing

/// A card that allocates nothing: it returns P1 and P2, and counts the commands.
private struct EchoCard: CommandResponder, ~Copyable {
  var commandCount = 0
  var events: [FieldEvent] = []

  mutating func respond(to command: Span<UInt8>, at instant: Instant, into response: inout MutableRawSpan) -> Int {
    commandCount += 1
    guard command.count >= 4 else { return 0 }
    response.put(UInt16(command[2]) << 8 | UInt16(command[3]), at: 0)
    response.put(UInt16(0x9000), at: 2)
    return 4
  }

  mutating func fieldChanged(_ event: FieldEvent, at instant: Instant) {
    events.append(event)
  }
}

struct DirectChannelTests {
  @Test(arguments: ChannelContract.exchanges)
  func `a direct channel carries a command and its response unchanged`(exchange: ChannelContract.Exchange) throws {
    var channel = DirectChannel(ChannelContract.responder())
    #expect(try channel.exchange(exchange.apdu).encoded == exchange.response)
  }

  @Test(arguments: [ChannelContract.announced, ChannelContract.corrected])
  func `a response with 61xx or 6Cxx is assembled over a direct channel`(exchange: ChannelContract.Exchange) throws {
    var channel = DirectChannel(ChannelContract.responder())
    #expect(try channel.assembled(exchange.apdu).encoded == exchange.response)
  }

  @Test func `a direct channel powers its card when it opens, and switches the field off once when it closes`() throws {
    let journal = ResponderJournal()
    let clock = ManualClock(at: Instant(nanoseconds: 5))
    var channel = DirectChannel(ScriptedResponder(journal: journal), clock: clock)
    clock.advance(by: .nanoseconds(2))
    _ = try channel.exchange(.getData(0x9F36))
    channel.close()
    channel.close()
    #expect(journal.fieldEvents == [.powered, .lost])
    #expect(journal.instants.map(\.nanoseconds) == [5, 7, 7])
    #expect(linkError { () throws(LinkError) in _ = try channel.exchange(.getData(0x9F36)) }?.code == .cardRemoved)
    #expect(journal.commands.count == 1)
  }

  @Test func `a direct channel returns its card at the end`() throws {
    var channel = DirectChannel(EchoCard())
    let response = try channel.exchange(.getData(0x9F36))
    #expect(response == ResponseAPDU(data: [0x9F, 0x36]))
    let card = channel.end()
    #expect(card.commandCount == 1)
    #expect(card.events == [.powered, .lost])
  }

  @Test func `a responder that returns less than a status word traps`() async {
    await #expect(processExitsWith: .failure) {
      var channel = DirectChannel(EchoCard())
      var room = [UInt8](repeating: 0, count: 258)
      let command: [UInt8] = [0x00]
      _ = try room.withMutableOctets { (room) throws(LinkError) in try channel.transmit(command.span, into: &room) }
    }
  }
}
