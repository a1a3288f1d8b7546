internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON

extension CardScheme {
  /// American Express (kernel 4, EMV Contactless Book C-4): a mobile device in EMV mode or, without tag 82 byte 2 bit 8, in mag-stripe
  /// mode, whose commands are the same.
  ///
  /// Its own cryptograms are in no public document, so that profiles use EMV's common core. An unarmed card answers
  /// 6984 to GET PROCESSING OPTIONS, upon which a terminal asks its user to look at the phone (Book C-4, 8.2.4).
  public static let americanExpress = CardScheme(
    "americanExpress", kernelIdentifier: [0x04],
    keys: [CommandProgram.optionsFormat, CommandProgram.cryptogramFormat, OfflineApproval.key, IssuerExchange.key]
  ) { application, image in
    let issuerData = IssuerApplicationData(&application, own: nil, of: "American Express")
    image.cryptogramVersion = issuerData.version
    let options = CommandProgram.plainOptions(
      &application, image, adding: [TLVNode(mobileResultsTag, mobileResults)],
      addingIfRequired: verificationRequired(image.pdol).map { ([TLVNode(mobileResultsTag, requiredResults)], $0) },
      ownTags: [mobileResultsTag], refusal: .status(.referencedDataInvalidated))
    if let options { image.add(options) }
    if let program = CommandProgram.generateAC(&application, &image, issuerData) { image.add(program) }
    let bits = image.interchangeBits
    if !bits.isSet(octet: 2, bit: 7) {
      application.note("aip", "byte 2 bit 7 must be 1: only a mobile device gives tag 9F71")
    }
  }

  private static let mobileResultsTag: Tag = 0x9F71
  /// Mobile CVM results (Book C-4, 11.2.3): performed, not required by the terminal, successful. Only an armed card
  /// gives them.
  private static let mobileResults: [UInt8] = [0x01, 0x00, 0x02]
  /// The same for a terminal that required a verification.
  private static let requiredResults: [UInt8] = [0x01, 0x03, 0x02]

  /// Tag 9F6E of the terminal, byte 3 bit 7: CVM required (Book C-4, 4.3.4). Nil when the PDOL does not ask for it.
  private static func verificationRequired(_ pdol: DataObjectList) -> CommandProgram.ValueBits? {
    guard let range = pdol.range(of: readerCapabilitiesTag), range.count >= 3 else { return nil }
    return CommandProgram.ValueBits(offset: range.lowerBound + 2, mask: 0x40)
  }

  private static let readerCapabilitiesTag: Tag = 0x9F6E
}
