internal import ISO7816

extension CardScheme {
  /// JCB (kernel 5, EMV Contactless Book C-5) in EMV mode. The book is in no public library: the data elements are those that
  /// public lists describe, the flow is that of EMV 4.4 Book 3.
  ///
  /// Its own cryptograms are in no public document, so that profiles use EMV's common core. An armed card states in tag 9F50 that
  /// the holder was verified on the device. No public document says how an unarmed card refuses: this one states that the holder
  /// was not verified, and declines with an AAC.
  public static let jcb = CardScheme(
    "jcb", kernelIdentifier: [0x05],
    keys: [CommandProgram.optionsFormat, CommandProgram.cryptogramFormat, OfflineApproval.key, IssuerExchange.key]
  ) { application, image in
    let issuerData = IssuerApplicationData(&application, own: nil, of: "JCB")
    image.cryptogramVersion = issuerData.version
    let options = CommandProgram.plainOptions(
      &application, image, adding: [TLVNode(statusTag, verifiedOnDevice)], ownTags: [statusTag],
      unarmed: [TLVNode(statusTag, notVerified)])
    if let options { image.add(options) }
    if let program = CommandProgram.generateAC(&application, &image, issuerData) { image.add(program) }
  }

  /// Tag 9F50: the cardholder verification status, in its left half.
  private static let statusTag: Tag = 0x9F50
  private static let verifiedOnDevice: [UInt8] = [0x30]
  private static let notVerified: [UInt8] = [0x00]
}
