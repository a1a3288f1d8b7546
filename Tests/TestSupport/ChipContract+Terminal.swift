import Foundation
import ISO7816
public import Links
import Octets
import ReaderSimulator
import Testing

extension ChipContract {
  /// The requirements on a chip as a terminal, with a card in its field.
  public static var terminal: [ChipContract] {
    [
      ChipContract("every APDU that fits arrives, and the field is off after the channel is closed", sendsEveryAPDU),
      ChipContract("a search without a card ends in time, and a card that comes during it is found", waitsForACard),
      ChipContract("a card that leaves between two commands is removed, and the next one is found", losesItsCard),
      ChipContract("a response after the timeout closes the channel", exceedsTheTimeout),
      ChipContract("a card of type B is found, answers, and is found again", findsTypeB),
      ChipContract("cards of both types are two cards, at each search", findsBothTypes),
      ChipContract("a device that is unplugged during a command is an error, and works when it is back", vanishes),
    ]
      + identities.map { identifier, answer, reset in
        ChipContract("a card's identifier of \(identifier.count) bytes and its historical bytes are reported") {
          try tells(identifier, answer, reset)
        }
      }
      + [0, 253, 254, 255, 256, 262, 263, 300, 65_000].filter { $0 == 0 || $0 > Harness.Host.maximumCommandCount }
      .map { count in
        ChipContract("a command of \(count) bytes is refused with its length, and the device can be used again") {
          try refuses(count)
        }
      }
      + (2...5).map { frame in
        ChipContract("a card that leaves during a command, at frame \(frame), is removed") {
          try isTorn(at: frame)
        }
      }
  }

  private static func sendsEveryAPDU() throws {
    let journal = ResponderJournal()
    let harness = try Harness.card(responder: ChannelContract.responder(journal: journal))
    defer { harness.remove() }
    let fitting = ChannelContract.exchanges.filter {
      $0.command.count <= Harness.longestCommand && $0.response.count <= Harness.longestResponse
    }
    #expect(fitting.count == Harness.terminalExchangeCount)
    var channel = try harness.open(0).channel()
    for exchange in fitting { #expect(try channel.send(exchange.command) == exchange.response) }
    for exchange in [ChannelContract.announced, ChannelContract.corrected] {
      #expect(try channel.assembled(exchange.apdu).encoded == exchange.response)
    }
    #expect(Array(journal.commands.prefix(fitting.count)) == fitting.map(\.command))
    channel.close()
    #expect(journal.wait { $0.last == .field(.lost) })
    #expect(linkError { () throws(LinkError) in _ = try channel.send(selection) }?.code == .cardRemoved)
  }

  /// The UID, the ATS, and the start of the answer to reset that is made of them.
  private static var identities: [([UInt8], [UInt8], String)] {
    [
      ([0x08, 0x5A, 0xC3, 0x1E], [0x05, 0x78, 0x80, 0x70, 0x02], "3B808001"),
      ([0x04, 1, 2, 3, 4, 5, 6], [0x08, 0x78, 0x80, 0x70, 0x02, 0x41, 0x42, 0x43], "3B838001414243"),
      ([0x04, 1, 2, 3, 4, 5, 6, 7, 8, 9], [0x01], "3B808001"),
    ]
  }

  private static func tells(_ identifier: [UInt8], _ answer: [UInt8], _ reset: String) throws {
    let harness = try Harness.card(ProximityIdentity(identifier: identifier, answerToSelect: answer))
    defer { harness.remove() }
    let channel = try harness.open(0).channel()
    let (found, identity) = (channel.cardIdentifier, channel.identity)
    #expect(found == identifier)
    #expect(identity.answerToReset.hex.hasPrefix(reset), "\(identity.answerToReset.hex)")
    #expect(identity.protocolName == "T=CL")
  }

  private static func findsTypeB() throws {
    let harness = try Harness.plug(
      .cardOfTypeB(TypeBIdentity()), timing: FieldTiming(), faults: .none, card: ChannelContract.responder())
    defer { harness.remove() }
    let device = try harness.open(0)
    for _ in 0..<2 {
      var channel = try device.channel()
      #expect(try channel.send(selection) == [0x6D, 0x00])
      let (found, identity) = (channel.cardIdentifier, channel.identity)
      #expect(found == TypeBIdentity().identifier)
      #expect(identity.answerToReset.hex.hasPrefix("3B8880010000000000818100"), "\(identity.answerToReset.hex)")
    }
  }

  private static func findsBothTypes() throws {
    let harness = try Harness.plug(
      .cards(ProximityIdentity(), TypeBIdentity()), timing: FieldTiming(), faults: .none,
      card: ChannelContract.responder())
    defer { harness.remove() }
    let device = try harness.open(0)
    for _ in 0..<2 {
      let error = linkError { () throws(LinkError) in _ = try device.channel() }
      #expect(error?.code == .severalCards, "\(error?.reason ?? "one card")")
    }
  }

  private static func refuses(_ count: Int) throws {
    let harness = try Harness.card()
    defer { harness.remove() }
    let device = try harness.open(0)
    var channel = try device.channel()
    let error = linkError { () throws(LinkError) in _ = try channel.send([UInt8](repeating: 0, count: count)) }
    #expect(error?.code == .transmissionFailed)
    #expect(error?.reason.contains("\(count) bytes") == true, "\(error?.reason ?? "")")
    var next = try device.channel()
    #expect(try next.send(selection) == [0x6D, 0x00])
  }

  private static func waitsForACard() throws {
    let harness = try Harness.card()
    defer { harness.remove() }
    harness.setCoupled(false)
    let device = try harness.open(0)
    let missing = linkError { () throws(LinkError) in _ = try device.channel(timeout: .milliseconds(300)) }
    #expect(missing?.code == .timedOut)
    let coming = DedicatedThread(named: "card") {
      // Longer than one attempt of a chip.
      usleep(200_000)
      harness.setCoupled(true)
    }
    var channel = try device.channel()
    #expect(try channel.send(selection) == [0x6D, 0x00])
    coming.join()
  }

  private static func losesItsCard() throws {
    let harness = try Harness.card(timing: FieldTiming(waitingTimeDivisor: 4))
    defer { harness.remove() }
    let device = try harness.open(0)
    var channel = try device.channel()
    #expect(try channel.send(selection) == [0x6D, 0x00])
    harness.setCoupled(false)
    for _ in 0..<2 {
      #expect(linkError { () throws(LinkError) in _ = try channel.send(selection) }?.code == .cardRemoved)
    }
    harness.setCoupled(true)
    var next = try device.channel()
    #expect(try next.send(selection) == [0x6D, 0x00])
  }

  private static func isTorn(at frame: Int) throws {
    let harness = try Harness.card(
      timing: FieldTiming(waitingTimeDivisor: 4), faults: .at([frame: .tear(absence: nil)]))
    defer { harness.remove() }
    let device = try harness.open(0)
    var channel = try device.channel()
    let error = linkError { () throws(LinkError) in for _ in 0..<3 { _ = try channel.send(selection) } }
    #expect(error?.code == .cardRemoved)
    let nothing = linkError { () throws(LinkError) in _ = try device.channel(timeout: .milliseconds(100)) }
    #expect(nothing?.code == .timedOut)
  }

  private static func exceedsTheTimeout() throws {
    let harness = try Harness.card(responder: ChannelContract.responder(pace: .slow(.milliseconds(700))))
    defer { harness.remove() }
    let device = try harness.open(0)
    var channel = try device.channel(responseTimeout: .milliseconds(200))
    for _ in 0..<2 {
      #expect(linkError { () throws(LinkError) in _ = try channel.send(selection) }?.code == .timedOut)
    }
    var next = try device.channel()
    // This is the response to this command, not the late response to the last one.
    #expect(try next.send([0x00, 0x70, 0x00, 0x00]) == [0x69, 0x85])
  }

  private static func vanishes() throws {
    let error = try end { $0.vanish() }
    #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
    try expectUsable()
  }

  /// Performs an action on the chips while a card processes a command, and returns the terminal's error.
  public static func end(by act: (Harness) -> Void) throws -> LinkError? {
    let (gate, journal) = (ScriptedResponder.Gate(), ResponderJournal())
    let harness = try Harness.card(responder: ChannelContract.responder(pace: .held(gate), journal: journal))
    defer { harness.remove() }
    let device = try harness.open(0)
    let terminal = DedicatedThread(named: "terminal") { () -> LinkError? in
      linkError { () throws(LinkError) in
        var channel = try device.channel()
        _ = try channel.send(selection)
      }
    }
    try #require(journal.wait { $0.contains(.command(selection)) })
    act(harness)
    gate.open()
    return terminal.join()
  }
}
