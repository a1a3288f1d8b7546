import Foundation
import ISO7816
public import Links
import Testing

/// What a card at a chip is at when it ends.
public enum CardStage: CaseIterable, Sendable, CustomStringConvertible {
  case noTerminal, noCommand, computing

  /// The moment in words.
  public var description: String {
    switch self {
    case .noTerminal: "while it waits for a terminal"
    case .noCommand: "while it waits for a command"
    case .computing: "while it computes"
    }
  }
}

extension ChipContract {
  /// Brings a card into a state, does something to it, and tells with which error its link ends.
  public static func end(at moment: CardStage, by act: (ServedCard<Harness>) -> Void) throws -> LinkError? {
    let gate = ScriptedResponder.Gate()
    let card = try ServedCard(at: Harness.pair(), pace: moment == .computing ? .held(gate) : .prompt)
    // Not when the last thread lets go of the card: the next chips may have the same places.
    defer { card.harness.remove() }
    let terminal = moment == .noTerminal ? nil : try terminal(at: card)
    // The chip waits for a terminal or a command, and its host for the chip.
    if moment != .computing { usleep(200_000) }
    act(card)
    if moment == .computing { gate.open() }
    let error = linkError { () throws(LinkError) in try card.thread.join() }
    if moment != .noTerminal { #expect(card.journal.fieldEvents.last == .lost) }
    _ = terminal?.join()
    return error
  }

  /// A terminal on a thread of its own that has sent a command, and sends another one when the card has ended.
  private static func terminal(at card: ServedCard<Harness>) throws -> DedicatedThread<LinkError?, Never> {
    let device = try card.harness.open(0)
    let terminal = DedicatedThread(named: "terminal") { () -> LinkError? in
      linkError { () throws(LinkError) in
        var channel = try device.channel(responseTimeout: .seconds(3))
        _ = try channel.send(selection)
        while card.thread.result == nil { usleep(1_000) }
        _ = try channel.send(selection)
      }
    }
    try #require(card.journal.wait { $0.contains(.command(selection)) })
    return terminal
  }

  /// Expects that a card can be presented again, and answers.
  public static func expectUsable() throws {
    let card = try ServedCard(at: Harness.pair())
    var channel = try card.harness.open(0).channel()
    #expect(try channel.send(selection) == [0x6D, 0x00])
    channel.close()
    try card.takeOut()
  }
}
