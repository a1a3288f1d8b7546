internal import EMVData
internal import ISO7816
internal import JSON

extension CardScheme {
  /// American Express (kernel 4, EMV Contactless Book C-4): the EMV mode of a mobile device.
  ///
  /// Its own cryptograms are in no public document, so that profiles use EMV's common core. An unarmed card answers
  /// 6984 to GET PROCESSING OPTIONS, upon which a terminal asks its user to look at the phone (Book C-4, 8.2.4).
  public static let americanExpress = CardScheme(
    "americanExpress", kernelIdentifier: [0x04],
    keys: [CommandProgram.optionsFormat, CommandProgram.cryptogramFormat]
  ) { application, image in
    let issuerData = IssuerData(&application, own: nil, of: "American Express")
    image.cryptogramVersion = issuerData.version
    let options = CommandProgram.plainOptions(
      &application, image, adding: [TLVNode(mobileResultsTag, mobileResults)], ownTags: [mobileResultsTag],
      refusal: .status(.referencedDataInvalidated))
    if let options { image.add(options) }
    if let program = CommandProgram.generateAC(&application, image, issuerData) { image.add(program) }
    let bits = image.interchangeBits
    application.checkSignatures(bits)
    if !bits.isSet(octet: 2, bit: 7) {
      application.note("aip", "byte 2 bit 7 must be 1: only a mobile device gives tag 9F71")
    }
  }

  private static let mobileResultsTag: Tag = 0x9F71
  /// Mobile CVM results (Book C-4, 11.2.3): performed, not required by the terminal, successful. Only an armed card
  /// gives them.
  private static let mobileResults: [UInt8] = [0x01, 0x00, 0x02]
}
