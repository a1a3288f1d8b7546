import Foundation
import ISO7816
import Links
import Octets
import ReaderSimulator
public import Testing

/// The requirements on each way to reach a PN532 chip, with the chip as a terminal and as a card. A new way makes its
/// `ChipHarness` and runs the same lists.
public struct ChipContract<Harness: ChipHarness>: Sendable, CustomTestStringConvertible {
  /// The requirement.
  public let testDescription: String
  /// Checks the requirement.
  public let check: @Sendable () throws -> Void

  init(_ name: String, _ check: @escaping @Sendable () throws -> Void) {
    testDescription = name
    self.check = check
  }
}

/// A command that the contract's card answers with 6D00.
let selection: [UInt8] = [0x00, 0x99, 0x00, 0x00]

extension ChipContract {
  /// The requirements on a chip as a card. The terminal is a second chip.
  public static var card: [ChipContract] {
    FieldTiming.Pacing.allCases.map { pacing in
      ChipContract("every APDU that fits is answered, pacing \(pacing)") { try answersEveryAPDU(pacing) }
    } + [
      ChipContract("after the loss of a field the card answers the next terminal", losesItsField),
      ChipContract("a card that computes for 400 ms asks for more time and its response arrives", takesItsTime),
      ChipContract("a link that is stopped before it is served presents no card", stopsBefore),
    ]
      + CardStage.allCases.flatMap { stage in
        [
          ChipContract("a card that is stopped \(stage) leaves, and the chips can be used again") {
            #expect(try end(at: stage) { $0.link.stop() } == nil)
            try expectUsable()
          },
          ChipContract("a device that is unplugged \(stage) ends the card with an error") {
            let error = try end(at: stage) { $0.harness.vanish() }
            #expect(error?.code == .readerUnavailable, "\(error?.reason ?? "none")")
            try expectUsable()
          },
        ]
      }
  }

  private static func answersEveryAPDU(_ pacing: FieldTiming.Pacing) throws {
    let card = try ServedCard(at: Harness.pair(timing: FieldTiming(pacing: pacing)), historicalBytes: [0x41, 0x42])
    var channel = try card.harness.open(0).channel()
    let (identity, identifier) = (channel.identity, channel.cardIdentifier)
    #expect(identity.answerToReset.hex.hasPrefix("3B8280014142"))
    #expect(identity.protocolName == "T=CL")
    #expect(identifier.count == 4 && identifier[0] == 0x08)
    let fitting = ChannelContract.exchanges.filter {
      $0.command.count <= Harness.longestCardCommand && $0.response.count <= Harness.longestCardResponse
    }
    #expect(fitting.count == Harness.cardExchangeCount)
    for exchange in fitting { #expect(try channel.send(exchange.command) == exchange.response) }
    #expect(card.journal.commands == fitting.map(\.command))
    channel.close()
    #expect(card.journal.wait { $0.last == .field(.deselected) }, "\(card.journal.fieldEvents)")
    #expect(card.journal.fieldEvents == [.powered, .deselected])
    try card.takeOut()
  }

  private static func losesItsField() throws {
    let card = try ServedCard(at: Harness.pair(timing: FieldTiming(waitingTimeDivisor: 4)))
    let device = try card.harness.open(0)
    var channel = try device.channel()
    #expect(try channel.send(selection) == [0x6D, 0x00])
    card.harness.setCoupled(false)
    #expect(card.journal.wait { $0.last == .field(.lost) }, "\(card.journal.entries)")
    channel.close()
    card.harness.setCoupled(true)
    for _ in 0..<2 {
      var next = try device.channel()
      #expect(try next.send(selection) == [0x6D, 0x00])
      next.close()
    }
    #expect(card.journal.wait { $0.filter { $0 == .field(.deselected) }.count == 2 }, "\(card.journal.entries)")
    #expect(card.journal.fieldEvents == [.powered, .lost, .powered, .deselected, .powered, .deselected])
    try card.takeOut()
  }

  private static func takesItsTime() throws {
    let card = try ServedCard(at: Harness.pair(), pace: .slow(.milliseconds(400)))
    var channel = try card.harness.open(0).channel()
    for exchange in ChannelContract.exchanges.prefix(2) {
      #expect(try channel.send(exchange.command) == exchange.response)
    }
    channel.close()
    try card.takeOut()
  }

  private static func stopsBefore() throws {
    let harness = try Harness.pair()
    defer { harness.remove() }
    let (device, terminal) = (try harness.open(1), try harness.open(0))
    let link = ChipLink(device)
    link.stop()
    let journal = ResponderJournal()
    try serving(link, ChannelContract.responder(journal: journal)).join()
    #expect(journal.entries.isEmpty)
    for _ in 0..<2 {
      let next = ChipLink(device)
      let thread = serving(next, ChannelContract.responder(journal: journal))
      var channel = try terminal.channel()
      #expect(try channel.send(selection) == [0x6D, 0x00])
      channel.close()
      next.stop()
      try thread.join()
    }
  }
}
