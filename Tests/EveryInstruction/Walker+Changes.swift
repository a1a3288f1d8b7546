extension Walker {
  /// Where the card's thread is before each instruction of a command, from the read of the command to the write of its
  /// response.
  func path(of command: WalkedCommand, from template: CardPlace) throws -> [SteppedThread.Place] {
    try walk(command, template) { card, thread in
      var path: [SteppedThread.Place] = []
      try thread.step(atMost: .max, beforeWriteTo: card.descriptor) { path.append($0) }
      _ = try thread.run(until: card.terminal.socket, milliseconds: 10_000)
      try thread.release()
      _ = try holder.ask("end")
      return path
    }
  }

  /// Lets the process of the cards answer a command once, which loads functions and types.
  func warmUp(_ command: WalkedCommand, from template: CardPlace) throws {
    let place = try copy(of: template)
    defer { place.remove() }
    let card = try arm(place)
    try card.begin(command)
    _ = try card.terminal.exchange(command.command)
    _ = try holder.ask("end")
  }

  /// Stops the card at a position, makes a change, and lets it go on.
  ///
  /// - Parameter length: The number of instructions of the command in another run.
  func visit(
    _ position: Int, of length: Int, _ command: WalkedCommand, from template: CardPlace, _ change: Change
  ) throws -> Visit {
    try walk(command, template) { card, thread in
      try thread.step(to: position, of: length, before: card)
      // A run that was shorter than the one whose length is known.
      let hasLeft = LineProcess.waits(on: card.terminal.socket, milliseconds: 0)
      try holder.stop(but: thread.number)
      if isControl { card.place.removePage() }
      let reply = ChangeReply(line: try changer.ask("\(change.rawValue) \(card.place.folder)"))
      // First the card alone, so that nothing which watches beside it can be faster.
      _ = try thread.run(until: card.terminal.socket, milliseconds: 20)
      holder.goOn()
      guard try thread.run(until: card.terminal.socket, milliseconds: 20_000, isStopped: false) else {
        throw WalkFailure("position \(position): no response within 20 s")
      }
      var visit = Visit(
        position: position, change: hasLeft ? .control : change, reply: hasLeft ? .acknowledged : reply,
        gaveCryptogram: WalkedCommand.isCryptogram(try card.terminal.response()))
      try thread.release()
      if let next = command.next {
        // What the device shows is older than a reading may be.
        if change.notice == .reading { _ = try holder.ask("advance 200") }
        visit.nextGave = WalkedCommand.isCryptogram(try card.terminal.exchange(next))
      }
      _ = try holder.ask("end")
      return visit
    }
  }
}
