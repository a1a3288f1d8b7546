/// What is known of the link between a card and a terminal under test.
public struct LinkTraits: Hashable, Sendable {
  /// The longest time that the link takes in an exchange; nil when it is not known. The times of the terminal are then
  /// warnings.
  public var share: Duration?
  /// Whether the card can leave in the middle of a response.
  public var losesPartOfResponse: Bool

  /// Creates the traits of a link; those of a link of which nothing is known without arguments.
  public init(share: Duration? = nil, losesPartOfResponse: Bool = false) {
    (self.share, self.losesPartOfResponse) = (share, losesPartOfResponse)
  }
}
