internal import Documents
internal import EMVData
internal import ISO7816
internal import JSON
internal import Octets

extension CardScheme {
  /// Visa qVSDC (kernel 3, EMV Contactless Book C-3): the response to GET PROCESSING OPTIONS holds the cryptogram.
  public static let visa = CardScheme(
    "visa", kernelIdentifier: [0x03], keys: [QualifiedOptions.ctq, OfflineApproval.key, IssuerExchange.key],
    personalisation: visaPersonalisation
  ) { application, image in
    let issuerData = VisaIssuerData(&application)
    let options = QualifiedOptions(
      version: issuerData.version, methods: issuerData.namesMethod ? DeviceVerificationMethod.allCases : [],
      signature: .kernel3, issuerData: { issuerData.octets(after: $0, $1) })
    options.compile(&application, &image)
  }

  /// Tag 9F6C comes from the response to GET PROCESSING OPTIONS. Issuers leave the card verification results zero for the
  /// card to fill; this card always asks to go online (byte 2: A0).
  private static let visaPersonalisation = Personalisation(
    provider: PaymentScheme.visa.provider, label: "VISA", ownTags: [.cardTransactionQualifiers],
    cryptogram: { octets in
      guard let data = VisaIssuerApplicationData(octets), data.layout == .standard else { return nil }
      var results = data.cardVerificationResults
      if results.count >= 2, results[1] & 0x30 != 0x20 { results[1] = 0xA0 | results[1] & 0x0F }
      return CardProfile.Cryptogram(
        version: Int(data.cryptogramVersionNumber), derivationKeyIndex: data.derivationKeyIndex.hex, cvr: results.hex)
    },
    keys: { options in
      let qualifiers = options.first { $0.tag == .cardTransactionQualifiers }?.value
      return [QualifiedOptions.ctq.name: JSONValue(qualifiers?.hex ?? "0000")]
    })
}
