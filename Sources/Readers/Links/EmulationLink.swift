public import ISO7816

/// The target's port: presents a card to a terminal and serves its commands. Blocks; give it a thread of its own.
public protocol EmulationLink: Sendable {
  /// Presents the responder and serves it until the link ends.
  ///
  /// The responder hears of power, reset and loss. It is called on this thread only. Returns when `stop()` was called.
  ///
  /// - Throws: `LinkError` when the link fails or the reader goes away.
  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError)

  /// Takes the card out of the field and ends `serve` within 100 ms. May be called from any thread, at any time,
  /// any number of times; a link once stopped cannot serve again.
  func stop()
}
