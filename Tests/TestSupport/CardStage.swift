import Foundation
import ISO7816
public import Links
import Testing

/// What a card at a chip does when it is stopped.
public enum CardStage: CaseIterable, Sendable, CustomStringConvertible {
  case noTerminal, noCommand, computing

  /// The stage in words.
  public var description: String {
    switch self {
    case .noTerminal: "while it waits for a terminal"
    case .noCommand: "while it waits for a command"
    case .computing: "while it computes"
    }
  }
}

extension ChipContract {
  /// Brings a card to a stage, performs an action, and returns the error of its link.
  public static func end(at moment: CardStage, by act: (ServedCard<Harness>) -> Void) throws -> LinkError? {
    let gate = ScriptedResponder.Gate()
    let card = try ServedCard(at: Harness.pair(), pace: moment == .computing ? .held(gate) : .prompt)
    // At once, not in `deinit`: the next chips may use the same paths.
    defer { card.harness.remove() }
    let terminal = moment == .noTerminal ? nil : try terminal(at: card)
    // So that the chip waits for a terminal or a command.
    if moment != .computing { usleep(200_000) }
    act(card)
    if moment == .computing { gate.open() }
    let error = linkError { () throws(LinkError) in try card.thread.join() }
    if moment != .noTerminal { #expect(card.journal.fieldEvents.last == .lost) }
    _ = terminal?.join()
    return error
  }

  /// A terminal on its own thread. It sends one command, and a second one after the card has ended.
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

  /// Checks that a new card answers a new terminal.
  public static func expectUsable() throws {
    let card = try ServedCard(at: Harness.pair())
    var channel = try card.harness.open(0).channel()
    #expect(try channel.send(selection) == [0x6D, 0x00])
    channel.close()
    try card.takeOut()
  }
}
