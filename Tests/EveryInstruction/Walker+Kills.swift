import CSingleStep
import EMVCard
import Glibc
import Octets

extension Walker {
  /// Kills the process of the card at a position, and pays once more in another process.
  ///
  /// - Parameters:
  ///   - position: The number of instructions before the kill; `length` for a response that has left.
  ///   - length: The number of instructions of the command in another run.
  /// - Returns: What must not happen; nil for nothing.
  func kill(_ position: Int, of length: Int, _ command: WalkedCommand, from template: CardPlace) throws -> String? {
    let place = try copy(of: template)
    defer { place.remove() }
    let card = try arm(place)
    try card.begin(command)
    let thread = try SteppedThread(card.thread)
    try thread.runToRead(of: card.descriptor)
    card.terminal.send(.command, command.command)
    try thread.step(to: position, of: length, before: card)
    if position >= length { try thread.step(1, responseAt: -1) }
    holder.kill()
    let first = LineProcess.waits(on: card.terminal.socket, milliseconds: 0) ? try card.terminal.response() : []
    holder = try LineProcess("hold")
    let again: ArmedCard
    do {
      again = try arm(place)
    } catch { return "the wallet pays no more: \(error)" }
    try again.begin(command)
    let second = try again.terminal.exchange(command.command)
    _ = try holder.ask("end")
    if position >= length, !WalkedCommand.isCryptogram(first) || WalkedCommand.isApproval(first) != command.isApproval {
      return "the response that has left is \(first.hex)"
    }
    return Self.fault(first, second, counter: command.image.applications[0].firstATC)
  }

  /// - Parameter counter: The counter of the use that was reserved when the process was killed.
  private static func fault(_ first: [UInt8], _ second: [UInt8], counter: UInt16) -> String? {
    if let other = WalkedCommand.counter(in: second), other <= counter { return "the counter \(other) is given twice" }
    let approvals = [first, second].filter(WalkedCommand.isApproval).count
    return approvals > 1 ? "\(approvals) offline approvals at a limit of 1" : nil
  }

  /// Kills a process that writes, before one of its writes, and looks at what it has left.
  ///
  /// - Parameters:
  ///   - count: The number of writes before the kill.
  ///   - change: The change; nil for the reservation of a use.
  /// - Returns: The number of writes that were made, which is below `count` when the process was killed before its reply,
  ///   and what must not happen.
  func killWriting(
    _ change: Change?, before count: Int, _ command: WalkedCommand, from template: CardPlace
  ) throws -> (writes: Int, fault: String?) {
    let place = try copy(of: template)
    defer { place.remove() }
    let listener = try SeatSocket.listen(at: place.link)
    defer { close(listener) }
    let process = try LineProcess(change == nil ? "hold" : "change")
    // Once the process has replied, its threads wait.
    _ = try process.ask("control \(place.folder)")
    guard step_trace(process.number) == 0 else { throw WalkFailure("cannot trace process \(process.number)") }
    try process.tell("\(change?.rawValue ?? "arm") \(place.folder)")
    let writes = step_kill_at_write(process.number, count, 1)
    guard writes >= 0 else {
      throw WalkFailure("the process was not killed: \(String(cString: strerror(Int32(-writes))))")
    }
    unlink(place.link)
    return (writes, try change.map { try fault(after: $0, place, command) } ?? faultAfterReservation(place, command))
  }

  /// A change that was killed can be made again, or is made; and then it holds.
  private func fault(after change: Change, _ place: CardPlace, _ command: WalkedCommand) throws -> String? {
    let reply = ChangeReply(line: try changer.ask("\(change.rawValue) \(place.folder)"))
    do {
      let card = try arm(place)
      try card.begin(command)
      let response = try card.terminal.exchange(command.command)
      _ = try holder.ask("end")
      return "the card pays (\(response.hex)) after the change was repeated: \(reply.line)"
    } catch { return nil }
  }

  /// The next use has another counter, or the reservation was not made and has left nothing.
  private func faultAfterReservation(_ place: CardPlace, _ command: WalkedCommand) throws -> String? {
    do {
      let card = try arm(place)
      try card.begin(command)
      let response = try card.terminal.exchange(command.command)
      _ = try holder.ask("end")
      guard let counter = WalkedCommand.counter(in: response) else { return "the next payment gives no cryptogram" }
      let first = command.image.applications[0].firstATC
      return counter - first > 1 ? "the next payment has the counter \(counter)" : nil
    } catch { return "the wallet pays no more: \(error)" }
  }
}
