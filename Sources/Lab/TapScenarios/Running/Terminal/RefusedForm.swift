internal import PaymentAcceptance

extension [Exchange] {
  /// The first command whose form the card has refused: wrong Lc, Le, P1-P2, instruction or class (ISO/IEC 7816-4:2013,
  /// table 6). A corrected Le is no refusal. What a terminal does not send after it says nothing about the later commands.
  var refusal: Exchange? {
    let statuses: Set<UInt16> = [0x6700, 0x6A86, 0x6B00, 0x6D00, 0x6E00]
    return withWholeResponses.first { exchange in
      guard let response = exchange.response, response.count == 2 else { return false }
      return response[0] == 0x6C || statuses.contains(UInt16(response[0]) << 8 | UInt16(response[1]))
    }
  }
}

extension TerminalExpectations {
  /// Whether every command came that the expectations are about, and the response from which a rule follows.
  func isSeen(in exchanges: [Exchange]) -> Bool {
    rules.allSatisfy { $0.isSeen(in: exchanges) && $0.isAnswered(in: exchanges) }
      && forms.allSatisfy { !$0.commands.selected(from: exchanges).isEmpty }
  }
}
