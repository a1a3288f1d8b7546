internal import ISO7816

extension CardScheme {
  /// Discover D-PAS (kernel 6): the cryptogram comes in the response to GENERATE AC, with a signature (CDA) of a card that signs.
  ///
  /// Its own cryptograms are in no public document, so that profiles use EMV's common core: the card proves the flow, and no
  /// real issuer accepts it. The same holds for the bits of tag 9F71, so that a profile gives its value in a record, and the
  /// verification on the device is reported to the issuer only, in tag 9F10. An unarmed card answers 6985 to GET PROCESSING
  /// OPTIONS, upon which a terminal selects the next application (EMV 4.4 Book 3, 10.1).
  public static let discover = CardScheme(
    "discover", kernelIdentifier: [0x06],
    keys: [CommandProgram.optionsFormat, CommandProgram.cryptogramFormat, OfflineApproval.key, IssuerExchange.key],
    recordLengths: [cardProcessingRequirements: 2...2]
  ) { application, image in
    let issuerData = IssuerApplicationData(&application, own: nil, of: "Discover")
    image.cryptogramVersion = issuerData.version
    let options = CommandProgram.plainOptions(
      &application, image, ownTags: [], refusal: .status(.conditionsNotSatisfied))
    if let options { image.add(options) }
    if let program = CommandProgram.generateAC(&application, &image, issuerData) { image.add(program) }
  }

  /// Tag 9F71: card processing requirements.
  private static let cardProcessingRequirements: Tag = 0x9F71
}
