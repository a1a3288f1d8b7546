import CSingleStep
import Foundation
import Glibc

/// Arms cards, each in a copy of a prepared wallet, and has the process that changes the wallets.
final class Walker: @unchecked Sendable {
  // @unchecked: one thread at a time uses it.
  private let scratch: String
  private let processor: Int
  /// Whether the page of withdrawals is taken away from a card that is stopped.
  let isControl: Bool
  private var count = 0
  /// Holds the armed card.
  var holder: LineProcess
  /// Makes the changes.
  let changer: LineProcess

  /// Starts the two processes.
  ///
  /// - Parameters:
  ///   - scratch: A folder for wallets.
  ///   - processor: The number of the processor on which this walker and the card run: a step then wakes no other one.
  ///   - isControl: Whether the page of withdrawals is taken away from a card that is stopped.
  init(in scratch: String, processor: Int, isControl: Bool) throws {
    (self.scratch, self.processor, self.isControl) = (scratch, processor, isControl)
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    holder = try LineProcess("hold")
    changer = try LineProcess("change")
    step_use_processor(holder.number, Int32(processor))
  }

  /// Called first by each thread that uses the walker.
  func enter() { step_use_processor(0, Int32(processor)) }

  /// Sets up the wallet of a command, of which each visit gets a copy.
  func prepare(_ command: WalkedCommand) async throws -> CardPlace {
    let place = next()
    try await place.setUp(command.image)
    return place
  }

  /// Copies a wallet. The caller removes the copy.
  func copy(of template: CardPlace) throws -> CardPlace {
    let place = next()
    try template.copy(to: place)
    return place
  }

  private func next() -> CardPlace {
    count += 1
    return CardPlace(folder: "\(scratch)/\(count)")
  }

  /// An armed card. Its thread serves a terminal.
  struct ArmedCard {
    let place: CardPlace
    let terminal: TerminalSide
    let thread: pid_t
    /// The descriptor of the card's end.
    let descriptor: Int32

    /// Sends what comes before a command.
    func begin(_ command: WalkedCommand) throws {
      var responses: [[UInt8]] = []
      for step in command.before {
        switch step {
        case .command(let command): responses.append(try terminal.exchange(command))
        case .following(let command): responses.append(try terminal.exchange(command(responses)))
        case .torn(let command): terminal.send(.tornCommand, command)
        }
      }
    }
  }

  /// Arms the card of a wallet.
  func arm(_ place: CardPlace) throws -> ArmedCard {
    let listener = try SeatSocket.listen(at: place.link)
    defer {
      close(listener)
      unlink(place.link)
    }
    let reply = try holder.ask("arm \(place.folder)").split(separator: " ")
    guard reply.count == 3, reply[0] == "armed", let thread = pid_t(reply[1]), let descriptor = Int32(reply[2]) else {
      throw WalkFailure("the card was not armed: \(reply.joined(separator: " "))")
    }
    return ArmedCard(
      place: place, terminal: try TerminalSide(accepting: listener), thread: thread, descriptor: descriptor)
  }

  /// Arms a copy of a card, sends what comes before a command, stops the card before it reads the command, and runs a work.
  func walk<Result>(
    _ command: WalkedCommand, _ template: CardPlace, _ work: (ArmedCard, SteppedThread) throws -> Result
  ) throws -> Result {
    let place = try copy(of: template)
    defer { place.remove() }
    let card = try arm(place)
    try card.begin(command)
    let thread = try SteppedThread(card.thread)
    try thread.runToRead(of: card.descriptor)
    card.terminal.send(.command, command.command)
    return try work(card, thread)
  }
}

extension SteppedThread {
  /// Goes to a position of a command.
  ///
  /// - Parameter length: The number of instructions of the command in another run.
  func step(to position: Int, of length: Int, before card: Walker.ArmedCard) throws(WalkFailure) {
    // A run may be a little shorter than another one: near the end each instruction is looked at.
    let known = min(position, max(length - 500, 0))
    try step(known, responseAt: card.terminal.socket)
    guard !LineProcess.waits(on: card.terminal.socket, milliseconds: 0) else { return }
    try step(atMost: position - known, beforeWriteTo: card.descriptor)
  }
}
