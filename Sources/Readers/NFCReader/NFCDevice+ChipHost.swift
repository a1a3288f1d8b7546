internal import ISO7816
public import Links
internal import Octets

/// A card in the field of an NFC device.
public typealias NFCChannel = ChipChannel<NFCDevice>

/// Is a card for a terminal, through an NFC device that can be a target.
public typealias NFCLink = ChipLink<NFCDevice>

extension NFCDevice: ChipHost {
  /// Does nothing: libnfc takes up a role with its first call.
  public func prepare(for role: ChipRole) {}

  // MARK: Terminal

  /// Looks once for a card.
  public func findCard() throws(LinkError) -> FoundCard? {
    guard case .card(let identifier, let answer) = try process.asked(.select, timeout: Self.patience) else {
      return nil
    }
    return FoundCard(
      identifier: identifier, answerToSelect: [UInt8(truncatingIfNeeded: answer.count + 1)] + answer)
  }

  /// Sends a command to the card and receives its response.
  public func exchange(_ command: [UInt8], within limit: Duration) throws(LinkError) -> [UInt8] {
    let milliseconds = UInt32(clamping: limit.wholeMilliseconds)
    let reply = try process.asked(
      .transceive(milliseconds: milliseconds, command: command), timeout: limit + Self.patience)
    guard case .octets(let octets) = reply else { return [] }
    return octets
  }

  // MARK: Card

  /// Is a card until a terminal has selected it, without a limit.
  public func awaitTerminal(identifier: [UInt8], historicalBytes: [UInt8]) throws(LinkError) -> Bool {
    try process.asked(.await(identifier: identifier, historicalBytes: historicalBytes), timeout: nil) == .done
  }

  /// Answers the terminal, and waits for what it does next without a limit.
  public func nextAct(after response: [UInt8]?) throws(LinkError) -> TerminalAct {
    var reply = NFCReply.done
    if let response { reply = try process.asked(.respond(response), timeout: Self.patience) }
    if reply == .done { reply = try process.asked(.receive, timeout: nil) }
    if case .octets(let command) = reply { return .command(command) }
    return .leaves(reply == .released(isDeselected: true) ? .deselected : .lost)
  }

  /// Ends the call that blocks. One that meets the moment between two calls is lost, and one that comes late may end the
  /// next call.
  public func interrupt() { process.abort() }

  /// Lets go of the card, switches the field off, and puts the chip to sleep.
  public func release() { _ = try? process.asked(.release, timeout: Self.patience) }
}
