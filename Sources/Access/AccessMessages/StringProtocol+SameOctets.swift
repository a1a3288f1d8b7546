extension StringProtocol {
  /// Returns whether two texts have the same bytes in UTF-8, as the stores of the server and of the client compare them.
  /// The operator `==` also holds for texts that Unicode considers equivalent.
  public func hasSameOctets(as other: some StringProtocol) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension Sequence<String> {
  /// Returns whether one of the texts has the same bytes in UTF-8.
  public func containsOctets(of text: String) -> Bool { contains { $0.hasSameOctets(as: text) } }
}
