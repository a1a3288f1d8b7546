public import ISO7816

/// The port of a card: presents a card to a terminal and passes it the commands. Blocks; use it on its own thread.
public protocol EmulationLink: Sendable {
  /// Presents a card until the link ends.
  ///
  /// Returns after `stop()`.
  ///
  /// - Parameter responder: The card. It receives commands, `responseSent()` after each response, and field events, on this
  ///   thread only.
  /// - Throws: `LinkError` when the link fails or the reader is unplugged.
  func serve<Responder: CommandResponder & ~Copyable>(_ responder: inout Responder) throws(LinkError)

  /// Takes the card out of the field and ends `serve` within 100 ms. May be called from any thread, at any time, any
  /// number of times. A stopped link cannot serve again.
  func stop()
}
