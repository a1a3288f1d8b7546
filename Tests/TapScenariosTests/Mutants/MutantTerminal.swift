import EMVTerminal
import ISO7816
import Links
import Octets
import PaymentAcceptance
import TapScenarios

/// A mutant at its work.
struct MutantTerminal: TestedTerminal {
  let mutant: Mutant
  private let memory = MutantMemory()
  private let random: any RandomSource

  init(_ mutant: Mutant) { (self.mutant, random) = (mutant, mutant.random?() ?? SystemRandomSource()) }

  func pay<Field: CardField & ~Copyable>(
    _ request: PaymentRequest, _ equipment: TerminalEquipment, at field: inout Field
  ) -> PaymentResult {
    var equipment = equipment
    if let restarts = mutant.restarts { equipment.restarts.count = restarts }
    if let duration = mutant.restartDuration { equipment.restarts.duration = duration }
    let clock = equipment.clock
    memory.beginPayment()
    var wrapped = MutantField(
      base: field, mutant: mutant, memory: memory, clock: clock)
    let terminal = equipment.terminal(random: random)
    let result = terminal.result(of: request, at: &wrapped)
    // A terminal that has tried the payment again has taken the card that came back for this one.
    for _ in 1..<(wrapped.visits == 1 ? mutant.payments : 1) { _ = terminal.result(of: request, at: &wrapped) }
    field = wrapped.end()
    return result
  }
}

private struct MutantField<Base: CardField & ~Copyable>: CardField, ~Copyable {
  var base: Base
  let mutant: Mutant
  let memory: MutantMemory
  let clock: ManualClock
  /// How often a card has come.
  var visits = 0

  consuming func end() -> Base { base }

  mutating func nextCard<Visitor: CardVisitor & ~Copyable>(
    after hold: Duration, timeout: Duration, _ visitor: inout Visitor
  ) throws(LinkError) {
    var wrapped = MutantVisitor(base: visitor, mutant: mutant, memory: memory, clock: clock)
    do throws(LinkError) {
      try base.nextCard(after: hold, timeout: timeout, &wrapped)
      visitor = wrapped.end()
      visits += 1
    } catch {
      visitor = wrapped.end()
      throw error
    }
  }

  mutating func hasCardLeft(after error: LinkError) -> Bool { base.hasCardLeft(after: error) }
}

private struct MutantVisitor<Base: CardVisitor & ~Copyable>: CardVisitor, ~Copyable {
  var base: Base
  let mutant: Mutant
  let memory: MutantMemory
  let clock: ManualClock

  consuming func end() -> Base { base }

  mutating func fieldIsOn() { base.fieldIsOn() }

  mutating func visit<Channel: CardChannel & ~Copyable>(_ channel: inout Channel) {
    var wrapped = MutantChannel(base: channel, mutant: mutant, memory: memory, clock: clock)
    base.visit(&wrapped)
    channel = wrapped.end()
  }
}

private struct MutantChannel<Base: CardChannel & ~Copyable>: CardChannel, ~Copyable {
  var base: Base
  let mutant: Mutant
  let memory: MutantMemory
  let clock: ManualClock

  consuming func end() -> Base { base }

  var identity: CardIdentity { base.identity }

  mutating func close() { base.close() }

  mutating func transmit(_ command: Span<UInt8>, into response: inout MutableRawSpan) throws(LinkError) -> Int {
    let asked = command.array
    clock.advance(by: mutant.delay(asked))
    if let answer = mutant.answer(asked, memory) { return put(answer, into: &response) }
    let sent = mutant.command(asked, memory)
    let received = try exchange(sent)
    memory.learn(sent, received)
    let taken = mutant.response(received, sent, memory)
    for further in mutant.further(sent, received, memory) { _ = try exchange(further) }
    return put(taken, into: &response)
  }

  private mutating func exchange(_ command: [UInt8]) throws(LinkError) -> [UInt8] {
    var room = [UInt8](repeating: 0, count: ResponseAPDU.maximumCount)
    let begun = clock.now
    do throws(LinkError) {
      let count = try room.withMutableOctets { (room) throws(LinkError) in
        try base.transmit(command.span, into: &room)
      }
      if let patience = mutant.patience, clock.now - begun > patience {
        throw LinkError(.timedOut, "no response within \(patience)")
      }
      return Array(room[..<count])
    } catch {
      if let response = mutant.responseAtLoss(command) { return response }
      let end = room.lastIndex { $0 != 0 } ?? 0
      // What a lost response leaves behind is no longer than a status word.
      guard mutant.takesParts, end > 2 else { throw error }
      return room[...end] + [0x90, 0x00]
    }
  }

  private func put(_ octets: [UInt8], into response: inout MutableRawSpan) -> Int {
    response.copy(octets.span, to: 0)
    return octets.count
  }
}
