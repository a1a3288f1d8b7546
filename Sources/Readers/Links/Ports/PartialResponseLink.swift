/// A link whose card can leave in the middle of a response.
public protocol PartialResponseLink: EmulationLink {
  /// Ends the link within the next response: the terminal receives the bytes of the card, and waits for further ones that
  /// do not come. May be called from any thread, before that response.
  func cutNextResponse()
}
