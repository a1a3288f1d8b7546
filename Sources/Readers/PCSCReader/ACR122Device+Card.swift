internal import ISO7816
public import Links

/// Is a card for a terminal, through the PN532 of an ACR122 reader.
///
/// Readers and drivers do not wait for a terminal for ever: an ACR122U gives up after 5 s, libccid after 3 s. The card
/// is then presented again at once; a terminal that comes in between has to try again.
///
/// Nothing interrupts the call with which the chip waits for a terminal, so after `stop()` the chip can still be
/// selected until it ends by itself or a terminal comes, but answers nothing, and the device takes no other role.
public typealias ACR122Link = ChipLink<ACR122Device>

extension ACR122Device: ChipHost {
  /// The reader's full PC/SC name.
  public var name: String { reader }

  /// Sets the chip up for a role.
  public func prepare(for role: ChipRole) throws(LinkError) {
    let commands =
      switch role {
      case .terminal: PN532Initiator.preparation
      case .card: PN532Target.preparation
      }
    for command in commands { _ = try run(command) }
  }

  /// Is a card until a terminal has selected it, for as long as the reader waits.
  public func awaitTerminal(identifier: [UInt8], historicalBytes: [UInt8]) throws(LinkError) -> Bool {
    let command = PN532Target.presentation(identifier: identifier, historicalBytes: historicalBytes)
    return PN532Target.isSelected(try run(command, within: nil))
  }

  /// Answers the terminal, and waits for what it does next without a limit.
  public func nextAct(after response: [UInt8]?) throws(LinkError) -> TerminalAct {
    if let response {
      let data = try run([PN532Target.setData] + response)
      if data.first != PN532Target.success { return .leaves(try departure(data)) }
    }
    let data = try command()
    // More than the chip holds at once is no short command.
    return data.first == PN532Target.success ? .command(Array(data.dropFirst())) : .leaves(try departure(data))
  }

  private func command() throws(LinkError) -> [UInt8] {
    while true {
      do throws(LinkError) {
        return try run([PN532Target.getData], within: nil)
      } catch  where error.code == .timedOut {
        // The terminal takes its time.
        continue
      }
    }
  }

  /// The chip says that it was released, and when asked, by whom.
  private func departure(_ data: [UInt8]) throws(LinkError) -> FieldEvent {
    guard data.first == PN532Target.released else { return .lost }
    return try run([PN532Target.getStatus]).first == PN532Target.deselected ? .deselected : .lost
  }
}
